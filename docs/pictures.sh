#!/usr/bin/env bash
# Makes the pictures of docs/introduction.md again. INNOSIM names another program than the one built here.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly PICTURES=docs/img/introduction
read -r -a innosim <<<"${INNOSIM:-cargo run --locked --release --quiet --}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# NAME PICTURE COMMAND...: runs the command and keeps its picture under the name.
picture() {
    local name=$1 made=$2
    shift 2
    "${innosim[@]}" "$@" --quiet --out "$work/$name" >/dev/null
    cp "$work/$name/$made" "$PICTURES/$name.svg"
}

mkdir -p "$PICTURES"
picture age dashboard.svg run redo-too-small --duration 180s --set innodb_redo_log_capacity=1G
picture waves dashboard.svg run redo-too-small --model 8.0.21 --duration 240s --set innodb_log_file_size=256M \
    --set innodb_log_files_in_group=2 --set innodb_io_capacity=300 --set innodb_io_capacity_max=600 --set innodb_doublewrite_pages=4
picture sync compare.svg compare io-capacity-max-too-low --duration 240s --replications 1 --variant "max 600:" \
    --variant "max 4000:innodb_io_capacity=2000,innodb_io_capacity_max=4000"
picture too-high compare.svg compare io-capacity-max-too-high --duration 200s --replications 1 --variant "max 20,000:" \
    --variant "max 1500:innodb_io_capacity=750,innodb_io_capacity_max=1500"
picture redo compare.svg compare redo-too-small --duration 180s --replications 1 --variant "192 MiB:" \
    --variant "2 GiB:innodb_redo_log_capacity=2G"
picture versions compare.svg compare redo-too-small --duration 180s --replications 1 --set drive.clients=16 --model 5.5 --model 5.6 --model 8.0.30

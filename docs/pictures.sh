#!/usr/bin/env bash
# Makes the pictures of docs/introduction.md and docs/gallery.md again. INNOSIM names another program than the one built here.
#
# Usage: docs/pictures.sh [introduction] [gallery]     both, if none is named
#
# The page that teaches is photographed by its test, which needs Chromium and the Rust target of the page; else its picture stays.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly INTRODUCTION=docs/img/introduction GALLERY=docs/img/gallery
read -r -a innosim <<<"${INNOSIM:-cargo run --locked --release --quiet --}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# FOLDER/NAME PICTURE COMMAND...: runs the command and keeps its picture under the name.
picture() {
    local name=$1 made=$2
    shift 2
    "${innosim[@]}" "$@" --quiet --out "$work/$name" >/dev/null
    cp "$work/$name/$made" "$name.svg"
}

introduction() {
    mkdir -p "$INTRODUCTION" "$work/$INTRODUCTION"
    picture "$INTRODUCTION/age" dashboard.svg run redo-too-small --duration 180s --set innodb_redo_log_capacity=1G
    picture "$INTRODUCTION/waves" dashboard.svg run redo-too-small --model 8.0.21 --duration 240s --set innodb_log_file_size=256M \
        --set innodb_log_files_in_group=2 --set innodb_io_capacity=300 --set innodb_io_capacity_max=600 \
        --set innodb_doublewrite_pages=4
    picture "$INTRODUCTION/sync" compare.svg compare io-capacity-max-too-low --duration 240s --replications 1 \
        --variant "max 600:" --variant "max 4000:innodb_io_capacity=2000,innodb_io_capacity_max=4000"
    picture "$INTRODUCTION/too-high" compare.svg compare io-capacity-max-too-high --duration 200s --replications 1 \
        --variant "max 20,000:" --variant "max 1500:innodb_io_capacity=750,innodb_io_capacity_max=1500"
    picture "$INTRODUCTION/redo" compare.svg compare redo-too-small --duration 180s --replications 1 --variant "192 MiB:" \
        --variant "2 GiB:innodb_redo_log_capacity=2G"
    picture "$INTRODUCTION/versions" compare.svg compare redo-too-small --duration 180s --replications 1 \
        --set drive.clients=16 --model 5.5 --model 5.6 --model 8.0.30
}

gallery() {
    mkdir -p "$GALLERY" "$work/$GALLERY"
    picture "$GALLERY/curves" curves.svg sweep redo-too-small --vary innodb_redo_log_capacity=128M..2G:*2 --duration 90s \
        --replications 1
    picture "$GALLERY/map" heatmap.svg sweep redo-too-small --vary innodb_redo_log_capacity=128M..1G:*2 \
        --vary innodb_io_capacity_max+innodb_io_capacity=1000,2000,4000,8000 --duration 60s --replications 1
    picture "$GALLERY/panels" series.svg sweep redo-too-small --vary innodb_io_capacity_max+innodb_io_capacity=400,800,1600,3200 \
        --duration 120s --replications 1
    picture "$GALLERY/spike" dashboard.svg run activity-spike
    picture "$GALLERY/lru" compare.svg compare lru-manager-threads --replications 1 --duration 60s \
        --variant "off:innodb_lru_threads=OFF" --variant "on:"
    page
}

# The test of the page takes all lessons in a browser, and leaves a picture of each.
page() {
    if cargo test --locked --workspace --test page -- every_lesson_can_be_taken >"$work/page.log" 2>&1 &&
        cp "${CARGO_TARGET_DIR:-target}/tmp/lesson-5-1280-light.png" "$GALLERY/page.png"; then
        return
    fi
    tail -5 "$work/page.log" >&2
    echo "the page can't be built or shown here: its picture stays" >&2
}

if [[ $# -eq 0 ]]; then
    set -- introduction gallery
fi
for part in "$@"; do
    case $part in
    introduction | gallery) "$part" ;;
    *)
        echo "no such part: $part; there are introduction and gallery" >&2
        exit 2
        ;;
    esac
done

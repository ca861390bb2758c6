#!/usr/bin/env bash
# Runs the bench of flushing rules and puts its tables into docs/leaderboard.md, between the marks of the leaderboard.
#
# Usage: docs/leaderboard.sh [INNOSIM]    the program [default: target/release/innosim]; its folder is out/bench-rules
set -euo pipefail
cd "$(dirname "$0")/.."

readonly innosim=${1:-target/release/innosim}
readonly out=out/bench-rules
readonly page=docs/leaderboard.md

"$innosim" bench-rules --quiet --out "$out" >/dev/null
awk -v table="$out/bench-rules.md" '
    /^<!-- leaderboard -->$/ { print; print ""; while ((getline line < table) > 0) print line; inside = 1; next }
    /^<!-- end of the leaderboard -->$/ { inside = 0 }
    !inside' "$page" >"$out/leaderboard.md"
cp "$out/leaderboard.md" "$page"
echo "$page has the tables of $out/bench-rules.md"

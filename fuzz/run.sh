#!/bin/sh
# Fuzzes one target for so many seconds: fuzz/run.sh TARGET SECONDS. What it finds stands in fuzz/artifacts/TARGET; it goes on after a find.
set -eu
cd "$(dirname "$0")"
target=$1
seconds=${2:-60}
./seed.sh
case $target in
  in_step) length=6000 ;;
  command_line) length=400 ;;
  *) length=8000 ;;
esac
mkdir -p "artifacts/$target"
dict=""
[ -s "dict/$target.dict" ] && dict="-dict=dict/$target.dict"
# shellcheck disable=SC2086
exec cargo +nightly fuzz run --sanitizer none "$target" -- $dict -max_len=$length -timeout=10 -rss_limit_mb=2048 \
  -max_total_time="$seconds" -fork=1 -ignore_crashes=1 -ignore_timeouts=1 -ignore_ooms=1 -print_final_stats=1

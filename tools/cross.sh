#!/bin/sh
# Builds for another machine and runs the cases there, in an emulator, with the reference evaluator;
# i686 without an emulator where this machine can.
#
#   tools/cross.sh [--build] [aarch64|armhf|riscv64|i686|musl [FOLDER or FILE of cases]...]
#
# Needs qemu-user, and of the machine the packages gcc-NAME and libc6-dev-ARCH-cross; musl is this machine with another C
# library (musl-tools). With --build it is only built: build/MACHINE/emulated-tenon is the program in its emulator.
set -eu
cd "$(dirname "$0")/.."
only_build=""
[ "${1-}" = --build ] && shift && only_build=yes
machine=${1-aarch64}
[ $# -gt 0 ] && shift
narrow=""
case $machine in
aarch64) name=aarch64-linux-gnu emulator="qemu-aarch64 -L /usr/aarch64-linux-gnu" ;;
armhf) name=arm-linux-gnueabihf emulator="qemu-arm -L /usr/arm-linux-gnueabihf" narrow=--narrow ;;
riscv64) name=riscv64-linux-gnu emulator="qemu-riscv64 -L /usr/riscv64-linux-gnu" ;;
i686)
    name=i686-linux-gnu emulator="qemu-i386 -L /usr/i686-linux-gnu" narrow=--narrow
    own=/usr/i686-linux-gnu/lib/ld-linux.so.2
    if "$own" --version >/dev/null 2>&1; then # this machine runs it itself
        emulator="$own --library-path /usr/i686-linux-gnu/lib"
    fi
    ;;
musl) name=musl emulator="" ;;
*)
    echo "cross: no machine is called '$machine': aarch64, armhf, riscv64, i686, musl" >&2
    exit 2
    ;;
esac
test -f "build/$machine/build.ninja" ||
    cmake -B "build/$machine" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DTENON_WERROR=ON \
        --toolchain "cmake/toolchains/$name.cmake" >/dev/null
cmake --build "build/$machine" -j "$(nproc)" --target tenon serve >/dev/null
emulated() { # PROGRAM, in the emulator
    printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$emulator" "$PWD/build/$machine/$1" >"build/$machine/emulated-$2"
    chmod +x "build/$machine/emulated-$2"
}
emulated tenon tenon
emulated test/serve serve
[ -n "$only_build" ] && exit 0
exec /usr/bin/python3 test/run_cases.py --tenon "build/$machine/emulated-tenon" \
    --serve "build/$machine/emulated-serve" --no-jit --quick $narrow "$@"

#!/bin/sh
# Builds for aarch64 and runs the cases there, in an emulator, with the reference evaluator.
# Needs the packages qemu-user, gcc-aarch64-linux-gnu and libc6-dev-arm64-cross.
set -eu
cd "$(dirname "$0")/.."
test -f build/aarch64/build.ninja ||
    cmake -B build/aarch64 -G Ninja -DCMAKE_BUILD_TYPE=Debug -DTENON_WERROR=ON \
        --toolchain cmake/toolchains/aarch64-linux-gnu.cmake >/dev/null
cmake --build build/aarch64 -j "$(nproc)" >/dev/null
cat >build/aarch64/emulated <<'END'
#!/bin/sh
exec qemu-aarch64 -L /usr/aarch64-linux-gnu "$(dirname "$0")/tenon" "$@"
END
chmod +x build/aarch64/emulated
exec /usr/bin/python3 test/run_cases.py --tenon build/aarch64/emulated --no-jit --quick "$@"

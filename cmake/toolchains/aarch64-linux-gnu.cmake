# For 64-bit ARM, with Debian's gcc-aarch64-linux-gnu; what is built runs here with qemu-user:
#   cmake -B build/aarch64 -G Ninja --toolchain cmake/toolchains/aarch64-linux-gnu.cmake
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_OBJCOPY aarch64-linux-gnu-objcopy)
set(CMAKE_LINKER aarch64-linux-gnu-ld)
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# Packages of this machine's architecture are none of the target's.
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig)
# LLVM of this machine is not the target's either; -DLLVM_CONFIG=PATH names one that is.
set(LLVM_CONFIG OFF CACHE FILEPATH "llvm-config of LLVM 19, or OFF: no just-in-time compilation")
find_program(QEMU qemu-aarch64)
if(QEMU)
    set(CMAKE_CROSSCOMPILING_EMULATOR ${QEMU} -L /usr/aarch64-linux-gnu)
endif()

# For another machine with Debian's cross compiler; what is built runs here with qemu-user. A file for each machine sets
# `machine` to the name that Debian's tools begin with, and `processor` to the name that CMake and the emulator know.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${processor})
set(CMAKE_C_COMPILER ${machine}-gcc)
set(CMAKE_OBJCOPY ${machine}-objcopy)
set(CMAKE_LINKER ${machine}-ld)
set(CMAKE_FIND_ROOT_PATH /usr/${machine})
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
# Packages of this machine's architecture are none of the target's.
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/${machine}/pkgconfig)
# LLVM of this machine is not the target's either; -DLLVM_CONFIG=PATH names one that is.
set(LLVM_CONFIG OFF CACHE FILEPATH "llvm-config of LLVM 19, or OFF: no just-in-time compilation")
find_program(qemu_${processor} qemu-${processor})
if(qemu_${processor})
    set(CMAKE_CROSSCOMPILING_EMULATOR ${qemu_${processor}} -L /usr/${machine})
endif()

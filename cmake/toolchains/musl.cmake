# For this machine with the C library musl, of Debian's musl-tools:
#   cmake -B build/musl -G Ninja --toolchain cmake/toolchains/musl.cmake
set(CMAKE_C_COMPILER musl-gcc)
# Packages and LLVM are linked with another C library.
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/musl/pkgconfig)
set(LLVM_CONFIG OFF CACHE FILEPATH "llvm-config of LLVM 19, or OFF: no just-in-time compilation")
set(TENON_MPI OFF CACHE BOOL "modules for MPI")
# Headers of the kernel, which musl-gcc does not find.
set(CMAKE_C_FLAGS_INIT "-idirafter /usr/include -idirafter /usr/include/x86_64-linux-gnu")

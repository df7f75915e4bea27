# For 64-bit ARM:
#   cmake -B build/aarch64 -G Ninja --toolchain cmake/toolchains/aarch64-linux-gnu.cmake
set(machine aarch64-linux-gnu)
set(processor aarch64)
include(${CMAKE_CURRENT_LIST_DIR}/linux.cmake)

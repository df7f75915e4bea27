# For a big-endian machine, where Tenon refuses to be built:
#   cmake -B build/s390x -G Ninja --toolchain cmake/toolchains/s390x-linux-gnu.cmake
set(machine s390x-linux-gnu)
set(processor s390x)
include(${CMAKE_CURRENT_LIST_DIR}/linux.cmake)

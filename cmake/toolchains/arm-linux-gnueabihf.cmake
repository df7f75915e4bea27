# For 32-bit ARM with hardware floating point:
#   cmake -B build/armhf -G Ninja --toolchain cmake/toolchains/arm-linux-gnueabihf.cmake
set(machine arm-linux-gnueabihf)
set(processor arm)
include(${CMAKE_CURRENT_LIST_DIR}/linux.cmake)

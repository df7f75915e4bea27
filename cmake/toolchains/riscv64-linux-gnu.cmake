# For 64-bit RISC-V:
#   cmake -B build/riscv64 -G Ninja --toolchain cmake/toolchains/riscv64-linux-gnu.cmake
set(machine riscv64-linux-gnu)
set(processor riscv64)
include(${CMAKE_CURRENT_LIST_DIR}/linux.cmake)

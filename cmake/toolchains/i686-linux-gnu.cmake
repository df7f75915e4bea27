# For 32-bit x86 with SSE2:
#   cmake -B build/i686 -G Ninja --toolchain cmake/toolchains/i686-linux-gnu.cmake
set(machine i686-linux-gnu)
set(processor i386)
set(CMAKE_C_FLAGS_INIT "-msse2 -mfpmath=sse")
include(${CMAKE_CURRENT_LIST_DIR}/linux.cmake)

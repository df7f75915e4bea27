# The compiler flags of every target, as the interface library tenon_flags.
add_library(tenon_flags INTERFACE)
target_compile_options(tenon_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wstrict-prototypes
    -Wmissing-prototypes -Wold-style-definition -Wvla -Wundef -Wcast-qual -Wpointer-arith
    -Wwrite-strings -Wdouble-promotion -Wformat=2 -Wimplicit-fallthrough -Wswitch-enum
    -fno-common
    -fno-math-errno # nothing reads errno after sqrt and fma, so they can be vector instructions
    -ffp-contract=off) # the law of bits: a multiply and an add fuse only where the code says fma
if(TENON_WERROR)
    target_compile_options(tenon_flags INTERFACE -Werror)
endif()

set(CMAKE_C_FLAGS_DEBUG "-O1 -g")
if(TENON_SANITIZE)
    set(CMAKE_C_FLAGS_DEBUG "-O1 -g1") # lines for reports; less to write and to link
endif()

if(TENON_SANITIZE)
    set(sanitize -fsanitize=${TENON_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_compile_options(tenon_flags INTERFACE ${sanitize})
    target_link_options(tenon_flags INTERFACE ${sanitize})
endif()
if(TENON_COVERAGE)
    target_compile_options(tenon_flags INTERFACE --coverage)
    target_link_options(tenon_flags INTERFACE --coverage)
endif()
if(TENON_FUZZ)
    target_compile_options(tenon_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

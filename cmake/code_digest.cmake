# A digest of the sources that decide which machine code a loop program becomes, as TENON_CODE_DIGEST: it
# is part of what cached code is known by, so that no build uses code that another code generator made.
#
# Those are the module that calls LLVM, the description of machines, how the library asks for code and
# takes it apart, and every header and table that these include, but for src/base and the public headers, which have no
# part in it. Only the contents count, not where they lie or when they changed: builds of the same sources, static, shared
# or the program, share their cache.
#
# Alone, it prints the digest of the tree ROOT:  cmake -DROOT=... -P code_digest.cmake
if(CMAKE_SCRIPT_MODE_FILE)
    cmake_minimum_required(VERSION 3.21)
    set(code_root ${ROOT})
else()
    set(code_root ${PROJECT_SOURCE_DIR})
endif()
set(in ${code_root}/src)
file(GLOB code_todo RELATIVE ${in} ${in}/target/llvm/plugin/*.c ${in}/target/llvm/process/*.c
    ${in}/target/llvm.c ${in}/machine/*.c ${in}/loop/ir/print_loops.c ${in}/runtime/code_part.c)
set(code_sources)
while(code_todo)
    list(POP_FRONT code_todo source)
    if(source IN_LIST code_sources OR source MATCHES "^base/" OR NOT EXISTS ${in}/${source})
        continue()
    endif()
    list(APPEND code_sources ${source})
    file(STRINGS ${in}/${source} includes REGEX "^ *#include \"")
    list(TRANSFORM includes REPLACE "^ *#include \"([^\"]*)\".*" "\\1")
    list(APPEND code_todo ${includes})
endwhile()
list(SORT code_sources)
set(TENON_CODE_DIGEST "")
foreach(source IN LISTS code_sources)
    if(NOT CMAKE_SCRIPT_MODE_FILE)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${in}/${source})
    endif()
    file(SHA256 ${in}/${source} digest)
    string(APPEND TENON_CODE_DIGEST "${source} ${digest}\n")
endforeach()
string(SHA256 TENON_CODE_DIGEST "${TENON_CODE_DIGEST}")
string(SUBSTRING ${TENON_CODE_DIGEST} 0 16 TENON_CODE_DIGEST)
if(CMAKE_SCRIPT_MODE_FILE)
    message("${TENON_CODE_DIGEST}")
endif()

# libtenon-llvm.so, which alone links LLVM: the library loads it when something must be compiled.
# Without LLVM 19, or with -DLLVM_CONFIG=OFF, everything else is built and says that the backend is
# not available.
set(TENON_LLVM_VERSION "none")
find_program(LLVM_CONFIG NAMES llvm-config-19 llvm-config)
if(LLVM_CONFIG)
    execute_process(COMMAND ${LLVM_CONFIG} --version OUTPUT_VARIABLE llvm_version
        OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(llvm_version MATCHES "^19\\.")
        set(TENON_LLVM_VERSION ${llvm_version})
    endif()
endif()

include(cmake/code_digest.cmake)

if(TENON_LLVM_VERSION STREQUAL "none")
    message(STATUS "LLVM 19 is missing: no just-in-time compilation; see tools/setup.sh")
elseif(NOT TENON_FUZZ)
    execute_process(COMMAND ${LLVM_CONFIG} --includedir OUTPUT_VARIABLE llvm_include
        OUTPUT_STRIP_TRAILING_WHITESPACE)
    execute_process(COMMAND ${LLVM_CONFIG} --link-shared --ldflags --libs OUTPUT_VARIABLE llvm_link
        OUTPUT_STRIP_TRAILING_WHITESPACE)
    separate_arguments(llvm_link UNIX_COMMAND "${llvm_link}")
    file(GLOB plugin_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/target/llvm/plugin/*.c
        ${PROJECT_SOURCE_DIR}/src/machine/*.c)
    add_library(tenon_llvm MODULE ${plugin_sources})
    set_target_properties(tenon_llvm PROPERTIES
        OUTPUT_NAME tenon-llvm
        C_VISIBILITY_PRESET hidden)
    target_include_directories(tenon_llvm PRIVATE include src)
    target_include_directories(tenon_llvm SYSTEM PRIVATE ${llvm_include})
    target_compile_definitions(tenon_llvm PRIVATE _POSIX_C_SOURCE=200809L)
    target_link_libraries(tenon_llvm PRIVATE tenon_flags ${llvm_link})
    install(TARGETS tenon_llvm LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/tenon COMPONENT llvm)

    # The same as a program, for processes whose memory is limited.
    add_executable(tenon_llvm_process ${plugin_sources}
        ${PROJECT_SOURCE_DIR}/src/target/llvm/process/process.c)
    set_target_properties(tenon_llvm_process PROPERTIES OUTPUT_NAME tenon-llvm)
    target_include_directories(tenon_llvm_process PRIVATE include src)
    target_include_directories(tenon_llvm_process SYSTEM PRIVATE ${llvm_include})
    target_compile_definitions(tenon_llvm_process PRIVATE _POSIX_C_SOURCE=200809L)
    target_link_libraries(tenon_llvm_process PRIVATE tenon_flags ${llvm_link})
    add_dependencies(tenon_llvm tenon_llvm_process)
    install(TARGETS tenon_llvm_process RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/tenon
        COMPONENT llvm)
endif()

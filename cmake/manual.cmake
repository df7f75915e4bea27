# Manual pages and completions, which the program itself writes from its table of options.
file(GLOB command_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cli/commands/cmd_*.c)
set(command_names)
set(manual_files ${CMAKE_BINARY_DIR}/manual/tenon.1)
foreach(file ${command_files})
    string(REGEX REPLACE ".*/cmd_(.*)[.]c$" "\\1" name ${file})
    list(APPEND command_names ${name})
    list(APPEND manual_files ${CMAKE_BINARY_DIR}/manual/tenon-${name}.1)
endforeach()
set(completion_files tenon _tenon tenon.fish)
list(TRANSFORM completion_files PREPEND ${CMAKE_BINARY_DIR}/manual/)
add_custom_command(OUTPUT ${manual_files} ${completion_files}
    COMMAND ${CMAKE_COMMAND} -DTENON=$<TARGET_FILE:tenon> -DFOLDER=${CMAKE_BINARY_DIR}/manual
        "-DNAMES=${command_names}" -P ${PROJECT_SOURCE_DIR}/cmake/write_manual.cmake
    DEPENDS tenon ${PROJECT_SOURCE_DIR}/cmake/write_manual.cmake
    VERBATIM
    COMMENT "Writing manual pages and completions")
add_custom_target(tenon_manual ALL DEPENDS ${manual_files} ${completion_files})
add_dependencies(product tenon_manual)

install(FILES ${manual_files} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
install(FILES ${CMAKE_BINARY_DIR}/manual/tenon COMPONENT program
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${CMAKE_BINARY_DIR}/manual/_tenon COMPONENT program
    DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${CMAKE_BINARY_DIR}/manual/tenon.fish COMPONENT program
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

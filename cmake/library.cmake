# libtenon.so and libtenon.a. Both export the functions marked TN_API and nothing else.
add_library(tenon_shared SHARED $<TARGET_OBJECTS:tenon_objects>)
set_target_properties(tenon_shared PROPERTIES
    OUTPUT_NAME tenon
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}
    LINKER_LANGUAGE C)
target_link_options(tenon_shared PRIVATE -Wl,-z,defs)
target_link_libraries(tenon_shared PRIVATE ${libzip} Threads::Threads m ${CMAKE_DL_LIBS})

# An archive has no visibility of its own, so its members are first joined into one object, in
# which the hidden symbols can be made local.
set(archive ${CMAKE_BINARY_DIR}/libtenon.a)
set(joined ${CMAKE_BINARY_DIR}/tenon_joined.o)
add_custom_command(OUTPUT ${archive}
    COMMAND ${CMAKE_LINKER} -r -o ${joined} $<TARGET_OBJECTS:tenon_objects>
    COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${joined}
    COMMAND ${CMAKE_COMMAND} -E rm -f ${archive}
    COMMAND ${CMAKE_AR} rcs ${archive} ${joined}
    DEPENDS tenon_objects $<TARGET_OBJECTS:tenon_objects>
    COMMAND_EXPAND_LISTS VERBATIM
    COMMENT "Linking C static library libtenon.a")
add_custom_target(tenon_static ALL DEPENDS ${archive})
add_dependencies(product tenon_shared tenon_static)

install(TARGETS tenon_shared)
install(FILES ${archive} DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tenon DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# libtenon.so and libtenon.a, and how they are installed: with headers, a pkg-config file and a CMake
# package, all of which find each other wherever the prefix is moved to.

# Until 1.0 a minor version may change what callers were compiled with.
if(PROJECT_VERSION_MAJOR EQUAL 0)
    set(abi ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    set(compatible SameMinorVersion)
else()
    set(abi ${PROJECT_VERSION_MAJOR})
    set(compatible SameMajorVersion)
endif()
set(map ${PROJECT_SOURCE_DIR}/cmake/tenon.map)

add_library(tenon_shared SHARED $<TARGET_OBJECTS:tenon_objects>)
set_target_properties(tenon_shared PROPERTIES
    OUTPUT_NAME tenon
    VERSION ${PROJECT_VERSION}
    SOVERSION ${abi}
    LINK_DEPENDS ${map}
    LINKER_LANGUAGE C)
target_link_options(tenon_shared PRIVATE -Wl,-z,defs -Wl,--version-script=${map})
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

install(TARGETS tenon_shared
    LIBRARY COMPONENT library NAMELINK_COMPONENT development)
install(FILES ${archive} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tenon DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    COMPONENT development)

# What a program linked to the archive needs beside it. libzip's own needs are known to libzip.so.
set(private_libraries "-lm -lpthread")
if(CMAKE_DL_LIBS)
    string(APPEND private_libraries " -l${CMAKE_DL_LIBS}")
endif()
if(LIBZIP_FOUND)
    string(PREPEND private_libraries "-lzip ")
endif()
string(REPLACE "-l" "" static_libraries "${private_libraries}")
string(REPLACE " " ";" static_libraries "${static_libraries}")
if(TARGET tenon_llvm)
    set(has_llvm 1)
else()
    set(has_llvm 0)
endif()

# The way from the folder of the pkg-config file up to the prefix.
set(pkgconfig ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH to_prefix /${pkgconfig} /)
string(REGEX REPLACE "/$" "" to_prefix "${to_prefix}")
configure_file(${PROJECT_SOURCE_DIR}/cmake/tenon.pc.in ${CMAKE_BINARY_DIR}/tenon.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/tenon.pc DESTINATION ${pkgconfig} COMPONENT development)

include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Tenon)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/TenonConfig.cmake.in
    ${CMAKE_BINARY_DIR}/TenonConfig.cmake
    INSTALL_DESTINATION ${package}
    PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/TenonConfigVersion.cmake
    COMPATIBILITY ${compatible})
install(FILES ${CMAKE_BINARY_DIR}/TenonConfig.cmake ${CMAKE_BINARY_DIR}/TenonConfigVersion.cmake
    DESTINATION ${package} COMPONENT development)

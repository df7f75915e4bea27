# A module for each implementation of MPI whose headers are there, which the library loads in a process that mpirun started.
option(TENON_MPI "Build the modules for MPI where its headers are" ON)
foreach(implementation openmpi mpich)
    set(package ompi-c)
    if(implementation STREQUAL "mpich")
        set(package mpich)
    endif()
    if(TENON_MPI)
        pkg_check_modules(${implementation} ${package})
    endif()
    if(TENON_MPI AND ${implementation}_FOUND AND NOT TENON_FUZZ AND NOT CMAKE_CROSSCOMPILING)
        set(module tenon_mpi_${implementation})
        add_library(${module} MODULE
            ${PROJECT_SOURCE_DIR}/src/train/transport/mpi/mpi_plugin.c
            ${PROJECT_SOURCE_DIR}/src/train/transport/mpi/end_all.c
            ${PROJECT_SOURCE_DIR}/src/train/transport/mpi/heartbeat.c)
        set_target_properties(${module} PROPERTIES
            OUTPUT_NAME tenon-mpi-${implementation}
            C_VISIBILITY_PRESET hidden)
        target_include_directories(${module} PRIVATE include src)
        target_compile_definitions(${module} PRIVATE _POSIX_C_SOURCE=200809L)
        target_include_directories(${module} SYSTEM PRIVATE ${${implementation}_INCLUDE_DIRS})
        target_link_directories(${module} PRIVATE ${${implementation}_LIBRARY_DIRS})
        target_link_libraries(${module} PRIVATE tenon_flags ${${implementation}_LIBRARIES} Threads::Threads)
        install(TARGETS ${module} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/tenon COMPONENT mpi)
    elseif(TENON_MPI)
        message(STATUS "No headers of ${implementation}: training on several machines by it is not built")
    endif()
endforeach()

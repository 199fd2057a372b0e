# Installs the build into a folder of its own, then builds and runs this project against it alone.
#   cmake -DBUILD=.. -DSOURCE=.. -DWORK=.. -DGENERATOR=.. -DFLAGS=.. -P check.cmake
function(run)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    message("${output}")
    if(NOT result EQUAL 0)
        message(FATAL_ERROR "failed: ${ARGN}")
    endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${WORK}/prefix
    "-DCMAKE_CXX_FLAGS=${FLAGS}" "-DCMAKE_C_FLAGS=${FLAGS}")
run(${CMAKE_COMMAND} --build ${WORK}/build)
foreach(consumer consumer_cpp consumer_c mine library_c shared_c)
    run(${WORK}/build/${consumer})
endforeach()

# The same by pkg-config, which knows nothing but the prefix.
find_program(PKG_CONFIG pkg-config REQUIRED)
set(ENV{PKG_CONFIG_PATH} ${WORK}/prefix/lib/pkgconfig)
set(ENV{LD_LIBRARY_PATH} ${WORK}/prefix/lib)
separate_arguments(FLAGS UNIX_COMMAND "${FLAGS}")
# by_pkg_config(PACKAGE SOURCE COMPILER...)
function(by_pkg_config package source)
    execute_process(COMMAND ${PKG_CONFIG} --print-errors --cflags --libs ${package}
        OUTPUT_VARIABLE arguments OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(arguments UNIX_COMMAND "${arguments}")
    run(${ARGN} ${FLAGS} ${SOURCE}/${source} -o ${WORK}/${package} ${arguments})
    run(${WORK}/${package})
endfunction()
by_pkg_config(tilewise consumer.c ${C_COMPILER} -std=c99)
by_pkg_config(tilewise-patterns consumer.cpp ${CXX_COMPILER} -std=c++20)

execute_process(COMMAND ${WORK}/prefix/bin/tilewise --version
    OUTPUT_VARIABLE program_version OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
foreach(package tilewise tilewise-patterns)
    execute_process(COMMAND ${PKG_CONFIG} --modversion ${package}
        OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    if(NOT program_version STREQUAL "tilewise ${version}")
        message(FATAL_ERROR "the program is \"${program_version}\", but pkg-config has ${package} ${version}")
    endif()
endforeach()
foreach(file share/doc/tilewise/LICENSE share/doc/tilewise/README.md share/doc/tilewise/library.md)
    if(NOT EXISTS ${WORK}/prefix/${file})
        message(FATAL_ERROR "not installed: ${file}")
    endif()
endforeach()
file(READ ${WORK}/build/CMakeCache.txt cache)
if(cache MATCHES "[Vv]ulkan|SQLite")
    message(FATAL_ERROR "a user of the library had to look for Vulkan or SQLite")
endif()
file(REMOVE_RECURSE ${WORK})

# What the program needs in addition to the library and the database: threads, volk, a GLSL compiler, compression, the
# widths of characters.
find_package(Threads REQUIRED)
find_package(CLI11 2 REQUIRED)
find_path(STB_INCLUDE stb_image_write.h PATH_SUFFIXES stb REQUIRED)
find_path(DEFLATE_INCLUDE libdeflate.h REQUIRED)
find_library(DEFLATE_LIBRARY deflate REQUIRED)
find_path(UTF8PROC_INCLUDE utf8proc.h REQUIRED)
find_library(UTF8PROC_LIBRARY utf8proc REQUIRED)

# The specification's numbers are needed to read what that compiler makes.
find_path(SPIRV_INCLUDE spirv/unified1/spirv.hpp11 REQUIRED)
# The compiler for the kernels' GLSL.
find_path(SHADERC_INCLUDE shaderc/shaderc.hpp REQUIRED)
# Debian's libshaderc.so lacks a symbol of glslang's (setNanMinMaxClamp), and its static library does not include the
# libraries that it needs.
set(SHADERC_LIBRARIES "")
foreach(library shaderc_combined glslang SPIRV MachineIndependent GenericCodeGen OSDependent OGLCompiler HLSL SPIRV-Tools-opt SPIRV-Tools)
    find_library(SHADERC_${library} NAMES lib${library}.a)
    if(SHADERC_${library})
        list(APPEND SHADERC_LIBRARIES ${SHADERC_${library}})
    endif()
endforeach()

# volk opens the loader at run time.
add_library(volk STATIC ${VOLK_INCLUDE}/volk.c)
target_link_libraries(volk PUBLIC vulkan_headers ${CMAKE_DL_LIBS})

# tilewise_shader(TARGET NAME SOURCE [-DDEFINE]...): compiles GLSL to <folder>/NAME.inc, SPIR-V as numbers to #include
# between braces.
find_program(GLSLC glslc REQUIRED)
function(tilewise_shader target name source)
    set(output ${CMAKE_CURRENT_BINARY_DIR}/${name}.inc)
    cmake_path(GET output PARENT_PATH folder)
    add_custom_command(
        OUTPUT ${output}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
        COMMAND ${GLSLC} --target-env=vulkan1.1 -O -Werror ${ARGN} -mfmt=num -MD -MF ${output}.d
                -o ${output} ${CMAKE_CURRENT_SOURCE_DIR}/${source}
        DEPENDS ${source}
        DEPFILE ${output}.d
        COMMENT "Compiling ${name}"
        VERBATIM)
    target_sources(${target} PRIVATE ${output})
    target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR})
endfunction()

# tilewise_add_snippet(TARGET target LANG language (GPU name FORMAT format | PATTERN id)
#     [KIND kind] [OUTPUT file] [DB file] [EXTENT 1920x1080] [RADIUS 4] [KERNEL gaussian | FILTER file] [BODY file] ...)
#
# Adds the code that `tilewise snippet` prints to the target, and its folder to the target's include path. The code is
# written when the target is built, and again when an argument, the database or the program has changed.
#   OUTPUT  the file, from CMAKE_CURRENT_BINARY_DIR; without it tilewise/TARGET/tilewise_KIND.EXTENSION
#   KERNEL  with KIND kernel: that kernel itself, complete, by the advised method; FILTER: likewise for your own filter
#   BODY    with KIND kernel: your own statements in place of the loop over the texels around each texel
#   DB      the database that answers; without it, on every machine, the catalog that Tilewise ships
# KERNEL, FILTER and BODY make KIND kernel the default. A layout that is only assumed gives a CMake warning in the
# build. All other arguments are options of `tilewise snippet`: GROUP_ORDER is its --group-order. If C++ code shares a
# file with other such code, put it into a namespace of its own, after <cstdint>.

# The build runs this same file to write the code: cmake -DPROGRAM=.. -DOUTPUT=.. -P tilewise_add_snippet.cmake
if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
    file(READ ${OUTPUT}.arguments arguments)
    string(STRIP "${arguments}" arguments)
    execute_process(COMMAND ${PROGRAM} snippet ${arguments}
        OUTPUT_FILE ${OUTPUT}.new ERROR_VARIABLE said RESULT_VARIABLE code)
    string(STRIP "${said}" said)
    if(NOT code EQUAL 0)
        file(REMOVE ${OUTPUT}.new)
        message(NOTICE "${said}")
        message(FATAL_ERROR "tilewise_add_snippet: ${OUTPUT} is not written")
    elseif(said MATCHES "[Aa]ssumed")
        message(WARNING "tilewise_add_snippet: ${OUTPUT}: ${said}")
    elseif(said)
        message(NOTICE "${said}")
    endif()
    file(RENAME ${OUTPUT}.new ${OUTPUT})
    return()
endif()

function(tilewise_add_snippet)
    set(options LANG KIND GPU VENDOR DEVICE DRIVER FORMAT EXTENT USAGE MODE PATTERN LEVELS LAYERS SAMPLES FLAGS ASPECT
        LAYOUT DIRECTION ORDER INVOCATIONS SHAPE SUBGROUP WARPS RADIUS KERNEL FILTER SIGMA ACCESS BODY GROUP_ORDER
        STRIP_WIDTH DB)
    cmake_parse_arguments(PARSE_ARGV 0 arg EXPLAIN "TARGET;OUTPUT;${options}" "")
    if(arg_UNPARSED_ARGUMENTS)
        list(JOIN arg_UNPARSED_ARGUMENTS " " unknown)
        message(FATAL_ERROR "tilewise_add_snippet: what is ${unknown}?")
    elseif(arg_KEYWORDS_MISSING_VALUES)
        list(JOIN arg_KEYWORDS_MISSING_VALUES ", " missing)
        message(FATAL_ERROR "tilewise_add_snippet: ${missing} without a value")
    elseif(NOT TARGET "${arg_TARGET}")
        message(FATAL_ERROR "tilewise_add_snippet: TARGET \"${arg_TARGET}\" is no target")
    elseif(NOT arg_LANG)
        message(FATAL_ERROR "tilewise_add_snippet: LANG is missing; tilewise help snippet names them")
    endif()

    if(NOT arg_KIND AND (arg_KERNEL OR arg_FILTER OR arg_BODY))
        set(arg_KIND kernel)
    elseif(NOT arg_KIND)
        set(arg_KIND remap)
    endif()
    string(TOLOWER ${arg_LANG} extension)
    set(extension_cpp h)
    set(extension_cuda cuh)
    set(extension_msl metal)
    set(extension_rust rs)
    set(extension_triton py)
    set(extension_cute cuh)
    set(extension_c-pdep h)
    if(extension_${extension})
        set(extension ${extension_${extension}})
    endif()
    if(NOT arg_OUTPUT)
        set(arg_OUTPUT tilewise/${arg_TARGET}/tilewise_${arg_KIND}.${extension})
    endif()
    cmake_path(ABSOLUTE_PATH arg_OUTPUT BASE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR} NORMALIZE)
    cmake_path(GET arg_OUTPUT PARENT_PATH folder)
    foreach(file DB LAYOUT FILTER BODY)
        if(arg_${file})
            cmake_path(ABSOLUTE_PATH arg_${file} BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
        endif()
    endforeach()

    set(arguments --quiet)
    foreach(option ${options})
        if(DEFINED arg_${option})
            string(TOLOWER ${option} name)
            string(REPLACE _ - name ${name})
            list(APPEND arguments --${name}=${arg_${option}})
        endif()
    endforeach()
    if(arg_EXPLAIN)
        list(APPEND arguments --explain)
    endif()

    # Not all generators run a command again if the command has changed: they do if this file has.
    file(CONFIGURE OUTPUT ${arg_OUTPUT}.arguments CONTENT "${arguments}\n" @ONLY)
    add_custom_command(
        OUTPUT ${arg_OUTPUT}
        # A data folder that does not exist: the user's own database is not part of the project.
        COMMAND ${CMAKE_COMMAND} -E env --unset=TILEWISE_DB XDG_DATA_HOME=${folder}/none
                ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:tilewise::program> -DOUTPUT=${arg_OUTPUT}
                -P ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
        DEPENDS $<TARGET_FILE:tilewise::program> ${arg_OUTPUT}.arguments ${arg_DB} ${arg_LAYOUT}
                ${arg_FILTER} ${arg_BODY}
        COMMENT "Writing ${arg_OUTPUT} by tilewise snippet"
        VERBATIM)
    target_sources(${arg_TARGET} PRIVATE ${arg_OUTPUT})
    get_target_property(type ${arg_TARGET} TYPE)
    if(type STREQUAL INTERFACE_LIBRARY)
        target_include_directories(${arg_TARGET} INTERFACE ${folder})
    elseif(NOT type STREQUAL UTILITY)
        target_include_directories(${arg_TARGET} PRIVATE ${folder})
    endif()
endfunction()

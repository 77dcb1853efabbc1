# Script: cmake -DROOT=DIR -P CheckLayers.cmake
# Includes and OpenCL calls stay within the layers of docs/layers.md.
#
#   - a file of src/ROOM includes its own room and rooms of strictly lower rank; plan and cl are siblings
#   - the OpenCL headers are included by src/cl/opencl.h and include/weir/interop_cl.h only
#   - src/plan sees no OpenCL at all
#   - cl* functions are called in src/cl, tools/mask, tools/bench, docs/examples and tests only
#   - tools and examples include public headers and files of their own folder
set(rank_base 0)
set(rank_plan 1)
set(rank_cl 1)
set(rank_device 2)
set(rank_mem 3)
set(rank_context 4)
set(rank_tensor 5)
set(rank_ops 6)
set(rank_graph 7)
set(rank_tape 8)
set(rank_func 9)
set(rank_accum 9)
set(rank_records 10)

set(calls_allowed "^(src/cl|tools/mask|tools/bench|docs/examples|tests)/")
set(headers_allowed "^(src/cl/opencl\\.h|include/weir/interop_cl\\.h|(tools/mask|tools/bench|docs/examples|tests)/.*)$")
set(violations 0)

function(violation text)
    message(SEND_ERROR "${text}")
    math(EXPR violations "${violations} + 1")
    set(violations ${violations} PARENT_SCOPE)
endfunction()

file(GLOB_RECURSE files RELATIVE "${ROOT}"
    "${ROOT}/src/*.[ch]" "${ROOT}/include/*.h" "${ROOT}/tools/*.[ch]" "${ROOT}/docs/examples/*.[ch]"
    "${ROOT}/tests/*.[ch]")
foreach(file IN LISTS files)
    file(READ "${ROOT}/${file}" text)
    # Lists must not be split within a line, and comments and strings are not code.
    string(REPLACE ";" " " text "${text}")
    string(REPLACE "[" " " text "${text}")
    string(REPLACE "]" " " text "${text}")
    string(REPLACE "\\\"" "" text "${text}")
    string(REGEX REPLACE "/\\*([^*]|\\*+[^*/])*\\*+/" " " text "${text}")
    string(REGEX REPLACE "//[^\n]*" "" text "${text}")

    set(room "")
    if(file MATCHES "^src/([a-z]+)/")
        set(room "${CMAKE_MATCH_1}")
        if(NOT DEFINED rank_${room})
            violation("${file}: room ${room} has no rank")
            continue()
        endif()
    endif()

    string(REGEX MATCHALL "#[ \t]*include[ \t]*[\"<][^\">\n]*[\">]" includes "${text}")
    foreach(line IN LISTS includes)
        string(REGEX REPLACE "^[^\"<]*[\"<]([^\">]*)[\">]$" "\\1" name "${line}")
        if(name MATCHES "^CL/" AND NOT file MATCHES "${headers_allowed}")
            violation("${file}: only src/cl/opencl.h may include <${name}>")
        endif()
        if(NOT line MATCHES "\"")
            continue()
        endif()
        string(REGEX MATCH "^[a-z]+" other "${name}")
        if(name MATCHES "/" AND DEFINED rank_${other})
            if(other STREQUAL "cl" AND EXISTS "${ROOT}/${name}" AND NOT EXISTS "${ROOT}/src/${name}")
                continue() # a text of the folder cl/, which the host compiles too
            endif()
            if(room AND NOT other STREQUAL room AND NOT rank_${other} LESS rank_${room})
                violation("${file}: ${room} may not include \"${name}\"")
            elseif(file MATCHES "^(tools|docs|include)/")
                violation("${file}: private header \"${name}\"")
            endif()
        endif()
    endforeach()

    if(NOT file MATCHES "${calls_allowed}")
        string(REGEX REPLACE "\"[^\"\n]*\"" "\"\"" text "${text}")
        string(REGEX MATCHALL "(^|[^A-Za-z0-9_])cl[A-Z][A-Za-z0-9]*[ \t\n]*\\(" calls "${text}")
        foreach(call IN LISTS calls)
            string(REGEX REPLACE ".*(cl[A-Z][A-Za-z0-9]*).*" "\\1" call "${call}")
            violation("${file}: calls ${call}")
        endforeach()
    endif()
endforeach()
list(LENGTH files count)
message(STATUS "${count} files, ${violations} violations")
if(count EQUAL 0)
    message(FATAL_ERROR "no files in ${ROOT}")
endif()

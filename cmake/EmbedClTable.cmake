# Kernel texts inside the library.
#
# weir_embed_cl(FILE...)        names texts to embed: of the calling folder, or absolute (a generated one, whose target
#                               weir_generated then depends on)
# weir_embed_cl_table(TARGET)   once, after all of these: adds the table declared in src/cl/embedded.h to TARGET
#
# A text becomes a list of numbers and not a string literal: literals over 4095 bytes and bytes over 127 in a char
# array both give warnings.
set(WEIR_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_DIR}/EmbedCl.cmake")

function(weir_embed_cl)
    foreach(file IN LISTS ARGN)
        cmake_path(ABSOLUTE_PATH file NORMALIZE)
        set_property(GLOBAL APPEND PROPERTY WEIR_CL_TEXTS "${file}")
    endforeach()
endfunction()

function(weir_embed_cl_table target)
    get_property(texts GLOBAL PROPERTY WEIR_CL_TEXTS)
    set(dir "${PROJECT_BINARY_DIR}/embed")
    set(arrays "")
    set(rows "")
    foreach(text IN LISTS texts)
        cmake_path(GET text FILENAME name)
        string(MAKE_C_IDENTIFIER "text_${name}" symbol)
        set(out "${dir}/${name}.inc")
        add_custom_command(OUTPUT "${out}"
            COMMAND "${CMAKE_COMMAND}" "-DIN=${text}" "-DOUT=${out}" -P "${WEIR_EMBED_SCRIPT}"
            DEPENDS "${text}" "${WEIR_EMBED_SCRIPT}"
            COMMENT "Embedding ${name}" VERBATIM)
        target_sources(${target} PRIVATE "${out}")
        string(APPEND arrays "static const unsigned char ${symbol}[] = {\n#include \"${name}.inc\"\n};\n")
        string(APPEND rows "    {\"${name}\", ${symbol}, sizeof ${symbol} - 1},\n")
    endforeach()
    file(CONFIGURE OUTPUT "${dir}/embedded.c" @ONLY CONTENT [[
/* Made by cmake/EmbedClTable.cmake from the list in cl/CMakeLists.txt. */
#include "cl/embedded.h"

@arrays@
const wi_embedded wi_embedded_texts[] = {
@rows@    {0, 0, 0},
};
]])
    target_sources(${target} PRIVATE "${dir}/embedded.c")
    target_include_directories(${target} PRIVATE "${dir}")
endfunction()

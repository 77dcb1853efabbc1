# weir_target(T): the compiler settings that every target of the project shares. There are no global flags.
#
# -ffp-contract=off: results must be the same bits as on the devices, so no compiler may fuse a*b+c on its own.
set(WEIR_WARNINGS
    -Wall -Wextra -pedantic -Wconversion -Wsign-conversion -Wshadow -Wundef -Wstrict-prototypes
    -Wmissing-prototypes -Wvla -Wformat=2)

if(WEIR_TIDY)
    find_program(WEIR_CLANG_TIDY NAMES clang-tidy clang-tidy-14 REQUIRED)
endif()

function(weir_target target)
    set_target_properties(${target} PROPERTIES
        C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF C_VISIBILITY_PRESET hidden)
    target_compile_definitions(${target} PRIVATE
        _POSIX_C_SOURCE=200809L _DEFAULT_SOURCE WEIR_CHECKS=${WEIR_CHECKS})
    target_compile_options(${target} PRIVATE
        ${WEIR_WARNINGS} -ffp-contract=off $<$<BOOL:${WEIR_WERROR}>:-Werror>)
    if(WEIR_SANITIZE)
        list(JOIN WEIR_SANITIZE "," sanitizers)
        target_compile_options(${target} PRIVATE
            -fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
        target_link_options(${target} PRIVATE -fsanitize=${sanitizers})
    endif()
    if(WEIR_TIDY)
        set_target_properties(${target} PROPERTIES C_CLANG_TIDY "${WEIR_CLANG_TIDY};--quiet")
    endif()
endfunction()

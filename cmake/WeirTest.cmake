# Tests.
#
#   weir_unit_test(NAME SOURCE... [options])    host only; linked with the library's objects, sees private headers
#   weir_api_test(NAME SOURCE... [options])     linked with the library, so that a missing WEIR_API is a failed build
#   weir_fault_test(NAME SOURCE... [options])   linked with the objects; WRAP lists functions whose calls go to
#                                               __wrap_X of the test (ld --wrap)
# Options: LIBRARIES ...  LABELS ... (besides unit, api, fault; "tagged": also runs on the slow implementations)
#          TIMEOUT seconds (default 900: to end what hangs, not what is slow)  ENVIRONMENT VAR=value ...
# Each makes the program KIND_NAME and the ctest entry KIND.NAME. A test's own seed, devices and scale come from
# WEIR_TEST_* variables; here are only the ones that keep caches inside the build tree.
pkg_check_modules(CRITERION REQUIRED IMPORTED_TARGET criterion)

# A Criterion program without tests, or with a filter that matches none, exits 0.
set(WEIR_NO_TESTS "Tested: 0 ")

# Criterion ignores the exit code of a worker after its test ended, where LeakSanitizer reports; abort() it sees.
set(WEIR_TEST_ENVIRONMENT
    "POCL_CACHE_DIR=${WEIR_TEST_CACHE_DIR}/pocl"
    "XDG_CACHE_HOME=${WEIR_TEST_CACHE_DIR}/xdg"
    "ASAN_OPTIONS=abort_on_error=1:detect_stack_use_after_return=1"
    "UBSAN_OPTIONS=print_stacktrace=1")
file(MAKE_DIRECTORY "${WEIR_TEST_CACHE_DIR}/pocl" "${WEIR_TEST_CACHE_DIR}/xdg")

function(weir_test_entry name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "LABELS;ENVIRONMENT")
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 900)
    endif()
    set_tests_properties(${name} PROPERTIES
        TIMEOUT ${arg_TIMEOUT}
        LABELS "${arg_LABELS}"
        ENVIRONMENT "${WEIR_TEST_ENVIRONMENT};${arg_ENVIRONMENT}")
endfunction()

function(weir_criterion_test kind name library)
    cmake_parse_arguments(PARSE_ARGV 3 arg "" "TIMEOUT" "LIBRARIES;LABELS;ENVIRONMENT;WRAP")
    set(target ${kind}_${name})
    add_executable(${target} ${arg_UNPARSED_ARGUMENTS})
    weir_target(${target})
    target_link_libraries(${target} PRIVATE ${arg_LIBRARIES})
    if(TARGET weir_test_support)
        target_link_libraries(${target} PRIVATE weir_test_support)
    endif()
    target_link_libraries(${target} PRIVATE ${library} PkgConfig::CRITERION Threads::Threads m)
    add_dependencies(${target} weir_generated)
    foreach(function IN LISTS arg_WRAP)
        target_link_options(${target} PRIVATE "LINKER:--wrap=${function}")
    endforeach()
    add_test(NAME ${kind}.${name} COMMAND ${target})
    weir_test_entry(${kind}.${name} LABELS ${kind} ${arg_LABELS} TIMEOUT ${arg_TIMEOUT}
        ENVIRONMENT ${arg_ENVIRONMENT})
    set_tests_properties(${kind}.${name} PROPERTIES
        FAIL_REGULAR_EXPRESSION "${WEIR_NO_TESTS};Invalid (read|write) of size")
endfunction()

function(weir_unit_test name)
    weir_criterion_test(unit ${name} weir_objs ${ARGN})
endfunction()

function(weir_api_test name)
    weir_criterion_test(api ${name} weir ${ARGN})
endfunction()

function(weir_fault_test name)
    weir_criterion_test(fault ${name} weir_objs ${ARGN})
endfunction()

# tools/dev lint: the checks of tools/lint, one line each. All are run, whatever the first one says.

WEIR_LINT_CHECKS="format layers lengths kernel_words kernels scripts tidy cppcheck"

lint_build() { # compile commands, and the headers that the build writes
    cmake --preset dev -B "$WEIR_DEV_ROOT/build/lint" -DCMAKE_C_COMPILER=clang &&
        cmake --build "$WEIR_DEV_ROOT/build/lint" --target weir_lint_sources
}

dev_lint() {
    local check failed=0 checks=$WEIR_LINT_CHECKS scripts=$WEIR_DEV_ROOT/tools/lint
    local build=$WEIR_DEV_ROOT/build/lint
    if [ "${1:-}" = --list ]; then
        # shellcheck disable=SC2086
        printf '%s\n' $checks
        return 0
    fi
    [ $# -eq 0 ] || checks=$*
    for check in $checks; do
        if [ ! -x "$scripts/$check" ]; then
            complain "no check $check; there are: $WEIR_LINT_CHECKS"
            return 2
        fi
    done
    require "$WEIR_NEEDS_BUILD" "$WEIR_NEEDS_LINT"
    for check in $checks; do
        case $check in
        tidy)
            step lint-build "lint: compile commands" lint_build &&
                step lint-tidy "lint: tidy" "$scripts/tidy" . "$build" || failed=1
            ;;
        cppcheck)
            step lint-cppcheck "lint: cppcheck" "$scripts/cppcheck" . "$build/include" || failed=1
            ;;
        *)
            step "lint-$check" "lint: $check" "$scripts/$check" . || failed=1
            ;;
        esac
    done
    return $failed
}

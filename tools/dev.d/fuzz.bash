# tools/dev fuzz: the fuzz targets, longer than the tests run them.

dev_fuzz() {
    local seconds=${1:-60} build=$WEIR_DEV_ROOT/build/fuzz
    case $seconds in
    '' | *[!0-9]*)
        echo "tools/dev fuzz: '$seconds' is no number of seconds" >&2
        exit 2
        ;;
    esac
    require "$WEIR_NEEDS_BUILD" 'cmd:clang|clang|libFuzzer'
    step fuzz.configure 'configure' cmake --preset fuzz -DWEIR_FUZZ_SECONDS="$seconds" -DWEIR_FUZZ_SEED=0
    step fuzz.build 'build' cmake --build --preset fuzz
    step fuzz.run "fuzz, $seconds s each" ctest --test-dir "$build" -L fuzz --output-on-failure
}

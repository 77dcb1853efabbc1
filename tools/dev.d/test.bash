# tools/dev test: everything that tests/matrix can run here.

dev_test() {
    require "$WEIR_NEEDS_BUILD" "$WEIR_NEEDS_TEST"
    prefer "$WEIR_NEEDS_EXTRA"
    find_implementations
    exec "$WEIR_DEV_ROOT/tests/matrix" "$@"
}

# tools/dev test: everything that tests/matrix can run here.

dev_test() {
    case " $* " in
    *' --help '* | *' -h '*) exec "$WEIR_DEV_ROOT/tests/matrix" --help ;; # and installs nothing
    esac
    WEIR_WANTS=$WEIR_NEEDS_EXTRA
    if [ $# -gt 0 ]; then # columns: nothing is fetched for others
        WEIR_WANTS=$(grep -E "\\|(all|$(tr ' ' '|' <<<"$*")): " <<<"$WEIR_NEEDS_EXTRA" || true)
    fi
    require "$WEIR_NEEDS_BUILD" "$WEIR_NEEDS_TEST"
    prefer "$WEIR_WANTS"
    find_implementations
    exec "$WEIR_DEV_ROOT/tests/matrix" "$@"
}

# tools/dev demo: from a bare machine to the table of `weir loop`.

dev_demo() {
    local build=$WEIR_DEV_ROOT/build/demo
    require "$WEIR_NEEDS_BUILD" "$WEIR_NEEDS_DEMO"
    step demo-configure "configuring a release" \
        cmake --preset release -B "$build" -DWEIR_TESTS=OFF || exit 1
    step demo-build "building" cmake --build "$build" || exit 1
    say
    exec "$build/tools/weir" loop "$@"
}

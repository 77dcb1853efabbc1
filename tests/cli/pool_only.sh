#!/usr/bin/env bash
# The example of docs/interop.md, a plain OpenCL program on weir's pool, on every device.
# shellcheck source-path=SCRIPTDIR source=cli.bash
. "$(dirname "$0")/cli.bash"
unset WEIR_POOL WEIR_LIMIT WEIR_MEMORY_DEBUG

count=0
for index in $(WEIR_TEST_DEVICES=all test_devices); do
    command_line="pool_only ${index%.*} ${index#*.}"
    for _ in 1 2; do # as in cli.bash: PoCL leaks when it compiles
        "$POOL_ONLY" "${index%.*}" "${index#*.}" >"$work/out" 2>"$work/err"
        code=$?
        grep -q LeakSanitizer "$work/err" || break
    done
    expect_code 0
    expect_stdout "^y is 500$"
    expect_stdout "^1001 blocks of 1023488 KiB together$"
    expect_stdout "^at most 2048 KiB in use at a time, in no more than 4 MiB of buffers$"
    expect_stdout "^clCreateBuffer was called ten times at most$"
    count=$((count + 1))
done
check "no device" test "$count" -gt 0
"$POOL_ONLY" 15 >"$work/out" 2>"$work/err"
code=$?
expect_code 1
finish

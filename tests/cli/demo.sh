#!/usr/bin/env bash
# What tools/dev demo makes of the tables of this program: three sentences with the numbers of the JSON.
# shellcheck source-path=SCRIPTDIR source=cli.bash
. "$(dirname "$0")/cli.bash"
unset WEIR_DEVICE WEIR_POOL WEIR_LIMIT WEIR_MEMORY_DEBUG
WEIR_DEVICE=$(test_devices | head -n 1)
export WEIR_DEVICE
# shellcheck disable=SC2317
say() { printf '%s\n' "$*"; }
# shellcheck source=/dev/null
. "$(dirname "$0")/../../tools/dev.d/demo.bash"

weir loop --steps 2000
expect_code 0
cp "$work/out" "$work/free"
weir loop --steps 2000 --limit 4M
expect_code 1
cp "$work/out" "$work/limited"
cp "$work/err" "$work/limited.err"
check "other failures are seen" only_out_of_memory "$work/limited"
weir loop --steps 2000 --limit 4M --json
expect_code 1
keep=$(json forms.0.error.message | sed 's/^step \([0-9]*\) .*/\1/')
tanh=$(json forms.4.error.message | sed 's/^step \([0-9]*\) .*/\1/')
command_line="teach"
teach "$work/free" "$work/limited" >"$work/out"
expect_stdout "^1\. .* 7\.8 MiB in 2001 blocks .* 4\.0 KiB in 1 "
expect_stdout "^2\. Under the limit of 4\.0 MiB, keep at step $keep and tape-tanh at step $tanh ran out of memory, .* at most 12\.0 KiB"
expect_stdout "^3\. .* 0 B of sums, 7\.8 MiB of tanh, .*\(none\); .* 1 launch.* 2000 at "
check "not three sentences" test "$(wc -l <"$work/out")" -eq 3
finish

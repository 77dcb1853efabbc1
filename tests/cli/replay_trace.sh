#!/usr/bin/env bash
# Bad traces: each ends with exit 2 and one line that names file, line and what was expected. Long ones are read in
# bounded memory.
# shellcheck source-path=SCRIPTDIR source=cli.bash
. "$(dirname "$0")/cli.bash"
unset WEIR_DEVICE WEIR_POOL WEIR_LIMIT WEIR_MEMORY_DEBUG
export OCL_ICD_VENDORS=$work/none
trace=$work/bad.csv

# refuse LINE EXPECTED... : the trace, whose first mistake is in LINE
refuse() {
    local line=$1
    shift
    weir replay "$trace" --json
    expect_usage "bad\.csv:$line: " "$@"
}
# lines LINE... : a trace with its heading
lines() { printf '%s\n' event,id,bytes,queue "$@" >"$trace"; }

: >"$trace"
refuse 1 "empty"
echo "alloc,1,2,0" >"$trace"
refuse 1 "heading" "event,id,bytes,queue"
head -c 100000 /dev/urandom | tr -d '\n' >"$trace"
refuse 1
head -c 100000 /dev/zero >"$trace"
refuse 1
printf '\177ELF\001\001\n\000\001\n' >"$trace"
refuse 1 "heading"
printf 'event,id,bytes,queue\nalloc,1,\0002,0\n' >"$trace"
refuse 2 "zero byte"
printf 'event,id,bytes,queue\nalloc,1,2,0\n\377\376\200,1,2,0\n' >"$trace"
refuse 3 "event" "live, alloc or free"
printf '\357\273\277event,id,bytes,queue\n' >"$trace"
refuse 1 "heading"

# Cut, in the middle of a line and of a number's column.
for cut in "alloc,2,4096," "alloc,2,4096" "alloc,2," "alloc,2" "alloc" "al" "free,1," "free,1"; do
    printf 'event,id,bytes,queue\nalloc,1,4096,0\n%s' "$cut" >"$trace"
    refuse 3
done
lines "" "alloc,1,2,0"
refuse 2
lines "alloc,1,2,0,9"
refuse 2 "column too many"
lines "alloc;1;2;0"
refuse 2 "event"

# Numbers.
for bytes in -1 -9223372036854775808 9223372036854775808 18446744073709551616 99999999999999999999999 0 1.5 1e3 0x10 "" \
    " 1" "1 " +1 4K NaN; do
    lines "alloc,1,$bytes,0"
    refuse 2 "bytes" "1 to 2\^63 - 1"
    lines "live,1,$bytes,0"
    refuse 2 "bytes"
done
for id in -1 18446744073709551616 x "" 1.0; do
    lines "alloc,$id,1,0"
    refuse 2 "id" "whole number"
    lines "free,$id,,0"
    refuse 2 "id"
done
for queue in -1 4294967296 x ""; do
    lines "alloc,1,1,$queue"
    refuse 2 "queue"
done
lines "alloc,1,9223372036854775807,0" "alloc,2,1,0"
refuse 3 "add up"

# Order.
lines "free,1,,0"
refuse 2 "names no block"
lines "alloc,1,1,0" "free,1,,0" "free,1,,0"
refuse 4 "names no block"
lines "alloc,1,1,0" "alloc,1,1,0"
refuse 3 "alive"
lines "live,1,1,0" "alloc,1,1,0"
refuse 3 "alive"
lines "alloc,1,1,0" "live,2,1,0"
refuse 3 "live lines first"
lines "live,1,1,0" "free,1,,0" "live,1,1,0"
refuse 4 "live lines first"
lines "alloc,1,1,0" "free,1,1,0"
refuse 3 "bytes"
lines "ALLOC,1,1,0"
refuse 2 "event"
{
    echo event,id,bytes,queue
    for i in $(seq 1 9000); do printf 'alloc,%d,256,0\n' "$i"; done
    for i in $(seq 1 9000); do printf 'free,%d,,0\n' "$i"; done
} >"$work/good.csv"
(head -n 1 "$work/good.csv" && tail -n +2 "$work/good.csv" | sort) >"$trace" # all frees last: still good
weir replay "$trace" --json
expect_code 0
expect_json events 18000
(head -n 1 "$work/good.csv" && tail -n +2 "$work/good.csv" | tac) >"$trace"
refuse 2 "names no block"

# Lines: 255 bytes are read, more are not, and a line without an end takes no memory.
printf 'event,id,bytes,queue\nalloc,%0238d,1,%010d\n' 1 0 >"$trace"
weir replay "$trace" --json
check "a long number crashes" test "$code" -le 2
printf 'event,id,bytes,queue\nalloc,%0300d,1,0\n' 1 >"$trace"
refuse 2 "255"
command_line="weir replay with a line of 1 GB"
{
    printf 'event,id,bytes,queue\nalloc,'
    head -c 1073741824 /dev/zero | tr '\0' 7
} | "$WEIR" replay - --json >"$work/out" 2>"$work/err"
code=${PIPESTATUS[1]}
expect_usage "standard input:2: " "255"

# What is no file.
weir replay "$work/nothing.csv"
expect_usage "nothing\.csv" "cannot be read"
weir replay "$work"
expect_usage "cannot be read"

# Ten million events pass through a pipe, and the program takes no more memory than for the few blocks alive at one time:
# a table of the ids alone would take five times as much.
events=$((10000000 / ${WEIR_TEST_SCALE:-1}))
command_line="$events events"
mkfifo "$work/pipe"
awk -v count=$((events / 2)) 'BEGIN {
    print "event,id,bytes,queue"
    for (i = 0; i < count; i++) printf "alloc,%d,%d,0\nfree,%d,,0\n", i, 1 + i % 5000, i
}' >"$work/pipe" &
"$WEIR" replay - --json --pool adaptive <"$work/pipe" >"$work/out" 2>"$work/err" &
child=$!
most=0 # KiB
while kill -0 "$child" 2>/dev/null; do
    now=$(awk '$1 == "VmHWM:" { print $2 }' "/proc/$child/status" 2>/dev/null)
    most=${now:-$most}
    sleep 0.05
done
wait "$child"
code=$?
expect_code 0
expect_json events "$events"
expect_json strategies.0.driver_allocs 1
if [ "${WEIR_TEST_SCALE:-1}" -eq 1 ]; then
    check "$most KiB of memory" test "$most" -gt 0 -a "$most" -le 16384
fi

# On a terminal progress is shown after a second; off it stderr stays empty, as above.
if command -v script >/dev/null; then
    command_line="weir replay on a terminal"
    (cat "$work/good.csv" && sleep 1.5 && echo "alloc,900001,256,0") >"$work/pipe" &
    TERM=xterm script -qec "$WEIR replay $work/pipe --pool growth" /dev/null >"$work/out" 2>"$work/err" </dev/null
    check "no progress on a terminal" grep -q "bytes of the trace: [0-9]" "$work/out"
    check "no table on a terminal" grep -q "growth" "$work/out"
fi
finish

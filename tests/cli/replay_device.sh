#!/usr/bin/env bash
# `weir replay --on-device`: what is really allocated is what the replay on numbers says, on every device.
# shellcheck source-path=SCRIPTDIR source=cli.bash
. "$(dirname "$0")/cli.bash"
unset WEIR_DEVICE WEIR_POOL WEIR_LIMIT WEIR_MEMORY_DEBUG
trace=$work/trace.csv
m=1048576

# Sizes are multiples of every alignment, so that rounding is alike; some requests fail under the limit.
{
    echo event,id,bytes,queue
    for i in 1 2 3; do echo "live,$i,$((i * m)),0"; done
    for i in $(seq 4 60); do
        echo "alloc,$i,$(((i * 37 % 50 + 1) * 65536)),0"
        [ $((i % 3)) -ne 0 ] || echo "free,$((i - 2)),,0"
        [ $((i % 3)) -ne 1 ] || echo "alloc,$((i + 1000)),4096,0"
    done
    echo "alloc,2000,$((24 * m)),0"
    echo "free,2000,,0"
    echo "free,1,,0"
} >"$trace"

count=0
for device in $(test_devices); do
    weir devices --json
    i=0
    while [ "$(json "records.$i.index" 2>/dev/null)" != "$device" ] && json "records.$i.index" >/dev/null 2>&1; do
        i=$((i + 1))
    done
    memory=$(json "records.$i.global_mem_size")
    largest=$(json "records.$i.max_mem_alloc_size")
    weir replay "$trace" --limit 48M --device-memory "$memory" --max-alloc "$largest" --no-compaction --json
    expect_code 0
    cp "$work/out" "$work/numbers"
    weir replay "$trace" --limit 48M --on-device "$device" --no-compaction --json
    expect_code 0
    check "stderr is not empty" test ! -s "$work/err"
    expect_json "" "events,peak_live,device,strategies"
    expect_json device.index "$device"
    for member in events peak_live strategies; do
        expect_json "$member" "$("$JSON_GET" "$member" <"$work/numbers")"
    done
    row=0
    while name=$(json "strategies.$row.name" 2>/dev/null); do
        for member in name peak_reserved peak_in_use driver_allocs driver_frees ooms; do
            expect_json "strategies.$row.$member" "$("$JSON_GET" "strategies.$row.$member" <"$work/numbers")"
        done
        expect_json_range "strategies.$row.ns_per_event" 1 1000000000
        [ "$name" = direct ] || expect_json_range "strategies.$row.ooms" 1 60
        row=$((row + 1))
    done
    check "$row strategies" test "$row" -eq 5
    count=$((count + 1))
done
check "no device" test "$count" -gt 0

# Sizes of many kinds under a tight limit: blocks are moved, and more requests succeed than on numbers, where none is.
awk 'BEGIN {
    print "event,id,bytes,queue"
    for (step = 0; step < 4000; step++) {
        x = (x * 69069 + 12345) % 4294967296
        if (held > 0 && (total > 50 * 1048576 || int(x / 65536) % 4 == 0)) {
            k = 1 + int(x / 256) % held
            print "free," id[k] ",,0"
            total -= bytes[k]; id[k] = id[held]; bytes[k] = bytes[held]; held--
        } else {
            held++; id[held] = ++last
            bytes[held] = int(4096 * 8 ^ (int(x / 256) % 4) * (0.5 + int(x / 65536) % 256 / 256))
            print "alloc," last "," bytes[held] ",0"
            total += bytes[held]
        }
    }
}' >"$work/mixed.csv"
weir replay "$work/mixed.csv" --limit 56M --pool adaptive --json --no-compaction
expect_code 0
expect_json strategies.0.compactions 0
failed=$(json strategies.0.ooms)
check "$failed requests fail where nothing moves" test "$failed" -gt 1
weir replay "$work/mixed.csv" --limit 56M --pool adaptive --json
expect_code 0
expect_json_range strategies.0.compactions 1 1000
expect_json_range strategies.0.ooms 0 $((failed - 1))
weir replay "$work/mixed.csv" --limit 56M --pool adaptive --json "--on-device=$device"
expect_code 0
expect_json_range strategies.0.compactions 1 1000
expect_json_range strategies.0.moved_bytes 4096 1000000000
expect_json_range strategies.0.ooms 0 $((failed - 1))

# The device stands in table and picture; the selector may be left out, and may be attached.
export WEIR_DEVICE=$device # an emulator is taken only when it is named
weir replay --on-device "$trace" --limit 48M --svg "$work/picture.svg"
expect_code 0
expect_stdout "on device $device: "
expect_stdout "with what the driver takes"
check "not well-formed" "$SVG_READ" <"$work/picture.svg" >"$work/read"
weir replay "--on-device=$device" --pool direct "$trace"
expect_code 0
expect_stdout "on device $device: "
command_line="weir replay - <trace"
"$WEIR" replay - --json --pool direct --on-device <"$trace" >"$work/out" 2>"$work/err"
code=$?
expect_code 0
expect_json peak_live "$("$JSON_GET" peak_live <"$work/numbers")"

# Mistakes.
weir replay "$trace" --on-device=9.9
expect_code 3
expect_stdout_empty
expect_stderr_lines 1
WEIR_DEVICE=9.9 weir replay "$trace" --on-device
expect_code 3
for given in "--on-device=$device:1" "--on-device $device:1"; do # a logical device, which a program of its own would make
    # shellcheck disable=SC2086 # two words
    weir replay $given "$trace"
    expect_code 3
    expect_stdout_empty
    expect_stderr "$device:1"
    expect_stderr "0 logical devices"
done
weir replay --on-device "$device:x" "$trace"
expect_usage "--on-device" "$device:x"
weir replay "$trace" --on-device=puddle
expect_usage "--on-device" "puddle"
weir replay "$trace" --on-device puddle # a second operand
expect_usage "puddle"
weir replay "$trace" --on-device=
expect_usage "--on-device"
for option in --device-memory --max-alloc; do
    weir replay "$trace" --on-device "$option" 1G
    expect_usage "$option" "--on-device"
done
weir replay - --on-device
expect_usage "--on-device" "--pool"
weir replay "$trace" --on-device --limit 8589934591G
expect_usage "--limit" "above the device"
for setting in WEIR_LIMIT=0 WEIR_MEMORY_DEBUG=9; do
    export "${setting?}"
    weir replay "$trace" --on-device
    expect_usage "${setting%=*}"
    unset "${setting%=*}"
done
weir replay "$work/nowhere.csv" --on-device
expect_usage "nowhere.csv"
printf 'event,id,bytes,queue\nalloc,1,100,0\nfree,2,,0\n' >"$work/bad.csv"
weir replay "$work/bad.csv" --on-device
expect_usage "bad.csv:3"
WEIR_DEVICE="" OCL_ICD_VENDORS=$work/none weir replay "$trace" --on-device
expect_code 3
expect_stdout_empty

# A driver that refuses buffers, and one that fails.
unset WEIR_DEVICE
export OCL_ICD_VENDORS=$work/null
weir replay "$trace" --on-device --pool direct --json
expect_code 0
expect_json strategies.0.ooms 0
WT_NULL_FAIL='clCreateBuffer:10+:-4' weir replay "$trace" --on-device --pool direct --json
expect_code 0
expect_json_range strategies.0.ooms 40 90
WT_NULL_FAIL='clCreateBuffer:10:-34' weir replay "$trace" --on-device --pool direct --json
expect_code 1
expect_stdout_empty
expect_stderr "clCreateBuffer"
WT_NULL_FAIL='clCreateContext:1:-6' weir replay "$trace" --on-device --json
expect_code 1
expect_stdout_empty
finish

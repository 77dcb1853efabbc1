#!/usr/bin/env bash
# `weir replay` on small traces whose answers are worked by hand; its options, its output and its picture.
# shellcheck source-path=SCRIPTDIR source=cli.bash
. "$(dirname "$0")/cli.bash"
unset WEIR_DEVICE WEIR_POOL WEIR_LIMIT WEIR_MEMORY_DEBUG
export OCL_ICD_VENDORS=$work/none # no device is asked
trace=$work/trace.csv
m=1048576

{
    echo event,id,bytes,queue
    for i in 1 2 3 4 5 6 7 8; do echo "alloc,$i,$((16 * m)),0"; done
    for i in 1 2 3 4 5 6 7 8; do echo "free,$i,,0"; done
    for i in 1 2 3 4; do echo "alloc,$i,$((32 * m)),0"; done # ids once more
} >"$trace"
weir replay "$trace" --json
expect_code 0
check "stderr is not empty" test ! -s "$work/err"
expect_json "" "events,peak_live,strategies"
expect_json events 20
expect_json peak_live $((128 * m))
expect_json strategies 5
i=0
for expected in prealloc growth "ondemand $((256 * m))" "direct $((128 * m))" "adaptive $((144 * m))"; do
    expect_json "strategies.$i" \
        "name,peak_reserved,peak_in_use,ratio,driver_allocs,driver_frees,ooms,compactions,moved_bytes,ns_per_event"
    expect_json "strategies.$i.name" "${expected% *}"
    [ "${expected#* }" = "$expected" ] || expect_json "strategies.$i.peak_reserved" "${expected#* }"
    expect_json "strategies.$i.ooms" 0
    expect_json "strategies.$i.compactions" 0
    expect_json "strategies.$i.moved_bytes" 0
    i=$((i + 1))
done
expect_json strategies.2.ratio 2
expect_json strategies.2.driver_allocs 12
expect_json strategies.2.driver_frees 0
expect_json strategies.3.driver_allocs 12
expect_json strategies.3.driver_frees 8
expect_json_range strategies.0.peak_reserved 16320000000 16330000000
expect_json_range strategies.0.ns_per_event 0.1 10000000

# Blocks that were there before count in peaks and not in counts; a bytes column of a free is empty; any queue.
printf 'event,id,bytes,queue\r\nlive,7,%d,0\r\nlive,18446744073709551615,1,3\r\nalloc,0,%d,1\r\nfree,7,,0\r\nfree,0,,1' \
    $((3 * m)) $((5 * m)) >"$trace"
weir replay --pool direct --json -- "$trace"
expect_code 0
expect_json events 5
expect_json peak_live $((8 * m + 1))
expect_json strategies 1
expect_json strategies.0.peak_reserved $((8 * m + 256))
expect_json strategies.0.peak_in_use $((8 * m + 256))
expect_json strategies.0.driver_allocs 1
expect_json strategies.0.driver_frees 2
weir replay --pool=direct --json "$trace" --no-compaction
expect_code 0
expect_json strategies.0.driver_allocs 1

# From standard input.
command_line="weir replay - <trace"
"$WEIR" replay - --json --pool direct <"$trace" >"$work/out" 2>"$work/err"
code=$?
expect_code 0
expect_json events 5

# Nothing at all.
echo event,id,bytes,queue >"$trace"
weir replay --json "$trace"
expect_code 0
expect_json events 0
expect_json peak_live 0
expect_json strategies.4.peak_reserved 0
weir replay "$trace" --svg "$work/none.svg"
expect_code 0
check "not well-formed" "$SVG_READ" <"$work/none.svg" >"$work/read"

# A block that cannot be had counts; it and its free are left out; the largest buffer and the limit hold.
printf 'event,id,bytes,queue\nalloc,1,%d,0\nalloc,2,%d,0\nalloc,3,%d,0\nfree,2,,0\nfree,1,,0\nalloc,4,%d,0\n' \
    $((6 * m)) $((6 * m)) $((20 * m)) $((6 * m)) >"$trace"
weir replay --pool direct --limit 8M --device-memory 1G --max-alloc 16M --json "$trace"
expect_code 0
expect_json strategies.0.ooms 2
expect_json strategies.0.driver_allocs 2
expect_json strategies.0.driver_frees 1
expect_json strategies.0.peak_reserved $((6 * m))
expect_json peak_live $((32 * m))
weir replay --pool growth --limit 50% --device-memory 16M --json "$trace"
expect_code 0
expect_json strategies.0.ooms 4 # the largest buffer is a quarter of the device
weir replay --pool growth --limit 50% --device-memory 16M --max-alloc 16M --json "$trace"
expect_code 0
expect_json strategies.0.ooms 2
expect_json strategies.0.peak_reserved $((8 * m))
weir replay --limit 1 --json "$trace"
expect_code 0
for i in 0 1 2 3 4; do
    expect_json "strategies.$i.ooms" 4
    expect_json "strategies.$i.peak_reserved" 0
done
weir replay --limit 1 "$trace"
expect_code 0
expect_stdout "4 requests fail"
weir replay --limit 16G --json "$trace"
expect_code 0

# Every other of many small blocks goes: with compaction a large one fits in their place.
{
    echo event,id,bytes,queue
    for i in $(seq 1 512); do echo "alloc,$i,$m,0"; done
    for i in $(seq 1 2 512); do echo "free,$i,,0"; done
    echo "alloc,1,$((100 * m)),0"
} >"$work/holes.csv"
weir replay "$work/holes.csv" --limit 512M --device-memory 1G --json
expect_code 0
expect_json strategies.4.ooms 0
expect_json_range strategies.4.compactions 1 100
expect_json_range strategies.4.moved_bytes $((50 * m)) $((200 * m))
expect_json_range strategies.4.peak_reserved $((512 * m)) $((512 * m))
for i in 0 1 2; do expect_json "strategies.$i.ooms" 1; done
weir replay "$work/holes.csv" --limit 512M --device-memory 1G --no-compaction --json
expect_code 0
expect_json strategies.4.ooms 1
expect_json strategies.4.compactions 0
expect_json strategies.4.moved_bytes 0
weir replay "$work/holes.csv" --limit 512M --device-memory 1G --svg "$work/holes.svg"
expect_code 0
check "not well-formed" "$SVG_READ" <"$work/holes.svg" >"$work/read"

# The table marks one row and says why.
{
    echo event,id,bytes,queue
    for i in $(seq 1 200); do printf 'alloc,%d,%d,0\nfree,%d,,0\n' "$i" $((i % 3 * m + 4096)) "$i"; done
} >"$trace"
weir replay "$trace"
expect_code 0
expect_stdout "^400 events"
check "not one row is marked" test "$(grep -c '^\*  ' "$work/out")" -eq 1
expect_stdout "^\*  adaptive "
expect_stdout "^\* [a-z]*: .*one buffer in twenty blocks"
weir replay "$trace" --pool direct
expect_code 0
check "a single row is marked" test "$(grep -c '^\*' "$work/out")" -eq 0

# The picture has each strategy's peaks.
weir replay "$trace" --json --svg "$work/picture.svg"
expect_code 0
check "not well-formed" "$SVG_READ" <"$work/picture.svg" >"$work/read"
if command -v xmllint >/dev/null; then check "xmllint refuses it" xmllint --noout "$work/picture.svg"; fi
i=0
while name=$(json "strategies.$i.name" 2>/dev/null); do
    for kind in in-use reserved; do
        largest=$(awk -v f="$name" -v k="$kind" '$1 == f && $2 == k { print $5 }' "$work/read")
        expected=$(json "strategies.$i.peak_$(tr - _ <<<"$kind")")
        [ "$expected" -le $((8 * m)) ] || continue # beyond the chart, twice what is in use
        check "$name $kind is drawn at ${largest:-nothing}, expected $expected" awk -v v="$largest" -v e="$expected" \
            'BEGIN { exit !(v ~ /^[0-9]+$/ && v >= e * 0.99 - 1 && v <= e * 1.01 + 1) }'
    done
    i=$((i + 1))
done
check "five strategies" test "$i" -eq 5
check "units" grep -q "1 KiB = 1024" "$work/read"
weir replay "$trace" --svg -
expect_code 0
check "not well-formed" "$SVG_READ" <"$work/out" >"$work/read"
weir replay "$trace" --svg "$work/nowhere/picture.svg"
expect_code 1
expect_stderr "cannot be written"

# Mistakes on the command line.
weir replay
expect_usage "TRACE"
weir replay "$trace" "$trace"
expect_usage "unexpected argument"
weir replay "$trace" --pool puddle
expect_usage "puddle" "all, prealloc, growth, ondemand, direct or adaptive"
for option in --limit --device-memory --max-alloc; do
    for size in 0 0K -1 x 1T "" 18446744073709551616; do
        weir replay "$trace" "$option" "$size"
        expect_usage "$option"
    done
done
weir replay "$trace" --limit 17G
expect_usage "--limit" "--device-memory"
weir replay "$trace" --limit 2M --device-memory 1M
expect_usage "--limit"
weir replay "$trace" --max-alloc 4K # buffers for all of the memory would be millions
expect_usage "largest buffer" "1/65536"
weir replay "$trace" --limit 64K --max-alloc 1
expect_usage "largest root" "--max-alloc"
weir replay "$trace" --svg - --json
expect_usage "--svg" "--json"
weir replay "$trace" --no-compaction=1
expect_usage "no-compaction"
finish

#!/usr/bin/env bash
# `weir bench`: its names, its JSON, peers that are missing. How fast anything is, is not tested.
# shellcheck source-path=SCRIPTDIR source=cli.bash
. "$(dirname "$0")/cli.bash"
unset WEIR_DEVICE WEIR_POOL WEIR_LIMIT WEIR_MEMORY_DEBUG WEIR_PEERS_DIR WEIR_PEERS_TORCH WEIR_PEERS_TF WEIR_TRACES_DIR
names="name,unit,value,repeats,peer,peer_value,peer_repeats,ratio,target,holds"

weir bench --help
expect_code 0
expect_stdout "loop.eager"
weir bench sideways
expect_usage "sideways" "loop.eager" "loop.function, capture.1000" "accumulate.f32"
for name in accumulate.bf16 as.call elementwise.exp elementwise.tanh random.normal sum.plain sum.compensated sum.exact \
    scatter.add matmul.1024 plan.resnet50 mlp.step; do
    weir bench "$name"
    expect_usage "$name" "not in this build"
done
weir bench sum # a group of which nothing is in this build
expect_usage "sum" "not in this build"
for name in al alloc. alloc.pai "" .pair; do
    weir bench "$name"
    expect_usage "unknown measurement"
done
weir bench plan.
expect_usage "plan\."
weir bench loop.eager sideways
expect_usage "sideways"
weir bench --peers
expect_usage "--peers" "missing"
weir bench --frob
expect_usage "--frob"
for setting in WEIR_DEVICE=puddle WEIR_POOL=puddle WEIR_LIMIT=0 WEIR_MEMORY_DEBUG=9; do
    export "${setting?}"
    weir bench alloc.pair
    expect_usage "${setting%=*}"
    unset "${setting%=*}"
done

# Peers that are not there are named; the measurement is made all the same.
expect_no_peer() { # expect_no_peer REASON
    expect_code 0
    expect_json "" "machine,date,rows"
    expect_json rows 1
    expect_json rows.0 "$names"
    expect_json rows.0.name loop.variable
    expect_json rows.0.unit s
    expect_json rows.0.repeats 5
    expect_json_range rows.0.value 1e-9 600
    expect_json rows.0.peer_value null
    expect_json rows.0.peer_repeats 0
    expect_json rows.0.ratio null
    expect_json rows.0.holds null
    check "the peer's absence is not told" grep -q "missing: $1" <<<"$(json rows.0.peer)"
}
if [ "${WEIR_TEST_SCALE:-1}" -le 10 ]; then
    WEIR_DEVICE=$(test_devices | head -n 1)
    export WEIR_DEVICE
    weir bench loop.variable --json
    expect_no_peer "WEIR_PEERS_TORCH is not set"
    WEIR_PEERS_TORCH=/bin/true weir bench loop.variable --json
    expect_no_peer "neither --peers"
    WEIR_PEERS_TORCH=/nowhere/python weir bench loop.variable --json --peers "$work"
    expect_no_peer "the python of WEIR_PEERS_TORCH"
    WEIR_PEERS_TORCH=/bin/true weir bench loop.variable --json --peers "$work"
    expect_no_peer "the folder of peers has no torch_loop.py"
    : >"$work/torch_loop.py"
    WEIR_PEERS_TORCH=/bin/false weir bench loop.variable --json --peers "$work"
    expect_no_peer "torch_loop.py failed"
    # A peer that answers as the real one does.
    printf '#!/bin/sh\necho "{\\"peer\\": \\"torch 0\\", \\"seconds\\": 1000}"\n' >"$work/python"
    chmod +x "$work/python"
    WEIR_PEERS_TORCH=$work/python WEIR_PEERS_DIR=$work weir bench loop.variable --json
    expect_code 0
    expect_json rows.0.peer "torch 0 inplacebuf"
    expect_json rows.0.peer_value 1000
    expect_json rows.0.peer_repeats 5
    expect_json rows.0.target "ratio <= 1.5"
    expect_json rows.0.holds true
    expect_json_range rows.0.ratio 1e-12 1
    # A function has a row for each of its peers: by hand, and each framework.
    : >"$work/jax_loop.py"
    WEIR_PEERS_TF=$work/python WEIR_PEERS_DIR=$work weir bench loop.function capture.1000 --json
    expect_code 0
    expect_json rows 6
    for i in 0 1 2 3 4; do
        expect_json "rows.$i.name" loop.function
        expect_json "rows.$i.repeats" 5
        expect_json_range "rows.$i.value" 1e-9 600
    done
    expect_json rows.0.peer "float8 kernel by hand"
    expect_json rows.0.peer_repeats 5
    expect_json rows.0.target "ratio <= 1.3"
    expect_json_range rows.0.ratio 1e-3 1e3
    check "torch is not told to be missing" grep -q "WEIR_PEERS_TORCH is not set" <<<"$(json rows.1.peer)"
    expect_json rows.2.peer "torch 0 jit"
    expect_json rows.2.target "ratio <= 0.2"
    expect_json rows.2.holds true
    check "no script is not told" grep -q "the folder of peers has no tf_loop.py" <<<"$(json rows.3.peer)"
    expect_json rows.5.name capture.1000
    expect_json rows.5.repeats 9
    expect_json rows.5.target "value <= 0.02"
    weir bench loop.tape --json
    expect_code 0
    expect_json rows 1
    expect_json rows.0.peer "weir's eager loop"
    expect_json rows.0.peer_repeats 5
    expect_json_range rows.0.ratio 1e-3 1e3
fi

# The rows of the pool: each has its peer, and pyopencl may be missing.
expect_row() { # expect_row NUMBER NAME REPEATS PEER TARGET
    expect_json "rows.$1.name" "$2"
    expect_json "rows.$1.unit" s
    expect_json "rows.$1.repeats" "$3"
    expect_json_range "rows.$1.value" 1e-10 1
    expect_json "rows.$1.peer" "$4"
    expect_json "rows.$1.target" "$5"
}
if [ "${WEIR_TEST_SCALE:-1}" -le 1 ]; then
    WEIR_DEVICE=$(test_devices | head -n 1)
    export WEIR_DEVICE
    WEIR_PEERS_TORCH=/bin/false WEIR_PEERS_TF=$work/python weir bench alloc --json
    expect_code 0
    expect_json rows 11
    expect_row 0 alloc.pair 9 null "value <= 4e-08"
    expect_json rows.0.peer_repeats 0
    expect_row 1 alloc.pair 9 "malloc(4096) + free" "ratio <= 2.5"
    expect_row 2 alloc.pair 9 "clCreateBuffer + clReleaseMemObject" "ratio <= 1"
    expect_row 3 alloc.pair 9 "torch 0 MemoryPool" "ratio <= 1"
    expect_json rows.3.peer_value 1000
    expect_row 4 alloc.pair 9 "the same beside 10 live blocks; here 1000" "ratio <= 1.5"
    expect_row 5 alloc.pair 9 "the same beside 10 live blocks; here 1000000" "ratio <= 1.5"
    expect_row 6 alloc.mixed 9 "malloc + free" none
    expect_json rows.6.holds null
    expect_row 7 alloc.mixed 9 "clCreateBuffer + clReleaseMemObject" none
    for i in 8 9 10; do
        expect_row $i alloc.threads 9 "malloc(4096) + free, $((1 << (i - 7))) threads each" none
    done
    for i in 1 2 4 5 6 7 8 9 10; do
        expect_json "rows.$i.peer_repeats" 9
        expect_json_range "rows.$i.ratio" 1e-4 1e4
    done
fi
unset WEIR_DEVICE
weir bench replay.events --json
expect_code 0
expect_json rows 1
expect_json rows.0.unit "events/s"
expect_json rows.0.repeats 9
expect_json_range rows.0.value 1e3 1e12
expect_json rows.0.peer null
expect_json rows.0.target "value >= 1e+07"
mkdir "$work/traces"
WEIR_TRACES_DIR=$work/traces weir bench replay.events
expect_code 1
expect_stdout "replay.events: no .csv in WEIR_TRACES_DIR"
printf 'event,id,bytes,queue\nlive,1,4096,0\nalloc,2,70000,0\nfree,1,,0\n' >"$work/traces/a.csv"
printf 'event,id,bytes,queue\nalloc,1,100,0\n' >"$work/traces/b.csv"
WEIR_TRACES_DIR=$work/traces weir bench replay.events --json
expect_code 0
expect_json rows.0.repeats 9
printf 'event,id,bytes,queue\nfree,1,,0\n' >"$work/traces/c.csv"
WEIR_TRACES_DIR=$work/traces weir bench replay.events
expect_code 2
weir bench replay.roots --json
expect_code 0
expect_json rows 1
expect_json rows.0.unit "events/s"
expect_json rows.0.repeats 9
expect_json rows.0.peer_repeats 9
expect_json rows.0.target "value >= 1e+06"
expect_json rows.0.peer "the same beside 20; here 32000"
expect_json_range rows.0.value 1e3 1e12

# The choice of a device beside clinfo, and the reader of texts.
weir bench select.live select.read --json
expect_code 0
expect_json rows 2
expect_json rows.0.name select.live
expect_json rows.0.unit s
expect_json rows.0.repeats 9
expect_json_range rows.0.value 1e-4 600
expect_json rows.0.target "value - peer <= 0.1"
if command -v clinfo >/dev/null; then
    expect_json rows.0.peer "clinfo -l"
    expect_json rows.0.peer_repeats 9
fi
expect_json rows.1.name select.read
expect_json rows.1.repeats 9
expect_json_range rows.1.value 1e-5 60
expect_json rows.1.peer null
expect_json rows.1.target "value <= 0.02"
command_line="weir bench select.live --json, without clinfo"
env PATH="$work/none" "$WEIR" bench select.live --json >"$work/out" 2>"$work/err"
code=$?
expect_code 0
expect_json rows.0.peer_repeats 0
check "clinfo is not told to be missing" grep -q "clinfo -l missing" <<<"$(json rows.0.peer)"

# Without a device there is JSON, too; without the null driver its row says so.
OCL_ICD_VENDORS=$work/none weir bench loop.eager --json
expect_code 3
expect_json rows.0 "$names"
expect_json rows.0.value null
expect_stderr_lines 1
OCL_ICD_VENDORS=$work/none weir bench alloc.pair loop.eager
expect_code 3
expect_stderr_lines 1
WEIR_NULL_VENDORS=$work/nowhere weir bench op.overhead
expect_code 0
expect_stdout "op.overhead: skipped: no null driver"
if [ -n "${NULL_ICD:-}" ] && [ "${WEIR_TEST_SCALE:-1}" -le 1 ]; then
    WEIR_NULL_VENDORS=$work/null weir bench op.overhead --json
    expect_code 0
    expect_json rows.0.repeats 5
    expect_json_range rows.0.value 1e-12 1
    expect_json_range rows.0.peer_value 1e-12 1
    WEIR_NULL_VENDORS=$work/null weir bench function.call --json
    expect_json rows.0.repeats 5
    expect_json_range rows.0.value 1e-12 1
fi
finish

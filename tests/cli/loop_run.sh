#!/usr/bin/env bash
# `weir loop` on every device: the memory each form holds, its counters, its bits against the host, its failures.
# shellcheck source-path=SCRIPTDIR source=cli.bash
. "$(dirname "$0")/cli.bash"
unset WEIR_DEVICE WEIR_POOL WEIR_LIMIT WEIR_MEMORY_DEBUG
scale=${WEIR_TEST_SCALE:-1}
steps=$((10000 / scale))
[ "$steps" -ge 10 ] || steps=10
names="form,status,seconds,first_seconds,peak_in_use,peak_reserved,driver_allocs,tape_saved_bytes,tape_host_bytes"
names="$names,kernels_launched,gradient,checksum,error"

all="keep eager variable tape tape-tanh stop function"
count=$(wc -w <<<"$all")

index_of() { # the place of a form in the list
    local i=0 form
    for form in $all; do
        [ "$form" != "$1" ] || break
        i=$((i + 1))
    done
    echo "$i"
}

# What each form keeps: index, kernels a step, tape's bytes a step, gradient.
expect_form() {
    local i form=$1 kernels=$2 saved=$3 gradient=$4
    i=$(index_of "$form")
    expect_json "forms.$i" "$names"
    expect_json "forms.$i.form" "$form"
    expect_json "forms.$i.status" ok
    expect_json "forms.$i.error" null
    expect_json "forms.$i.gradient" "$gradient"
    expect_json "forms.$i.tape_saved_bytes" $((saved * steps))
    expect_json "forms.$i.kernels_launched" "$kernels"
    expect_json_range "forms.$i.seconds" 1e-9 600
    expect_json_range "forms.$i.first_seconds" 1e-9 600
}

# All forms at whole length: 41 MB in keep and tape-tanh, a few blocks in the others; the same bits but for tape-tanh.
check_forms() {
    local device=$1 i form reference early room launches
    weir loop --device "$device" --steps 3 --json
    expect_code 0
    early=$(json forms.1.driver_allocs)
    weir loop --device "$device" --steps 1 --json
    early="$early $(json forms.2.driver_allocs)"
    weir loop --device "$device" --steps "$steps" --json
    expect_code 0
    check "stderr is not empty" test ! -s "$work/err"
    expect_json "" "device,steps,shape,pool,limit,forms"
    expect_json device "index,platform,name,class"
    expect_json steps "$steps"
    expect_json shape 2
    expect_json shape.1 1024
    expect_json pool adaptive
    expect_json limit null
    expect_json forms "$count"
    expect_form keep "$steps" 0 null
    expect_form eager "$steps" 0 null
    expect_form variable "$steps" 0 null
    expect_form tape "$steps" 0 ones
    expect_form tape-tanh $((2 * steps)) 4096 dense
    expect_form stop "$steps" 0 none
    # One launch for all steps where they do not take long; a driver that is slow gets pieces.
    i=$(index_of function)
    launches=$(json "forms.$i.kernels_launched")
    [ "$scale" -le 10 ] || expect_json_range "forms.$i.kernels_launched" 1 "$steps"
    [ "$scale" -gt 10 ] || launches=1
    expect_form function "$launches" 0 null
    expect_json "forms.$i.driver_allocs" 0
    reference=$("$LOOP_REFERENCE" 1024 "$steps" 1)
    # At the whole length a tape takes at most 64 bytes an operation, all counted.
    room=$((steps < 10000 ? 16384 : 0))
    for form in $all; do
        i=$(index_of "$form")
        case $form in
        tape-tanh) expect_json "forms.$i.checksum" "$("$LOOP_REFERENCE" 1024 "$steps" 1 tanh)" ;;
        *) expect_json "forms.$i.checksum" "$reference" ;;
        esac
        case $form in
        tape) expect_json_range "forms.$i.tape_host_bytes" 1 $((64 * steps + room)) ;;
        tape-tanh) expect_json_range "forms.$i.tape_host_bytes" 1 $((2 * 64 * steps + room)) ;;
        stop) expect_json_range "forms.$i.tape_host_bytes" 0 16384 ;;
        *) expect_json "forms.$i.tape_host_bytes" 0 ;;
        esac
        case $form in
        keep) expect_json_range "forms.$i.peak_in_use" $((4096 * (steps + 1))) $((4096 * (steps + 2))) ;;
        tape-tanh) expect_json_range "forms.$i.peak_in_use" $((4096 * (steps + 1))) $((4096 * (steps + 4))) ;;
        variable) expect_json "forms.$i.peak_in_use" 4096 ;;
        eager) expect_json_range "forms.$i.peak_in_use" 4096 $((3 * 4096)) ;;
        *) expect_json_range "forms.$i.peak_in_use" 4096 $((4 * 4096)) ;;
        esac
    done
    expect_json forms.1.driver_allocs "${early% *}"
    expect_json forms.2.driver_allocs "${early#* }"
}

# Bits against the host for shapes that fill vectors and that do not, and for seeds of more than 32 bits.
check_bits() {
    local device=$1 shape seed count
    while read -r shape count; do
        for seed in 1 0 18446744073709551615; do
            weir loop --device "$device" --form variable --steps 7 --shape "$shape" --seed "$seed" --json
            expect_code 0
            expect_json forms.0.checksum "$("$LOOP_REFERENCE" "$count" 7 "$seed")"
        done
    done <<'SHAPES'
1 1
3 3
5,7 35
2,3,4,5 120
1,1,1,1,1,1,1,1031 1031
4099 4099
SHAPES
    weir loop --device "$device" --steps 5 --shape "" --json
    expect_code 0
    expect_json shape 0
    for i in $(seq 0 $((count - 1))); do
        [ "$i" -eq "$(index_of tape-tanh)" ] || expect_json "forms.$i.checksum" "$("$LOOP_REFERENCE" 1 5 1)"
    done
}

check_nothing_to_do() {
    local device=$1 i form
    weir loop --device "$device" --steps 0 --json
    expect_code 0
    for i in $(seq 0 $((count - 1))); do
        expect_json "forms.$i.status" ok
        expect_json "forms.$i.checksum" "$("$LOOP_REFERENCE" 1024 0 1)"
        # A loop that is one kernel runs it with no trips.
        if [ "$i" -eq "$(index_of function)" ]; then
            expect_json_range "forms.$i.kernels_launched" 0 1
        else
            expect_json "forms.$i.kernels_launched" 0
        fi
        expect_json "forms.$i.tape_saved_bytes" 0
    done
    for form in tape tape-tanh stop; do expect_json "forms.$(index_of "$form").gradient" ones; done
    weir loop --device "$device" --steps 9 --shape 4,0,2 --json
    expect_code 0
    for i in $(seq 0 $((count - 1))); do
        expect_json "forms.$i.status" ok
        expect_json "forms.$i.peak_in_use" 0
        expect_json "forms.$i.driver_allocs" 0
        expect_json "forms.$i.checksum" ef46db3751d8e999
    done
    weir loop --device "$device" --steps 0
    expect_code 0
}

# A context whose self-check finds no memory.
check_limit_of_the_self_check() {
    weir loop --device "$1" --form eager --limit 4095 --steps 1 --json
    expect_code 1
    expect_json forms.0.status out_of_memory
    expect_json forms.0.error.oom.requested 4096
    expect_json forms.0.error.oom.reserved 0
    expect_json forms.0.error.oom.limit 4095
    expect_json forms.0.error.oom.cause limit
}

# Beyond what a signed 64-bit integer holds.
check_huge_limit() {
    weir loop --device "$1" --form eager --limit 17179869183G --steps 1 --shape 4 --json
    expect_code 0
    expect_json_range limit 1.8e19 1.9e19
}

# States of 1 MiB under 16 MiB: keep ends with a report, the flat forms do not notice.
# tape-tanh ends likewise, and what fills the memory is the tape.
check_limit() {
    local device=$1 pool form i
    # Strategies are tested on their own; slow devices see one.
    for pool in adaptive growth prealloc direct; do
        [ "$pool" = adaptive ] || [ "$scale" -le 10 ] || continue
        weir loop --device "$device" --pool "$pool" --limit 16M --shape 262144 --steps 24 --json
        expect_code 1
        expect_json pool "$pool"
        expect_json limit 16777216
        expect_json forms.0.status out_of_memory
        expect_json forms.0.checksum null
        expect_json forms.0.error "status,message,hint,oom"
        expect_json forms.0.error.oom "requested,in_use,reserved,limit,largest_free,cause,owners"
        expect_json forms.0.error.oom.requested 1048576
        expect_json forms.0.error.oom.limit 16777216
        expect_json forms.0.error.oom.cause limit
        expect_json forms.0.error.oom.owners.0.owner add
        expect_json_range forms.0.error.oom.owners.0.blocks 7 15
        expect_json_range forms.0.peak_reserved 1 16777216
        check "no step in the message" grep -q "^step [0-9]* of 24: " <<<"$(json forms.0.error.message)"
        check "no cure in the hint" grep -q "form variable" <<<"$(json forms.0.error.hint)"
        for form in eager variable tape stop function; do expect_json "forms.$(index_of "$form").status" ok; done
        i=$(index_of tape-tanh)
        expect_json "forms.$i.status" out_of_memory
        expect_json "forms.$i.gradient" null
        expect_json "forms.$i.error.oom.owners.0.owner" tape
        expect_json_range "forms.$i.error.oom.owners.0.blocks" 4 15
        check "no step in the message" grep -q "^step [0-9]* of 24: " <<<"$(json "forms.$i.error.message")"
        check "no cure in the hint" grep -q "stop.*smaller loop" <<<"$(json "forms.$i.error.hint")"
    done
    weir loop --device "$device" --form keep --limit 16M --shape 262144 --steps 24
    expect_code 1
    expect_stdout "out_of_memory"
    expect_stderr "held by add: [0-9]+ blocks"
    expect_stderr "step [0-9]+ of 24"
    expect_stderr "cure: "
    weir loop --device "$device" --form tape-tanh --limit 16M --shape 262144 --steps 24
    expect_code 1
    expect_stderr "held by tape: [0-9]+ blocks"
    expect_stderr "cure: .*stop"
    # Less than one state: no form can begin.
    weir loop --device "$device" --limit 1M --shape 1048576 --steps 3 --json
    expect_code 1
    for i in $(seq 0 $((count - 1))); do expect_json "forms.$i.status" out_of_memory; done
    weir loop --device "$device" --form variable --limit 50% --steps 2 --json
    expect_code 0
    expect_json_range limit 1 1e18
}

devices=$(test_devices)
check "no device to test on" test -n "$devices"
for device in $devices; do
    echo "device $device"
    check_forms "$device"
    check_bits "$device"
    check_nothing_to_do "$device"
    check_limit_of_the_self_check "$device"
    check_huge_limit "$device"
    [ "$scale" -gt 100 ] || check_limit "$device"
done
finish

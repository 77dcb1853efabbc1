#!/usr/bin/env bash
# Without a device `weir loop` ends with exit 3, a reason, and JSON that is whole.
# shellcheck source-path=SCRIPTDIR source=cli.bash
. "$(dirname "$0")/cli.bash"
unset WEIR_DEVICE WEIR_POOL WEIR_LIMIT WEIR_MEMORY_DEBUG

expect_no_device() {
    expect_code 3
    expect_json "" "device,steps,shape,pool,limit,forms"
    expect_json device null
    expect_json forms 0
    expect_stderr_lines 1
}

export OCL_ICD_VENDORS="$work/none"
weir loop --json
expect_no_device
expect_stderr "OCL_ICD_VENDORS"
weir loop
expect_code 3
expect_stdout_empty
expect_stderr_lines 1

export OCL_ICD_VENDORS="$work/broken"
weir loop --json
expect_no_device
expect_stderr "broken"

export OCL_ICD_VENDORS="$work/empty"
weir loop --json
expect_no_device

if [ -n "${NULL_ICD:-}" ]; then
    export OCL_ICD_VENDORS="$work/null"
    WT_NULL_DEVICES=0 weir loop --json
    expect_no_device
    weir loop --json --device 7.7
    expect_no_device
    expect_stderr "7\.7"
    weir loop --json --device "name~no such device"
    expect_no_device
    WEIR_DEVICE=7.7 weir loop --json
    expect_no_device
    weir loop --json --device type=accelerator
    expect_no_device

    # A driver that fails whatever it is asked about its device still lists it.
    WT_NULL_FAIL="clGetDeviceInfo:1+:-6" weir devices --json
    expect_code 0
    expect_json records.0.global_mem_size.error "-6"

    # A driver whose compiler refuses every program: the log is in the error, of every form.
    export WEIR_CACHE=0
    WT_NULL_BUILD_LOG="line 7: this compiler is out of order" weir loop --json
    expect_code 1
    expect_json forms 7
    for i in 0 1 2; do
        expect_json "forms.$i.status" build
        expect_json "forms.$i.checksum" null
        expect_json "forms.$i.error" "status,message,hint,oom"
        expect_json "forms.$i.error.status" build
        expect_json "forms.$i.error.oom" null
        check "the log is not in the message" grep -q "out of order" <<<"$(json "forms.$i.error.message")"
    done
    expect_stderr "out of order"
fi
finish

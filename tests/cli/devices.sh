#!/usr/bin/env bash
# `weir devices`: what it lists, as JSON and for people, and what it says without a device.
# shellcheck source-path=SCRIPTDIR source=cli.bash
. "$(dirname "$0")/cli.bash"
unset WEIR_DEVICE WEIR_POOL WEIR_LIMIT WEIR_MEMORY_DEBUG

# Live devices.
weir devices --json
expect_code 0
expect_json "" "source,records,warnings"
expect_json source live
check "stderr is not empty" test ! -s "$work/err"
expect_json_range records.0.global_mem_size 1 1e18
expect_json_range records.0.max_compute_units 1 1e6
expect_json_range records.0.mem_base_addr_align 8 1e6
expect_stdout '"index": "[0-9]+\.[0-9]+"'
expect_stdout '"class": "(discrete|integrated|cpu|software|accelerator|emulator)"'
weir devices
expect_code 0
expect_stdout "^[0-9]+\.[0-9]+  (discrete|integrated|cpu|software|accelerator|emulator)  "
expect_stdout "^FACT +VALUE +MEANING$"
expect_stdout "^memory +[0-9.]+ [KMGTP]iB +for all buffers together$"
check "blanks at an end of line" test -z "$(grep ' $' "$work/out")"
check "stderr is not empty" test ! -s "$work/err"
# A malformed setting is for those who would use it.
WEIR_LIMIT=nonsense weir devices --json
expect_code 0

# Bad usage; texts are the matter of devices_file.sh.
weir devices one two
expect_usage "two"
weir devices --frob
expect_usage "unknown option '--frob'"
weir devices --help
expect_code 0
expect_stdout "usage: weir devices"

# No device: exit 3, one line on stderr, JSON whole.
expect_none() { # expect_none PART OF THE REASON
    weir devices --json
    expect_code 3
    expect_json "" "source,records,warnings"
    expect_json records 0
    expect_stderr_lines 1
    expect_stderr "$1"
    weir devices
    expect_code 3
    expect_stderr_lines 1
    expect_stderr "$1"
    expect_stdout "drivers looked for:"
    expect_stdout "OCL_ICD_VENDORS=$OCL_ICD_VENDORS"
    expect_stdout "device nodes:"
    expect_stdout "this process: user [0-9]+, group "
}
export OCL_ICD_VENDORS="$work/none"
expect_none "no ICD files in $work/none \(OCL_ICD_VENDORS\)$"
export OCL_ICD_VENDORS="$work/broken"
expect_none "in $work/broken \(OCL_ICD_VENDORS\) name a library that is not there$"
expect_stdout "nothing.icd: /nowhere/libnothing.so"
mkdir "$work/unloadable"
echo "this is no library" >"$work/unloadable/libno.so"
echo "$work/unloadable/libno.so" >"$work/unloadable/no.icd"
export OCL_ICD_VENDORS="$work/unloadable"
expect_none "1 of 1 ICD entries in $work/unloadable \(OCL_ICD_VENDORS\) could not be loaded \(.*libno.so: "
expect_stdout "libno.so is there but could not be loaded: .*libno.so: "
container=lxc CUDA_VISIBLE_DEVICES=7 OCL_ICD_DEBUG=0 weir devices
expect_stdout "^  CUDA_VISIBLE_DEVICES=7$"
expect_stdout "^  OCL_ICD_DEBUG=0$"
expect_stdout "^inside a container"
export OCL_ICD_VENDORS="$work/empty"
expect_none "no OpenCL platform"
expect_stdout "empty.icd: names no library"
export OCL_ICD_VENDORS="$work/does-not-exist"
expect_none "cannot be opened"

# No loader: a shared library looks for it, and what needs none works without. One linked to it (a static build, other
# systems) cannot be started to tell.
if ! readelf -d "$WEIR" 2>/dev/null | grep -q "NEEDED.*libOpenCL"; then
    mkdir "$work/no-loader"
    : >"$work/no-loader/libOpenCL.so.1"
    : >"$work/no-loader/libOpenCL.so"
    path=${LD_LIBRARY_PATH:-}
    export LD_LIBRARY_PATH="$work/no-loader:$path" OCL_ICD_VENDORS="$work/none"
    expect_none "no OpenCL loader: .*libOpenCL.so.1: .*ocl-icd-libopencl1"
    weir loop --steps 1
    expect_code 3
    expect_stderr_lines 1
    expect_stderr "no OpenCL loader: .*libOpenCL.so.1: "
    "$WEIR" select - <"$(dirname "$0")/../data/records/list/raw.txt" >"$work/out" 2>"$work/err"
    code=$?
    expect_code 0
    export LD_LIBRARY_PATH="$path"
fi

if [ -n "${NULL_ICD:-}" ]; then
    export OCL_ICD_VENDORS="$work/null"
    export WT_NULL_DEVICES=0
    expect_none "platforms without devices: weir null"
    ROCR_VISIBLE_DEVICES=3 HIP_VISIBLE_DEVICES=0 expect_none "hidden by .*ROCR_VISIBLE_DEVICES"

    # Every kind of value, from a driver whose answers are known.
    export WT_NULL_DEVICES=2 WT_NULL_MEMORY=17179869184 WT_NULL_UNIFIED=1
    weir devices --json
    expect_code 0
    expect_json records 2
    expect_json records.1.index 0.1
    expect_json records.1.class integrated
    expect_json records.1.platform.name "weir null"
    expect_json records.1.name "weir null device"
    expect_json records.1.type.0 gpu
    expect_json records.1.global_mem_size 17179869184
    expect_json records.1.host_unified_memory true
    expect_json records.1.half_fp_config null
    expect_json records.0.quirks 0
    WT_NULL_NAME="llvmpipe (LLVM 0)" weir devices --json
    expect_json records.0.quirks.1 "name,effect,report"
    expect_json records.0.quirks.1.name llvmpipe-loops
    expect_stdout '"effect": "trips of a launch at most 65535: '
    cp "$work/out" "$work/quirks.json"
    WT_NULL_NAME="llvmpipe (LLVM 0)" weir devices
    expect_stdout "^quirk llvmpipe-compile: lanes of an item at most 1: "
    # What is read back has them again: they are found, not read.
    weir devices "$work/quirks.json" --json
    expect_code 0
    expect_json records.0.quirks 2
    expect_json warnings 0
    weir select "$work/quirks.json" --explain
    expect_stdout "^quirk llvmpipe-loops: "
    weir select "$work/quirks.json" --json
    expect_json candidates.0.quirks.0.name llvmpipe-compile
    WT_NULL_UNIFIED=0 weir devices --json
    expect_json records.0.class discrete
    WT_NULL_FAIL="clGetDeviceInfo:1+:-30" weir devices --json
    expect_code 0
    expect_json records.0.global_mem_size.error -30
    WT_NULL_FAIL="clGetDeviceIDs:1+:-5" weir devices --json
    expect_code 3
    expect_json warnings 1
    expect_stdout "CL_OUT_OF_RESOURCES"
    name=$(printf 'odd \377 name')
    WT_NULL_NAME=$name weir devices --json
    expect_code 0
    expect_json records.0.name "odd ? name"
    WT_NULL_TYPE=accelerator weir devices
    expect_code 0
    expect_stdout "None is taken unless"
fi

if [ -w /dev/full ]; then
    export WT_NULL_DEVICES=1
    command_line="weir devices --json >/dev/full"
    "$WEIR" devices --json >/dev/full 2>"$work/err"
    code=$?
    expect_code 1
    expect_stderr "cannot be written"
fi
finish

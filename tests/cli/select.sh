#!/usr/bin/env bash
# `weir select`: which device is taken and why, live and from texts.
# shellcheck source-path=SCRIPTDIR source=cli.bash
. "$(dirname "$0")/cli.bash"
unset WEIR_DEVICE WEIR_POOL WEIR_LIMIT
data=$(dirname "$0")/../data/records
keys="source,chosen,reason,candidates,warnings"

# Live: what every other command takes.
weir select --json
expect_code 0
expect_json "" "$keys"
expect_json source live
expect_json chosen "index,platform,name,class"
expect_json_range candidates.0.score 0 1e9
first=$(json chosen.index)
weir select
expect_code 0
expect_stdout "^$first "
WEIR_DEVICE=name~no-such-device weir select
expect_code 3
expect_stderr "name~no-such-device does not name it"
WEIR_DEVICE=bogus weir select
expect_usage "bogus"
weir select --pick "$first" --json
expect_code 0
expect_json chosen.index "$first"

# From a text, in which WEIR_DEVICE is no matter.
export OCL_ICD_VENDORS="$work/none"
WEIR_DEVICE=9.9 weir select "$data/human/g3.txt" --json
expect_code 0
expect_json "" "$keys"
expect_json source "$data/human/g3.txt"
expect_json chosen.index 0.0
expect_json chosen.platform "New Works"
expect_json chosen.class discrete
expect_json candidates 2
expect_json candidates.0.eligible true
expect_json candidates.0.rejected null
expect_json candidates.0.duplicate_of null
expect_json candidates.0.terms.0 "name,weight,value"
expect_json candidates.0.terms.0.name class
expect_stdout "platform 1 \(New Idle\) has no devices"
weir select "$data/human/g3.txt" --need fp64,min-mem=3G,version=3.0
expect_code 0
expect_stdout "^0\.0 New Card 9: discrete "
weir select "$data/human/g3.txt" --need min-mem=4G --json
expect_code 3
expect_json chosen null
expect_json candidates.0.eligible false
expect_json candidates.0.score null
expect_json candidates.0.rejected "min-mem=4G is not met"
expect_json candidates.1.rejected "min-mem=4G: the record does not say"
expect_stderr_lines 1
expect_stderr "no device can be taken: 0\.0 New Card 9: min-mem=4G is not met"
weir select "$data/human/g3.txt" --pick pci=0001:0b:00.0
expect_code 0
expect_stdout "^0\.1 New Card 9"
weir select "$data/human/g3.txt" --pick uuid=1a2b3c4d-0001-0002-0003-00000000abcd
expect_code 0
expect_stdout "^0\.0 "
weir select "$data/json/weir.json" --pick type=cpu --json
expect_code 0
expect_json chosen.index 2.1
weir select "$data/json/weir.json" --class cpu,software
expect_code 0
expect_stdout "^2\.1 Second CPU"
weir select "$data/human/g3.txt" --explain
expect_code 0
expect_stdout "^TERM +WEIGHT +VALUE"
expect_stdout "^speed +"
expect_stdout "^class: has memory of its own$"
expect_stdout "^class +10000000 +5 "
expect_stdout "^note: platform 1"

# A device that will not work is taken if there is no other, loudly.
weir select "$data/human/g2.txt"
expect_code 0
expect_stdout "^note: 0\.0 \(Middle APU\): its driver could not build a kernel"

# Duplicates, and devices of a class that must be asked for.
cat >"$work/list" <<'TEXT'
Platform #0: Intel(R) FPGA Emulation Platform for OpenCL(TM)
 `-- Device #0: Intel(R) FPGA Emulation Device
Platform #1: One
 `-- Device #0: Intel(R) Xeon(R) CPU E5-2637 v4 @ 3.50GHz
Platform #2: Portable Computing Language
 `-- Device #0: pthread-Intel(R) Xeon(R) CPU E5-2637 v4 @ 3.50GHz
TEXT
weir select "$work/list" --json
expect_code 0
expect_json chosen.index 1.0
expect_json candidates.2.duplicate_of 1.0
expect_json candidates.0.class emulator
expect_json candidates.0.rejected "class emulator must be asked for"
weir select "$work/list" --pick 0.0
expect_code 0
weir select "$work/list" --class emulator
expect_code 0
expect_stdout "^0\.0 "
weir select "$work/list" --pick type=accelerator
expect_code 3
head -n 2 "$work/list" >"$work/emulator"
weir select "$work/emulator" --json
expect_code 3
expect_json chosen null
expect_stderr "class emulator must be asked for"
"$WEIR" devices "$work/list" --json >"$work/saved.json" 2>/dev/null
weir select "$work/saved.json" --json
expect_code 0
expect_json chosen.index 1.0

# Nothing there, and nothing readable.
printf 'Number of platforms       0\n' >"$work/text"
weir select "$work/text" --json
expect_code 3
expect_json "" "$keys"
expect_json candidates 0
expect_stderr "no platforms"
weir select --json
expect_code 3
expect_json chosen null
expect_stderr "no ICD files"
expect_stderr_lines 1
expect_stderr "weir devices"
printf 'something else\n' >"$work/text"
weir select "$work/text" --json
expect_usage "line 1 is not understood" "something else"

# Bad usage.
weir select "$work/list" --need fp65
expect_usage "fp65" "min-alloc=SIZE"
weir select "$work/list" --need fp64,
expect_usage "is not known"
weir select "$work/list" --need min-mem=4T
expect_usage "min-mem=4T" "takes a size"
weir select "$work/list" --need fp64=1
expect_usage "fp64=1" "takes no value"
weir select "$work/list" --need version=2
expect_usage "version=2" "such as 1\.2"
weir select "$work/list" --class gpu
expect_usage "gpu" "discrete"
weir select "$work/list" --pick ""
expect_usage "names no device"
weir select "$work/list" --pick pci=zz
expect_usage "pci=zz"
weir select "$work/list" other
expect_usage "unexpected argument 'other'"
weir select --frob
expect_usage "unknown option '--frob'"
finish

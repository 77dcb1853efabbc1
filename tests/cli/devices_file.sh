#!/usr/bin/env bash
# `weir devices FILE`: texts of clinfo instead of the live devices, and texts that are something else.
# shellcheck source-path=SCRIPTDIR source=cli.bash
. "$(dirname "$0")/cli.bash"
unset WEIR_DEVICE WEIR_POOL WEIR_LIMIT
data=$(dirname "$0")/../data/records

# No driver is asked: none is there.
export OCL_ICD_VENDORS="$work/none"

for file in human/g1.txt human/g2.txt human/g3.txt amd/two.txt raw/two.txt json/clinfo.txt json/weir.json \
    list/marked.txt list/raw.txt list/braces.txt; do
    weir devices "$data/$file" --json
    expect_code 0
    expect_json "" "source,records,warnings"
    expect_json source "$data/$file"
    check "stderr is not empty" test ! -s "$work/err"
    expect_stdout '"index": "[0-9]+\.[0-9]+"'

    # What is printed is read back as it is.
    cp "$work/out" "$work/first.json"
    weir devices "$work/first.json" --json
    expect_code 0
    sed '1,/"records"/d; /"warnings"/,$d' "$work/first.json" >"$work/first"
    sed '1,/"records"/d; /"warnings"/,$d' "$work/out" >"$work/second"
    check "$file: the records read back are not the same" cmp -s "$work/first" "$work/second"
done

weir devices "$data/human/g3.txt" --json
expect_json records 2
expect_json records.0.name "New Card 9"
expect_json records.0.class discrete
expect_json records.0.platform.icd_suffix_khr NEW
expect_json records.0.global_mem_size 4093509632
expect_json records.0.double_fp_config.1 fma
expect_json records.1.half_fp_config null
weir devices "$data/human/g2.txt" --json
expect_json records.0.global_mem_size.error -30
weir devices "$data/human/g3.txt"
expect_code 0
expect_stdout "^0\.0  discrete  New Card 9$"
expect_stdout "^pci +0001:0a:00\.0 "
expect_stdout "^memory +3\.8 GiB "
expect_stdout "^note: platform 1 \(New Idle\) has no devices$"
expect_stdout "^Read from .*g3\.txt \(clinfo\)\.$"

# A device whose name the text does not show.
printf '%s\n' '#PLATFORMS 1' '[P/*] CL_PLATFORM_NAME P' '[P/0] CL_DEVICE_TYPE CL_DEVICE_TYPE_GPU' >"$work/nameless"
weir devices "$work/nameless"
expect_code 0
expect_stdout "^0\.0  discrete  \(no name\)$"

# Standard input.
command_line="weir devices - --json <list/raw.txt"
"$WEIR" devices - --json <"$data/list/raw.txt" >"$work/out" 2>"$work/err"
code=$?
expect_code 0
expect_json source "-"
expect_json records 3
command_line="weir devices - </dev/null"
weir devices -
expect_usage "^weir devices: standard input: there is no text in it"
weir select -
expect_usage "^weir select: standard input: there is no text in it"
command_line="weir select - --json <list/raw.txt"
"$WEIR" select - --json <"$data/list/raw.txt" >"$work/out" 2>"$work/err"
code=$?
expect_code 0
expect_json source "-"

# Texts without devices: JSON all the same, the reason on stderr.
expect_none() { # expect_none REASON TEXT
    printf '%b' "$2" >"$work/text"
    weir devices "$work/text" --json
    expect_code 3
    expect_json records 0
    expect_stderr_lines 1
    expect_stderr "$1"
    weir devices "$work/text"
    expect_code 3
    expect_stderr "$1"
}
expect_none "no platforms" 'Number of platforms       0\n'
expect_none "no platforms" 'ERROR: clGetPlatformIDs(-1001)\n'
expect_none "no platforms" '{ "platforms" : [ ] }'
expect_none "no devices" 'Platform #0: Clover\n'
expect_none "truncated" 'Number of platforms       2\n  Platform Name   A\n'

# Something else: exit 2 with one line.
printf '[5628] clinfo: CL_PLATFORM_NAME = other\n' >"$work/text"
weir devices "$work/text"
expect_usage "line 1 is not understood" "5628" "expected"
: >"$work/text"
weir devices "$work/text" --json
expect_usage "there is no text"
weir devices "$WEIR"
expect_usage "not understood"
# A program that has clinfo's words among its bytes is no text either.
{ head -c 30000 "$WEIR"; cat "$data/raw/"*.txt; head -c 30000 "$WEIR"; } >"$work/words"
weir devices "$work/words"
expect_usage "not understood"
weir devices "$work"
expect_usage "directory"
weir devices "$work/not-there"
expect_usage "not-there" "No such file"
truncate -s 1G "$work/zeros"
weir devices "$work/zeros"
expect_usage "no text"
weir devices /dev/zero
expect_usage "/dev/zero"
yes 'no line of any format' | head -c 20000000 >"$work/large"
weir devices "$work/large"
expect_usage "16777216"
# A file that the user may not read; root may read all, so there another user asks, if one can get at the program.
chmod 000 "$work/text"
chmod 711 "$work"
stranger=(setpriv --reuid 65534 --regid 65534 --clear-groups)
if [ "$(id -u)" -ne 0 ]; then
    weir devices "$work/text"
    expect_usage "ermission denied"
elif "${stranger[@]}" "$WEIR" --help >/dev/null 2>&1; then
    for command in devices select; do
        command_line="weir $command of a file without permission"
        "${stranger[@]}" "$WEIR" "$command" "$work/text" >"$work/out" 2>"$work/err" </dev/null
        code=$?
        expect_usage "text: Permission denied"
    done
fi
weir devices "$data/raw/two.txt" "$data/raw/two.txt"
expect_usage "unexpected argument"
finish

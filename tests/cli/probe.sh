#!/usr/bin/env bash
# Drivers that crash, hang, print or end the program: each costs one warning that names its ICD file, and the others
# answer.
# shellcheck source-path=SCRIPTDIR source=cli.bash
. "$(dirname "$0")/cli.bash"
unset WEIR_DEVICE WEIR_POOL WEIR_LIMIT WEIR_MEMORY_DEBUG OCL_ICD_FILENAMES OPENCL_VENDOR_PATH WEIR_PROBE_SECONDS
pocl=/etc/OpenCL/vendors/pocl.icd
export TMPDIR="$work/tmp"
mkdir -p "$TMPDIR"

install() { # install NAME KIND... : a folder with these bad drivers, for the loader
    local kind
    export OCL_ICD_VENDORS="$work/$1"
    mkdir -p "$OCL_ICD_VENDORS"
    shift
    for kind in "$@"; do
        case $kind in
        pocl) ln -sf "$pocl" "$OCL_ICD_VENDORS/pocl.icd" ;;
        null) echo "$NULL_ICD" >"$OCL_ICD_VENDORS/null.icd" ;;
        *) echo "$BAD_ICDS/libweir_bad_$kind.so" >"$OCL_ICD_VENDORS/$kind.icd" ;;
        esac
    done
}
expect_no_folder() { check "folders are left in $TMPDIR" test -z "$(ls -A "$TMPDIR")"; }
expect_seconds() { # expect_seconds MOST : of the last command, timed by SECONDS
    check "took $SECONDS s, expected at most $1" test "$SECONDS" -le "$1"
}

# What a driver did, in its one warning. Sanitizers turn crashes into exits.
did() {
    case $1 in
    load | crash | abort) echo "crashed \(|ended the program" ;;
    hang | stall) echo "did not answer within 4 s" ;;
    *) echo "ended the program \(exit status" ;;
    esac
}

# A driver that answers, beside one that does not.
good=()
[ -r "$pocl" ] && good+=(pocl)
[ -n "${NULL_ICD:-}" ] && good+=(null)
for well in "${good[@]}"; do
    for kind in load crash abort hang stall exit leave; do
        case $kind in hang | stall) export WEIR_PROBE_SECONDS=4 ;; esac
        install "$well-$kind" "$well" "$kind"
        SECONDS=0
        weir devices --json
        expect_code 0
        expect_seconds 9 # less than the limit where none is set
        expect_json "" "source,records,warnings"
        expect_json records.0.index 0.0
        expect_json warnings 1
        expect_stdout "$OCL_ICD_VENDORS/$kind\.icd is left out: its driver ($(did "$kind"))"
        check "stderr is not empty" test ! -s "$work/err"
        weir select
        expect_code 0
        expect_stdout "^0\.0 "
        expect_stdout "^note: .*/$kind\.icd is left out"
        expect_no_folder
        unset WEIR_PROBE_SECONDS
    done
    # One that takes its time is waited for.
    install "$well-slow" "$well" slow
    weir devices --json
    expect_code 0
    expect_json records.0.index 0.0
    check "a slow driver is left out" test -z "$(grep 'is left out' "$work/out")"
    expect_no_folder
    # One that prints is only dropped what it prints.
    install "$well-print" "$well" print
    weir devices --json
    expect_code 0
    expect_json records.0.index 0.0
    expect_json warnings 0
    check "stderr is not empty" test ! -s "$work/err"
done

if [ -r "$pocl" ]; then
    # Commands that compute load only what answered; all failing drivers at once.
    install many pocl load crash exit
    weir devices
    expect_code 0
    check "not 3 notes" test "$(grep -c '^note: .* is left out' "$work/out")" -eq 3
    expect_stdout "^0\.0  "
    weir loop --form variable --steps 3 --json
    expect_code 0
    expect_json forms.0.status ok
    expect_json device.index 0.0
    expect_stderr_lines 3
    expect_stderr "weir loop: warning: .*/load\.icd is left out"
    expect_stderr "weir loop: warning: .*/crash\.icd is left out"
    expect_no_folder
    weir loop --form variable --steps 3 --device bogus
    expect_code 2
    expect_stderr "bogus"
    expect_no_folder
    install print pocl print
    weir loop --form variable --steps 3 --json
    expect_code 0
    expect_json forms.0.status ok
    install crash pocl crash
    printf 'event,id,bytes,queue\nalloc,1,65536,0\nfree,1,,0\n' >"$work/trace.csv"
    weir replay "$work/trace.csv" --on-device 0.0 --pool growth --limit 48M --json
    expect_code 0
    expect_stderr_lines 1
    expect_stderr "weir replay: warning: .*/crash\.icd is left out"
    expect_no_folder
    install hang pocl hang
    WEIR_PROBE_SECONDS=4 weir loop --form variable --steps 3
    expect_code 0
    expect_stderr_lines 1
    expect_stderr "hang\.icd is left out: its driver did not answer within 4 s"

    # Two that answer alone and crash together: the later one goes.
    install pair pocl first second
    weir devices --json
    expect_code 0
    expect_json records.0.index 0.0
    expect_json warnings 1
    expect_json warnings.0 \
        "$(json warnings.0 | sed -n "s|^$work/pair/second.icd is left out: its driver .* beside the drivers before it\$|&|p")"
    expect_no_folder
fi

# Drivers that hang cost the limit once, however many they are.
for well in "${good[@]}"; do
    install "$well-hangs" "$well" hang stall crash
    SECONDS=0
    WEIR_PROBE_SECONDS=10 weir devices --json
    expect_code 0
    expect_seconds 18
    expect_json records.0.index 0.0
    expect_json warnings 3
    expect_no_folder
    # Two of which one hangs beside the other: all together, and then it with the other.
    install "$well-beside" "$well" third fourth
    SECONDS=0
    WEIR_PROBE_SECONDS=10 weir devices --json
    expect_code 0
    expect_seconds 27
    expect_stdout "third\.icd is left out: its driver did not answer within 10 s beside the drivers before it"
    expect_no_folder
done

# No driver that answers: exit 3, as without a device.
install one crash
expect_none() {
    expect_code 3
    expect_stdout "crash\.icd is left out"
    expect_stderr_lines 1
    expect_stderr "no driver answered"
}
weir devices --json
expect_none
expect_json "" "source,records,warnings"
expect_json records 0
weir devices
expect_none
weir select --json
expect_none
expect_json chosen null
weir loop --json
expect_code 3
expect_json device null
expect_stderr_lines 2
expect_stderr "crash\.icd is left out"
expect_stderr "weir loop: no driver answered"
expect_no_folder

# Nor is there a device if those that answer have none; the reason is not about a folder of the program's own.
install idle print crash
weir devices
expect_code 3
expect_stdout "crash\.icd is left out"
expect_stderr_lines 1
expect_stderr "1 of 2 drivers was left out, and the others have no device"
check "the folder made for the loader is named" test -z "$(cat "$work/out" "$work/err" | grep weir-icd-)"
weir loop
expect_code 3
expect_stderr "weir loop: 1 of 2 drivers was left out"
install one crash

# The ways to name one driver.
OCL_ICD_VENDORS="$work/one/crash.icd" weir devices
expect_none
OCL_ICD_VENDORS="crash.icd" OPENCL_VENDOR_PATH="$work/one" weir devices
expect_none
OCL_ICD_VENDORS="$BAD_ICDS/libweir_bad_crash.so" weir devices
expect_code 3
expect_stdout "libweir_bad_crash\.so is left out"

# The time limit.
install limit hang
SECONDS=0
WEIR_PROBE_SECONDS=2 weir devices
expect_code 3
expect_stdout "did not answer within 2 s"
check "took $SECONDS s" test "$SECONDS" -ge 2
expect_seconds 6
for bad in x -1 1.5 3601 "1 "; do
    WEIR_PROBE_SECONDS=$bad weir devices
    expect_usage "WEIR_PROBE_SECONDS: '$bad'"
done
if [ -r "$pocl" ]; then
    # 0: in the process itself.
    export OCL_ICD_VENDORS=$pocl
    WEIR_PROBE_SECONDS=0 weir devices --json
    expect_code 0
    # On some machines PoCL reads the clock anew, and it is another.
    grep -v max_clock_frequency "$work/out" >"$work/here"
    weir devices --json
    grep -v max_clock_frequency "$work/out" >"$work/there"
    check "a child lists something else" cmp -s "$work/here" "$work/there"
fi

# A signal ends the child too, at any stage, and leaves nothing behind.
expect_gone() { # expect_gone PID : gone, or waiting for its new parent to notice
    local state=""
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        state=$(sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$1/status" 2>/dev/null)
        case $state in "" | Z) break ;; esac
        sleep 0.2
    done
    check "the child is still there" test -z "${state#Z}"
}
export WT_BAD_PID="$work/pid"
for signal in INT TERM; do
    install limit hang
    rm -f "$WT_BAD_PID"
    command_line="weir devices, ended by $signal"
    timeout --preserve-status -s "$signal" 2 "$WEIR" devices >"$work/out" 2>"$work/err" </dev/null
    code=$?
    check "exit $code" test "$code" -ge 130
    check "the driver was not asked" test -s "$WT_BAD_PID"
    expect_gone "$(cat "$WT_BAD_PID")"
done
install two hang
cp "$OCL_ICD_VENDORS/hang.icd" "$OCL_ICD_VENDORS/more.icd"
for signal in INT:130 TERM:143 HUP:129; do
    command_line="weir devices, ended by $signal while drivers are tried one by one"
    # In the foreground: else it sends the signal twice, and a second Ctrl-C ends the program at once.
    WEIR_PROBE_SECONDS=8 timeout --foreground --preserve-status -s "${signal%:*}" 2 "$WEIR" devices \
        >"$work/out" 2>"$work/err" </dev/null
    code=$?
    expect_code "${signal#*:}"
    expect_stdout_empty
    expect_gone "$(cat "$WT_BAD_PID")"
    expect_no_folder
done
finish

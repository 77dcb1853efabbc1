# shellcheck shell=bash
# Sourced by the tests of the program: runs it and compares what it does with what it must do.
#
# From the environment: WEIR (the program), JSON_GET, LOOP_REFERENCE, NULL_ICD (a driver that does nothing).
# A test calls `weir ARGS...`, then expect_*, and ends with `finish`. Failures are counted, each with the command.
set -u

for program in "$WEIR" "$JSON_GET" "$LOOP_REFERENCE"; do
    [ -x "$program" ] || { echo "not built: $program" >&2; exit 1; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
checks=0
command_line=""
code=0

fail() {
    failures=$((failures + 1))
    [ "$failures" -le 20 ] || return 0
    printf 'FAILED: %s\n  %s\n' "$command_line" "$*"
    sed 's/^/  stderr: /' "$work/err" | head -n 12
}

check() { # check WHAT TEST... : the test must succeed
    local what=$1
    shift
    checks=$((checks + 1))
    "$@" || fail "$what"
}

# PoCL 3.1 leaks when it compiles a kernel, whoever asks, so a report of LeakSanitizer counts when it comes again with
# the kernel in PoCL's cache.
weir() {
    command_line="weir $*"
    for _ in 1 2; do
        "$WEIR" "$@" >"$work/out" 2>"$work/err" </dev/null
        code=$?
        grep -q LeakSanitizer "$work/err" || break
    done
}

# Sanitizers answer 1 or abort; so an exit code of its own is also a clean run.
expect_code() { check "exit $code, expected $1" test "$code" -eq "$1"; }
expect_stdout_empty() { check "stdout is not empty" test ! -s "$work/out"; }
expect_stdout() { check "stdout lacks: $1" grep -Eq -- "$1" "$work/out"; }
expect_stderr() { check "stderr lacks: $1" grep -Eq -- "$1" "$work/err"; }
expect_stderr_lines() { check "stderr has not $1 line(s)" test "$(wc -l <"$work/err")" -eq "$1"; }

# Bad usage: exit 2, nothing on stdout, one line on stderr that has every given part.
expect_usage() {
    local part
    expect_code 2
    expect_stdout_empty
    expect_stderr_lines 1
    for part in "$@"; do expect_stderr "$part"; done
}

json() { "$JSON_GET" "$1" <"$work/out"; }
expect_json() { # expect_json PATH VALUE
    local value
    value=$(json "$1" 2>&1)
    check "$1 is $value, expected $2" test "$value" = "$2"
}
expect_json_range() { # expect_json_range PATH LEAST MOST
    local value
    value=$(json "$1" 2>&1)
    check "$1 is $value, expected $2 to $3" awk -v v="$value" -v a="$2" -v b="$3" \
        'BEGIN { exit !(v ~ /^-?[0-9]/ && v + 0 >= a + 0 && v + 0 <= b + 0) }'
}

# An environment without any OpenCL driver, with one that cannot be loaded, and with the driver that does nothing.
mkdir -p "$work/none" "$work/broken" "$work/empty" "$work/null"
echo "/nowhere/libnothing.so" >"$work/broken/nothing.icd"
: >"$work/empty/empty.icd"
[ -n "${NULL_ICD:-}" ] && echo "$NULL_ICD" >"$work/null/null.icd"

# The devices of WEIR_TEST_DEVICES as a list of selectors; all live ones for "all" and by default.
test_devices() {
    local i=0 index
    case "${WEIR_TEST_DEVICES:-all}" in
    all)
        "$WEIR" devices --json >"$work/devices" 2>/dev/null
        while index=$("$JSON_GET" "records.$i.index" <"$work/devices" 2>/dev/null); do
            echo "$index"
            i=$((i + 1))
        done
        ;;
    *) printf '%s\n' "$WEIR_TEST_DEVICES" | tr ';' '\n' | sed '/^$/d' ;;
    esac
}

finish() {
    printf '%d checks, %d failed\n' "$checks" "$failures"
    [ "$checks" -gt 0 ] && [ "$failures" -eq 0 ]
    exit
}

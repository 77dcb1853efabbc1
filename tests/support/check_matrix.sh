#!/usr/bin/env bash
# The counting of tests/matrix, on logs as ctest and Criterion write them.
# usage: check_matrix.sh MATRIX WORK
set -euo pipefail
matrix=$1
work=$2
mkdir -p "$work"
failures=0

# expect WHAT WANTED GOT
expect() {
    if [ "$2" != "$3" ]; then
        printf '%s: expected "%s", got "%s"\n' "$1" "$2" "$3"
        failures=$((failures + 1))
    fi
}

cat >"$work/mixed.log" <<'LOG'
test 1
      Start  1: unit.good
1: [====] Synthesis: Tested: 12 | Passing: 12 | Failing: 0 | Crashing: 0
 1/7 Test  #1: unit.good ........................   Passed    0.10 sec
2: [RUN ] pool::good
2: [----] this line is of a test that passes
2: [RUN ] pool::a
2: [----] tests/api/pool.c:12: Assertion Failed
2: [----]   
2: [----]   PoCL: 3 is not 4
2: [FAIL] pool::a: (0.00s)
2: [RUN ] pool::b
2: [----] tests/api/pool.c:40: Unexpected signal caught below this line!
2: [FAIL] pool::b: CRASH!
3: [SKIP] numbers::f64: no fp64 on this device
2: [====] Synthesis: Tested: 5 | Passing: 3 | Failing: 2 | Crashing: 1
 2/7 Test  #2: api.pool .........................***Failed    0.20 sec
3: [====] Synthesis: Tested: 3 | Passing: 3 | Failing: 0 | Crashing: 0
 3/7 Test  #3: api.numbers ......................   Passed    0.20 sec
 4/7 Test  #4: cli.usage ........................   Passed    0.20 sec
5: FAILED: weir loop
5:   exit 3, expected 2
5: FAILED: weir loop --json
5:   exit 3, expected 2
5: 59 checks, 2 failed
 5/7 Test  #5: cli.loop .........................***Failed    0.20 sec
6: one more line
 6/7 Test  #6: fault.path .......................***Timeout 300.01 sec
7: [====] Synthesis: Tested: 3 | Passing: 3 | Failing: 0 | Crashing: 0
 7/7 Test  #7: api.bounds .......................***Failed  Error regular expression found in output. 0.20 sec
LOG
mapfile -t got < <("$matrix" --summary "$work/mixed.log" | sort)
# 12 + 5 + 3 + 1 + 1 + 1 + 3; 2 + 1 + 1 + 1 failed
expect 'counts' '26 5 1' "${got[0]}"
expect 'failed at a word of its output' 'failed api.bounds' "${got[1]}"
expect 'a failed test' 'failed api.pool: pool::a: tests/api/pool.c:12: Assertion Failed PoCL: 3 is not 4' "${got[2]}"
expect 'a crashed test' \
    'failed api.pool: pool::b: CRASH!: tests/api/pool.c:40: Unexpected signal caught below this line!' "${got[3]}"
expect 'a failed script' 'failed cli.loop: weir loop: exit 3, expected 2' "${got[4]}"
expect 'an entry that ran too long' 'failed fault.path: one more line' "${got[5]}"
expect 'reason of a skip' 'skipped numbers::f64: no fp64 on this device' "${got[6]}"
expect 'lines' 7 "${#got[@]}"

# An entry that was run twice counts as the second time.
cat "$work/mixed.log" - >"$work/again.log" <<'LOG'
      Start  7: api.bounds
7: [====] Synthesis: Tested: 3 | Passing: 3 | Failing: 0 | Crashing: 0
1/1 Test  #7: api.bounds .......................   Passed    0.20 sec
LOG
expect 'a second run' '26 4 1' "$("$matrix" --summary "$work/again.log" | grep -v -E '^(failed|skipped) ')"

: >"$work/empty.log"
expect 'an empty log' '0 0 0' "$("$matrix" --summary "$work/empty.log")"

code=0
"$matrix" no_such_column >"$work/out" 2>&1 || code=$?
expect 'exit code of an unknown column' 2 "$code"

# A column without its implementation is named with the reason, and fails only where it is required.
mkdir -p "$work/icd/rusticl" "$work/icd/pocl"
echo 'not installed here' >"$work/icd/rusticl/skipped"
code=0
WEIR_ICD_DIR=$work/icd "$matrix" --no-build rusticl >"$work/out" 2>&1 || code=$?
expect 'exit code of a column that is not there' 0 "$code"
expect 'its line' 1 "$(grep -c '^rusticl .*not run: not installed here$' "$work/out")"
expect 'last line' '0 passed, 0 failed, 0 skipped' "$(tail -n 1 "$work/out")"
code=0
WEIR_ICD_DIR=$work/icd "$matrix" --no-build pocl >"$work/out" 2>&1 || code=$?
expect 'exit code without PoCL' 1 "$code"
expect 'last line without PoCL' '0 passed, 1 failed, 0 skipped' "$(tail -n 1 "$work/out")"

[ "$failures" -eq 0 ]

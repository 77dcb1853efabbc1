#!/usr/bin/env bash
# Every mistake on the command line of `weir` and `weir loop` ends with exit 2 and one line that helps.
# shellcheck source-path=SCRIPTDIR source=cli.bash
. "$(dirname "$0")/cli.bash"
unset WEIR_DEVICE WEIR_POOL WEIR_LIMIT WEIR_MEMORY_DEBUG

"$WEIR" >"$work/out" 2>"$work/err"
code=$?
command_line="weir"
expect_code 2
expect_stdout_empty
expect_stderr "usage: weir"

weir --help
expect_code 0
expect_stdout "weir loop|  loop "
check "stderr is not empty" test ! -s "$work/err"
weir --version
expect_code 0
expect_stdout "^weir [0-9]+\.[0-9]+\.[0-9]+$"
weir loop --help
expect_code 0
expect_stdout "--steps N"
check "stderr is not empty" test ! -s "$work/err"

weir frobnicate
expect_usage "frobnicate" "expected one of" "--help"
for command in plan check as; do
    weir "$command"
    expect_usage "$command" "not in this build"
done

weir loop --frob
expect_usage "unknown option '--frob'" "--steps"
weir loop -x
expect_usage "unknown option '-x'"
weir loop surplus
expect_usage "surplus" "options only"
weir loop --json=yes
expect_usage "--json" "no value"
weir loop --steps
expect_usage "--steps" "missing"
weir loop --steps --json
expect_usage "--steps" "missing"

for steps in -1 +1 1.5 ten 0x10 1e3 "" " 1" 9223372036854775808 18446744073709551616 99999999999999999999999; do
    weir loop --steps "$steps"
    expect_usage "--steps" "'${steps/+/\\+}'" "0 to 9223372036854775807"
    weir loop "--steps=$steps"
    expect_usage "--steps"
done
for seed in -1 x 18446744073709551616; do
    weir loop --seed "$seed"
    expect_usage "--seed" "0 to 18446744073709551615"
done
weir loop --form sideways
expect_usage "sideways" "all, keep, eager, variable, tape, tape-tanh, stop or function"
weir loop --pool puddle
expect_usage "puddle" "prealloc, growth, ondemand, direct or adaptive"

for limit in 0 0K -1 1T 16MB x "" " 16M" "16M " 5%% -5% 0.0% 0% 100.1% 101% % 1e9 17179869184G; do
    weir loop --limit "$limit"
    expect_usage "--limit" "'$limit'" "16M" "percentage"
done
for shape in -1 1,-2 1,,2 a 1,a 1.5 "," "1," "1 2" 1,2,3,4,5,6,7,8,9 9223372036854775808 4294967296,4294967296 \
    9223372036854775807 0,9223372036854775807,2; do
    weir loop --shape "$shape"
    expect_usage "--shape" "'$shape'"
done
for selector in bogus 0 0. .1 0.x type= type=quantum pci= pci=zz uuid= uuid=12 name~ "0.1 " ""; do
    weir loop --steps 0 --device "$selector"
    expect_usage "--device" "expected (one of: 0\.1|a text that is not empty)"
done
for limit in 16m 16Mb 5.% 1e3; do
    weir loop --steps 0 --limit "$limit"
    expect_usage "--limit" "'$limit'"
    WEIR_LIMIT=$limit weir loop --steps 0
    expect_usage "WEIR_LIMIT" "$limit"
done
command_line="WEIR_DEVICE=bogus"
WEIR_DEVICE=bogus weir loop --steps 0
expect_usage "WEIR_DEVICE" "bogus"
command_line="WEIR_POOL=puddle"
WEIR_POOL=puddle weir loop --steps 0
expect_usage "WEIR_POOL" "puddle" "prealloc" "growth" "ondemand" "direct" "adaptive"
for limit in 0 0K 0% x 101% " 16M" 5%% 16MB -1; do
    command_line="WEIR_LIMIT=$limit"
    WEIR_LIMIT=$limit weir loop --steps 0
    expect_usage "WEIR_LIMIT" "\"$limit\"" "bytes above 0" "percentage"
done
for level in 4 x -1; do
    WEIR_MEMORY_DEBUG=$level weir loop --steps 0
    expect_usage "WEIR_MEMORY_DEBUG|\"$level\""
done
finish

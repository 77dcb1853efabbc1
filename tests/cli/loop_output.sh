#!/usr/bin/env bash
# What `weir loop` prints, and what it does when it cannot: tables, terminals, full disks, closed pipes, Ctrl-C.
# shellcheck source-path=SCRIPTDIR source=cli.bash
. "$(dirname "$0")/cli.bash"
unset WEIR_DEVICE WEIR_POOL WEIR_LIMIT WEIR_MEMORY_DEBUG
device=$(test_devices | head -n 1)
export WEIR_DEVICE=$device
endless=9000000000000

weir loop --steps 200
expect_code 0
expect_stdout "200 steps of f32\[1, 1024\]"
expect_stdout "^keep +ok .* 804\.0 KiB +201 "
expect_stdout "^variable +ok .* 4\.0 KiB +1 .* 0 +0 B +- +[0-9a-f]{16}$"
expect_stdout "^tape-tanh +ok .* 800\.0 KiB +dense +[0-9a-f]{16}$"
expect_stdout "^stop +ok .* 0 B +none +[0-9a-f]{16}$"
expect_stdout "times the memory"
expect_stdout "Captured, the loop is 1 launch instead of 200"
expect_stdout "A tape keeps .* 800\.0 KiB of tape-tanh"
check "colours in a file" test "$(grep -c $'\033' "$work/out")" -eq 0
check "progress in a file" test ! -s "$work/err"

weir loop --steps 1 --form keep
expect_code 0
expect_stdout "^1 step of f32"
expect_stdout "^1 step never held"

command_line="weir loop >/dev/full"
for flags in "" --json; do
    # shellcheck disable=SC2086
    "$WEIR" loop --steps 1 $flags >/dev/full 2>"$work/err"
    code=$?
    expect_code 1
    expect_stderr "cannot be written"
done
command_line="weir --help >/dev/full"
"$WEIR" --help >/dev/full 2>"$work/err"
code=$?
expect_code 1

command_line="weir loop | true"
("$WEIR" loop --steps 1 2>"$work/err"; echo $? >"$work/code") | true
code=$(cat "$work/code")
check "exit $code, expected 0 or 1" test "$code" -le 1

# On a terminal there are colours and, after a second, progress; NO_COLOR takes the colours away.
if command -v script >/dev/null; then
    command_line="weir loop on a terminal"
    TERM=xterm script -qec "timeout -s INT 4 $WEIR loop --form variable --steps $endless" /dev/null >"$work/out" 2>"$work/err" </dev/null
    check "no progress on a terminal" grep -q "variable: [0-9]* of $endless" "$work/out"
    TERM=xterm script -qec "$WEIR loop --form variable --steps 1" /dev/null >"$work/out" 2>"$work/err" </dev/null
    check "no colours on a terminal" grep -q $'\033\\[1m' "$work/out"
    NO_COLOR=1 TERM=xterm script -qec "$WEIR loop --form variable --steps 1" /dev/null >"$work/out" 2>"$work/err" </dev/null
    check "colours despite NO_COLOR" test "$(grep -c $'\033' "$work/out")" -eq 0
fi

# Ctrl-C, once (without --foreground timeout sends it twice): between steps, with one line, everything released (the sanitizer builds would tell), exit 130.
for form in keep eager variable tape tape-tanh stop function; do
    command_line="Ctrl-C in weir loop --form $form"
    timeout --foreground --preserve-status -s INT 2 "$WEIR" loop --form "$form" --shape 8 --steps "$endless" --json >"$work/out" 2>"$work/err"
    code=$?
    expect_code 130
    expect_stdout_empty
    expect_stderr_lines 1
    expect_stderr "interrupted in form $form after step [0-9]+ of $endless"
done

# Long steps: a thousand of them in the queue would keep the program for a minute after Ctrl-C.
command_line="Ctrl-C in weir loop with long steps"
timeout --foreground --preserve-status -k 15 -s INT 3 "$WEIR" loop --form variable --shape 8388608 --steps "$endless" >"$work/out" 2>"$work/err"
code=$?
expect_code 130
expect_stderr "interrupted in form variable"
finish

# tools/dev demo: from a bare machine to the tables of `weir loop`, its picture, and what they teach.

# run_loop FILE ARGUMENTS...: shows what the program prints and keeps it in FILE and FILE.err. Forms that run out of
# memory are what the demo shows; exits with the program's code if anything else failed.
run_loop() {
    local file=$1 code=0
    shift
    say "\$ weir loop $*"
    "$demo_weir" loop "$@" >"$file" 2>"$file.err" || code=$?
    cat "$file"
    cat "$file.err" >&2
    [ "$code" -eq 0 ] || { [ "$code" -eq 1 ] && only_out_of_memory "$file"; } || exit "$code"
}

# cell FILE FORM COLUMN: a cell of a table, whose columns are two blanks apart; nothing where it is not.
cell() {
    awk -F '   *' -v form="$2" -v title="$3" '
        $1 == "form" { for (i = 1; i <= NF; i++) if ($i == title) column = i }
        column && $1 == form { print $column; exit }' "$1"
}

# failed_forms FILE: "keep at step 4096 and ..." from the table's status and the reports in FILE.err.
failed_forms() {
    awk -F '[: ]+' '
        /^weir loop: [a-z-]+: out_of_memory: step [0-9]+ of / {
            text = text (text == "" ? "" : " and ") $3 " at step " $6
        }
        END { print text }' "$1.err"
}

# most_in_use FILE: of the forms that finished.
most_in_use() {
    awk -F '   *' '
        BEGIN { split("B KiB MiB GiB TiB", names, " "); for (i in names) power[names[i]] = i }
        $2 == "ok" {
            split($5, parts, " ")
            bytes = parts[1] * 1024 ^ power[parts[2]]
            if (bytes > most) { most = bytes; text = $5 }
        }
        END { print text }' "$1"
}

# teach FREE LIMITED: three sentences from the tables of the run without a limit and of the one with; a sentence
# whose forms are not there is left out.
teach() {
    local free=$1 limited=$2 limit failed kept launches
    kept=$(cell "$free" keep "peak in use")
    if [ -n "$kept" ] && [ -n "$(cell "$free" variable blocks)" ]; then
        say "1. The same sum with the same bits ($(cell "$free" variable checksum)) takes $kept in $(cell "$free" keep \
            blocks) blocks where every old state is held, and $(cell "$free" variable "peak in use") in $(cell "$free" \
            variable blocks) where a variable is updated in place."
    fi
    failed=$(failed_forms "$limited")
    limit=$(sed -n 's/^pool .*, limit //p' "$limited")
    if [ -n "$failed" ] && [ -n "$(most_in_use "$limited")" ]; then
        say "2. Under the limit of $limit, $failed ran out of memory, and the others did all their steps in at most $(
            most_in_use "$limited"
        ): what counts is who still holds the old states."
    fi
    launches=$(cell "$free" function launches)
    if [ -n "$launches" ] && [ -n "$(cell "$free" tape-tanh launches)" ]; then
        say "3. A tape keeps what its gradient needs, $(cell "$free" tape "tape keeps") of sums, $(cell "$free" \
            tape-tanh "tape keeps") of tanh, nothing after a stopped gradient ($(cell "$free" stop \
            gradient)); captured as a function the loop was $launches $(
            [ "$launches" -eq 1 ] && echo launch || echo launches
        ) at $(cell "$free" function \
            "a step") a step, where the eager loop made $(cell "$free" eager launches) at $(cell "$free" eager "a step")."
    fi
}

# only_out_of_memory FILE: forms of the table failed for want of memory, and none for another reason.
only_out_of_memory() {
    [ -n "$(failed_forms "$1")" ] && ! awk -F '   *' '$1 == "form" { on = 1; next } NF < 5 { on = 0 } on { print $2 }' "$1" |
        grep -Eqvx 'ok|out_of_memory'
}

dev_demo() {
    local build=$WEIR_DEV_ROOT/build/demo free limited
    require "$WEIR_NEEDS_BUILD" "$WEIR_NEEDS_DEMO"
    step demo-configure "configuring a release" \
        cmake --preset release -B "$build" -DWEIR_TESTS=OFF || exit 1
    step demo-build "building" cmake --build "$build" || exit 1
    demo_weir=$build/tools/weir
    free=$WEIR_LOG_DIR/loop.txt
    limited=$WEIR_LOG_DIR/loop-limit.txt
    say
    run_loop "$free" --svg build/weir-loop.svg "$@"
    say
    run_loop "$limited" --limit 16M "$@"
    say
    teach "$free" "$limited"
    say
    say "picture: build/weir-loop.svg"
}

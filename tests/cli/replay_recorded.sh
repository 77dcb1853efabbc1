#!/usr/bin/env bash
# `weir replay` on the recorded traces of WEIR_TRACES_DIR: the models reserve what they are known to, `adaptive` holds its
# figures.
# shellcheck source-path=SCRIPTDIR source=cli.bash
. "$(dirname "$0")/cli.bash"
unset WEIR_DEVICE WEIR_POOL WEIR_LIMIT WEIR_MEMORY_DEBUG
export OCL_ICD_VENDORS=$work/none
if [ ! -r "${WEIR_TRACES_DIR:-}/llm_training_512.csv" ]; then
    echo "[SKIP] replay_recorded: WEIR_TRACES_DIR names no folder with recorded traces"
    exit 0
fi

# expect_figures PEAK_LIVE EVENTS ALLOCS ALLOC_BYTES PYTORCH RATIO : the last two: bytes that PyTorch reserved, as recorded
# with the trace, and what `adaptive` may reserve at most
expect_figures() {
    expect_code 0
    expect_json peak_live "$1"
    expect_json events "$2"
    expect_json strategies.2.name ondemand
    expect_json_range strategies.2.peak_reserved $(($5 * 99 / 100)) $(($5 * 101 / 100))
    expect_json strategies.3.driver_allocs "$3"
    expect_json strategies.4.name adaptive
    expect_json_range strategies.4.ratio 1 "$6"
    expect_json_range strategies.4.driver_allocs 0 $(($3 * 5 / 100))
    expect_json_range strategies.4.moved_bytes 0 $(($4 / 10))
    for i in 0 1 2 3 4; do
        expect_json "strategies.$i.ooms" 0
        expect_json_range "strategies.$i.ratio" 1 20
    done
    for i in 0 1 2 3; do expect_json "strategies.$i.moved_bytes" 0; done
}
sum_of() { awk -F, '$1 == "alloc" { sum += $3 } END { printf "%.0f", sum }' "$WEIR_TRACES_DIR/$1.csv"; }
training=$(sum_of llm_training_512)
inference=$(sum_of llm_inference_1024)
weir replay "$WEIR_TRACES_DIR/llm_training_512.csv" --json
expect_figures 12426629128 15625 7591 "$training" 12660000000 1.01
expect_json_range strategies.4.compactions 1 7591
weir replay "$WEIR_TRACES_DIR/llm_inference_1024.csv" --json
expect_figures 2877435904 2783 1280 "$inference" 3200000000 1.01
weir replay "$WEIR_TRACES_DIR/llm_training_512.csv" --no-compaction --json
expect_figures 12426629128 15625 7591 0 12660000000 1.03
weir replay "$WEIR_TRACES_DIR/llm_inference_1024.csv" --no-compaction --json
expect_figures 2877435904 2783 1280 0 3200000000 1.03

# The guide's tables are what the program prints, and its smallest limits suffice while a little less does not.
guide=$(dirname "$0")/../../docs/strategies.md
cells() { # cells ROW : a row of a table as words
    tr -d '`|' <<<"$1" | tr -s ' ' | sed 's/^ //; s/ $//'
}
rows=0
expect_guide() { # expect_guide START TRACE PEAK_LIVE COLUMN : START begins the table's paragraph, COLUMN is that of the limits
    local row strategy limit
    while IFS= read -r row; do
        strategy=$(cut -d'|' -f2 <<<"$row" | tr -d '` ' | sed 's/--/ --/')
        # shellcheck disable=SC2086 # a name and an option
        weir replay "$WEIR_TRACES_DIR/$2.csv" --pool $strategy
        expect_code 0
        check "the guide has: $row" grep -qF -- " $(cells "$row" | sed 's/ --no-compaction//') " <(tr -s ' ' <"$work/out")
        rows=$((rows + 1))
        limit=$(awk -F'|' -v s="$(cut -d'|' -f2 <<<"$row")" -v c="$4" '$2 == s && NF == 5 { print $c + 0 }' "$guide")
        for change in 0 0.002; do
            # shellcheck disable=SC2086
            weir replay "$WEIR_TRACES_DIR/$2.csv" --pool $strategy --json \
                --limit "$(awk -v p="$3" -v l="$limit" -v c=$change 'BEGIN { printf "%.0f", p * (l - c) }')"
            expect_code 0
            if [ $change = 0 ]; then
                expect_json strategies.0.ooms 0
            else
                expect_json_range strategies.0.ooms 1 1000000
            fi
        done
    done < <(awk -v start="$1" 'index($0, start) == 1 { on = 1 } on && /^\| `/ { print } on && /^\| `adaptive --/ { exit }' "$guide")
}
expect_guide "Training, " llm_training_512 12426629128 3
expect_guide "Inference, " llm_inference_1024 2877435904 4
check "$rows rows in the guide" test "$rows" -eq 12

# The picture where blocks were moved.
weir replay "$WEIR_TRACES_DIR/llm_training_512.csv" --svg "$work/picture.svg"
expect_code 0
check "not well-formed" "$SVG_READ" <"$work/picture.svg" >"$work/read"
check "no curve" grep -q "^adaptive reserved" "$work/read"

# At a limit a little above what the blocks need, only this one keeps every request.
weir replay "$WEIR_TRACES_DIR/llm_training_512.csv" --limit 12550000000 --json --pool adaptive
expect_code 0
expect_json strategies.0.ooms 0
weir replay "$WEIR_TRACES_DIR/llm_training_512.csv"
expect_code 0
expect_stdout "^\* +adaptive "
finish

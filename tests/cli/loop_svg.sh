#!/usr/bin/env bash
# The picture of `weir loop --svg`: well-formed, with the numbers of the JSON, whole or not there at all.
# shellcheck source-path=SCRIPTDIR source=cli.bash
. "$(dirname "$0")/cli.bash"
unset WEIR_DEVICE WEIR_POOL WEIR_LIMIT WEIR_MEMORY_DEBUG
device=$(test_devices | head -n 1)
export WEIR_DEVICE=$device
picture=$work/picture.svg

read_picture() { # the picture as lines of text and curves
    check "not well-formed" "$SVG_READ" <"$picture" >"$work/read" 2>>"$work/err"
    if command -v xmllint >/dev/null; then check "xmllint refuses it" xmllint --noout "$picture" 2>>"$work/err"; fi
}
expect_text() { check "no text: $1" grep -Eq -- "^text $1\$" "$work/read"; }

# expect_curve FORM KIND BYTES: the highest point lies where BYTES are, to the hundredth of the paper's unit.
expect_curve() {
    local largest
    largest=$(awk -v f="$1" -v k="$2" '$1 == f && $2 == k { print $5 }' "$work/read")
    check "$1 $2 is drawn at ${largest:-nothing}, expected $3" awk -v v="$largest" -v e="$3" \
        'BEGIN { exit !(v ~ /^[0-9]+$/ && v >= e * 0.995 - 1 && v <= e * 1.005 + 1) }'
}

# Every form of the JSON has its curves, and they reach its peaks; the axes have units.
expect_forms() {
    local i=0 form saved
    read_picture
    while form=$(json "forms.$i.form" 2>/dev/null); do
        expect_text "$form"
        expect_curve "$form" in-use "$(json "forms.$i.peak_in_use")"
        # What `direct` has reserved depends on when released roots are free, so on the run.
        [ "$(json pool)" = direct ] || expect_curve "$form" reserved "$(json "forms.$i.peak_reserved")"
        saved=$(json "forms.$i.tape_saved_bytes")
        [ "$saved" -eq 0 ] || expect_curve "$form" kept "$saved"
        check "an area for $form" test "$saved" -gt 0 -o "$(grep -c "^$form kept" "$work/read")" -eq 0
        i=$((i + 1))
    done
    check "no forms" test "$i" -gt 0
    check "curves of other forms" test "$(grep -c " in-use " "$work/read")" -eq "$i"
    expect_text "bytes in use.*"
    expect_text "bytes reserved.*"
    expect_text "bytes \(1 KiB = 1024\)"
    expect_text "steps done"
}

# What a run printed as JSON must be what its picture shows: all forms, each alone, all scales, few and many steps.
for arguments in "--steps 600" "--steps 7" "--steps 1" "--steps 0" "--steps 257 --shape 4" "--steps 3 --shape 0" \
    "--steps 12 --pool direct --shape 1000" "--steps 9 --shape 70000"; do
    # shellcheck disable=SC2086
    weir loop $arguments --json --svg "$picture"
    expect_code 0
    expect_forms
done
forms=$("$WEIR" loop --steps 1 --json | tee "$work/out" | grep -c '"form":')
for i in $(seq 0 $((forms - 1))); do
    form=$("$WEIR" loop --steps 0 --json | "$JSON_GET" "forms.$i.form")
    weir loop --form "$form" --steps 300 --json --svg "$picture"
    expect_code 0
    expect_forms
done
check "steps in the heading" grep -q "^text Memory of 300 steps of f32\[1, 1024\]" "$work/read"

# A form that runs out of memory: its curve ends there, at the limit's line, and the legend says where.
weir loop --form keep --steps 24 --shape 262144 --limit 16M --json --svg "$picture"
expect_code 1
expect_forms
expect_text "limit 16.0 MiB"
expect_text "out_of_memory at step [0-9]+"
# shellcheck disable=SC2016
check "the curve ends at less than the peak" awk '$1 == "keep" && $2 == "in-use" { exit !($4 == $5) }' "$work/read"

# Standard output; and the picture takes the place of the table.
weir loop --form variable --steps 5 --svg -
expect_code 0
cp "$work/out" "$picture"
read_picture
expect_text "variable"
weir loop --steps 5 --svg - --json
expect_usage "--svg" "--json"
weir loop --svg
expect_usage "--svg" "missing"
weir loop --svg ""
expect_usage "--svg"

# What cannot be written is a failure of the end; the results are printed, and what was there stays.
mkdir "$work/folder"
for file in "$work/nowhere/picture.svg" "$work/folder" /dev/full; do
    weir loop --form variable --steps 5 --json --svg "$file"
    expect_code 1
    expect_json forms.0.status ok
    expect_stderr_lines 1
    expect_stderr "cannot be written"
done
if [ "$(id -u)" -ne 0 ]; then
    mkdir "$work/locked"
    echo old >"$work/locked/picture.svg"
    chmod 555 "$work/locked"
    weir loop --form variable --steps 5 --svg "$work/locked/picture.svg"
    expect_code 1
    check "the old file changed" test "$(cat "$work/locked/picture.svg")" = old
fi
check "leftovers" test "$(find "$work" -name 'picture.svg.*' | wc -l)" -eq 0

# A file is replaced by a whole one: its mode and links to it stay.
mkdir "$work/place"
echo old >"$work/place/real.svg"
chmod 640 "$work/place/real.svg"
ln -s real.svg "$work/place/link.svg"
weir loop --form variable --steps 5 --svg "$work/place/link.svg"
expect_code 0
check "the link is gone" test -L "$work/place/link.svg"
check "the mode changed" test "$(stat -c %a "$work/place/real.svg")" = 640
check "not the picture" grep -q "</svg>" "$work/place/real.svg"
check "leftovers" test "$(find "$work/place" -type f | wc -l)" -eq 1
umask 027
weir loop --form variable --steps 5 --svg "$work/place/new.svg"
check "the mode is not that of new files" test "$(stat -c %a "$work/place/new.svg")" = 640

# Ctrl-C leaves no file.
command_line="Ctrl-C in weir loop --svg"
timeout --preserve-status -s INT 1 "$WEIR" loop --form variable --shape 8 --steps 9000000000000 --svg "$work/place/cut.svg" >"$work/out" 2>"$work/err"
code=$?
expect_code 130
expect_stdout_empty
check "a picture all the same" test ! -e "$work/place/cut.svg"

# No device: no picture.
OCL_ICD_VENDORS=$work/none weir loop --svg "$work/place/none.svg"
expect_code 3
check "a picture all the same" test ! -e "$work/place/none.svg"
finish

#!/usr/bin/env bash
# The manual pages and the program tell of the same: commands, options, environment variables.
# shellcheck source-path=SCRIPTDIR source=cli.bash
. "$(dirname "$0")/cli.bash"
root=$(cd "$(dirname "$0")/../.." && pwd)
pages=$root/docs/man

# The options that a text of `--help` lists, and those that a page describes.
options_of_help() { sed -nE 's/^  --([a-z-]+).*/\1/p' "$work/out" | grep -vx help | sort; }
options_of_page() { sed -nE 's/^\.It Fl -([a-z-]+).*/\1/p' "$1" | sort; }

weir --help
commands=$(sed -nE 's/^  ([a-z]+)  .*/\1/p' "$work/out" | grep -vx weir | sort)
check "--help lists no commands" test -n "$commands"
check "the pages are not those of the commands" \
    test "$(basename -s .1 "$pages"/weir-*.1 | sed 's/^weir-//' | sort)" = "$commands"
for command in $commands; do
    page=$pages/weir-$command.1
    check "weir.1 does not list $command" grep -qx "\.It Ic $command" "$pages/weir.1"
    weir "$command" --help
    check "weir-$command.1 has other options than --help" test "$(options_of_page "$page")" = "$(options_of_help)"
    while read -r option; do
        check "the synopsis of weir-$command.1 lacks --$option" \
            grep -q -- "Fl -$option\b" <(sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESCRIPTION/p' "$page")
    done < <(options_of_help)
done

# Every variable of weir's own that the sources name stands under ENVIRONMENT of a page.
command_line="variables"
variables=$(grep -rhoE '"WEIR_[A-Z_]+"' "$root/src" "$root/tools" --include='*.c' | tr -d '"' | sort -u)
check "the sources read no variables" test -n "$variables"
for variable in $variables; do
    check "no page tells of $variable" grep -Eq "^\.It Ev $variable\$" "$pages"/*.1
done
while read -r variable; do
    check "nothing reads $variable" grep -qw "$variable" <<<"$variables"
done < <(sed -nE 's/^\.It Ev (WEIR_[A-Z_]+)$/\1/p' "$pages"/*.1 | sort -u)

# They render without a complaint, where a formatter is there.
if command -v groff >/dev/null; then
    for page in "$pages"/*.1; do
        command_line="groff $page"
        groff -mandoc -Tutf8 -ww "$page" >"$work/out" 2>"$work/err"
        check "the page does not render" test ! -s "$work/err"
    done
fi
finish

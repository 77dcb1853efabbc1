# Output: one line a step, logs in files.

WEIR_LOG_DIR=${WEIR_LOG_DIR:-$WEIR_DEV_ROOT/build/log}

say() { printf '%s\n' "$*"; }

complain() { printf 'tools/dev: %s\n' "$*" >&2; }

# step NAME TEXT COMMAND...: runs the command with its output in build/log/NAME.log; on failure shows the log's end and
# returns the command's exit code. step --optional ...: a failure is no matter, and one line.
step() {
    local is_optional=0
    if [ "$1" = --optional ]; then
        is_optional=1
        shift
    fi
    local name=$1 text=$2 start=$SECONDS code=0 log=$WEIR_LOG_DIR/$1.log
    shift 2
    mkdir -p "$WEIR_LOG_DIR"
    printf '%-56s ' "$text"
    "$@" >"$log" 2>&1 </dev/null || code=$?
    if [ "$code" -eq 0 ]; then
        printf 'ok    %4d s\n' $((SECONDS - start))
    elif [ "$is_optional" -eq 1 ]; then
        printf 'skipped %2d s (build/log/%s.log)\n' $((SECONDS - start)) "$name"
    else
        printf 'FAILED %3d s\n' $((SECONDS - start))
        tail -n "${WEIR_LOG_TAIL:-30}" "$log" >&2
        complain "whole log: build/log/$name.log"
    fi
    return "$code"
}

# What a command needs, whether it is there, and how it is got on Debian.
#
# A need is looked for by what it gives and not by the package's name, so that what was built by hand counts, and the
# same test works where there is no apt-get.

# shellcheck disable=SC2034 # the lists are read by the other parts of tools/dev
# probe|Debian package|what it is for
#   cmd:NAME program   pc:NAME pkg-config module   icd:TEXT name of an .icd file has TEXT   h:FILE header   file:PATH
#   python:venv a python that makes virtual environments
WEIR_NEEDS_BUILD='cmd:cmake|cmake|configuring (3.25 or newer)
cmd:ninja|ninja-build|building
cmd:cc|gcc|compiling
h:stdlib.h|libc6-dev|compiling
cmd:pkg-config|pkg-config|finding libraries
pc:OpenCL|ocl-icd-opencl-dev|the OpenCL loader and headers
pc:jansson|libjansson-dev|JSON output of the program
pc:libxxhash|libxxhash-dev|hashes'
WEIR_NEEDS_DEMO='icd:|pocl-opencl-icd|an OpenCL device'
WEIR_NEEDS_TEST='icd:pocl|pocl-opencl-icd|OpenCL on the processor
cmd:c++|g++|headers and consumers in C++
pc:criterion|libcriterion-dev|the test runner
pc:mpfr|libmpfr-dev|reference results
cmd:clang|clang|second compiler, kernel syntax'
WEIR_NEEDS_LINT='cmd:clang|clang|kernel syntax
cmd:clang-format|clang-format|format
cmd:clang-tidy|clang-tidy|clang-tidy
cmd:cppcheck|cppcheck|cppcheck
cmd:shellcheck|shellcheck|scripts
pc:criterion|libcriterion-dev|compile commands of the tests
pc:mpfr|libmpfr-dev|compile commands of the tests'
# What the tests can do without: each is for the column before the colon, or for every column.
WEIR_NEEDS_EXTRA='cmd:clinfo|clinfo|all: devices as another program lists them
icd:rusticl|mesa-opencl-icd|rusticl: second OpenCL implementation
file:/usr/lib/oclgrind/liboclgrind-rt-icd.so|oclgrind|oclgrind: finds accesses out of bounds
python:venv|python3-venv|intel: installing its runtime'

WEIR_ICD_SYSTEM_DIR=${WEIR_ICD_SYSTEM_DIR:-/etc/OpenCL/vendors}

# Prints a python that makes virtual environments; the system's first, it outlives one of a user's version manager.
venv_python() {
    local python
    for python in ${WEIR_PYTHON:-/usr/bin/python3 python3}; do
        if "$python" -c "import venv, ensurepip" 2>/dev/null; then
            echo "$python"
            return 0
        fi
    done
    return 1
}

probe() {
    local what=${1#*:} found
    case $1 in
    cmd:*) command -v "$what" >/dev/null ;;
    pc:*) command -v pkg-config >/dev/null && pkg-config --exists "$what" ;;
    h:*) cc -fsyntax-only -x c - <<<"#include <$what>" 2>/dev/null ;;
    icd:*)
        for found in "$WEIR_ICD_SYSTEM_DIR"/*"$what"*.icd; do
            [ ! -e "$found" ] || return 0
        done
        return 1
        ;;
    file:*) [ -e "$what" ] ;;
    python:*) venv_python >/dev/null ;;
    esac
}

# missing LIST...: the rows of the lists whose probe fails.
missing() {
    local list row
    for list in "$@"; do
        while IFS= read -r row; do
            probe "${row%%|*}" || printf '%s\n' "$row"
        done <<<"$list"
    done
}

row_packages() { cut -d'|' -f2 | sort -u | tr '\n' ' ' | sed 's/ $//'; }

# Prints the words to put before apt-get: nothing for root, sudo where it can ask or need not.
privilege() {
    if [ "$(id -u)" -eq 0 ]; then
        return 0
    elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
        echo sudo
    else
        return 1
    fi
}

# apt_get [--optional] PACKAGE...: as root or with sudo; without questions. A machine that has just started may be
# installing updates: that is waited for.
apt_get() {
    local words mode=()
    if [ "$1" = --optional ]; then
        mode=("$1")
        shift
    fi
    words=$(privilege) || return 1
    if [ -z "${WEIR_APT_UPDATED:-}" ]; then
        if [ -n "$words" ]; then
            # The password is asked for here, where the terminal is, and not inside a logged step.
            sudo -v || return 1
        fi
        # shellcheck disable=SC2086
        step --optional apt-update "package lists" $words apt-get update -oDPkg::Lock::Timeout=300 || true
        WEIR_APT_UPDATED=1
    fi
    # shellcheck disable=SC2086
    step "${mode[@]}" apt-install "installing $*" $words env DEBIAN_FRONTEND=noninteractive \
        apt-get install -oDPkg::Lock::Timeout=300 -y --no-install-recommends "$@"
}

tell_missing() { # rows
    local row
    while IFS= read -r row; do
        complain "missing: $(cut -d'|' -f3 <<<"$row") (${row%%|*}; Debian: $(cut -d'|' -f2 <<<"$row"))"
    done <<<"$1"
}

# require LIST...: everything of the lists is there on return; exits with 2 where it cannot be had, and then names what
# is missing of the list WEIR_WANTS too.
require() {
    local rows packages
    rows=$(missing "$@")
    if [ -n "$rows" ]; then
        packages=$(row_packages <<<"$rows")
        if ! command -v apt-get >/dev/null; then
            tell_missing "$rows"
            complain "this is not Debian (no apt-get): install these by your system's own means"
            exit 2
        fi
        if ! privilege >/dev/null; then
            tell_missing "$rows"
            rows=$(missing "${WEIR_WANTS:-}")
            [ -z "$rows" ] || complain "used where it is there: $(row_packages <<<"$rows")"
            complain "not root, and no sudo that asks for nothing or can ask on a terminal; run as root:"
            printf 'apt-get install %s\n' "$packages"
            exit 2
        fi
        # shellcheck disable=SC2086
        apt_get $packages || true
        rows=$(missing "$@")
        if [ -n "$rows" ]; then
            tell_missing "$rows"
            complain "these could not be installed; try:"
            printf 'apt-get install %s\n' "$(row_packages <<<"$rows")"
            exit 2
        fi
    fi
    check_cmake
}

check_cmake() {
    local have
    have=$(cmake --version | sed -n '1s/[^0-9]*\([0-9]*\.[0-9]*\).*/\1/p')
    if [ "$(printf '3.25\n%s\n' "$have" | sort -V | head -n 1)" != 3.25 ]; then
        complain "cmake $have is too old: 3.25 or newer is needed"
        exit 2
    fi
}

# prefer LIST: tries to install what is missing, each package alone; never fails.
prefer() {
    local rows package
    rows=$(missing "$@")
    [ -n "$rows" ] || return 0
    command -v apt-get >/dev/null && privilege >/dev/null || return 0
    for package in $(row_packages <<<"$rows"); do
        apt_get --optional "$package" || true
    done
}

# The OpenCL implementations that tests run on, each as a folder that tests/matrix takes:
#   build/icd/NAME/vendors/*.icd   for OCL_ICD_VENDORS
#   build/icd/NAME/env             more variables, lines VAR=value
#   build/icd/NAME/skipped         instead of these: why it is not there, one line
# NAME: pocl intel rusticl oclgrind.

WEIR_ICD_DIR=${WEIR_ICD_DIR:-$WEIR_DEV_ROOT/build/icd}
WEIR_INTEL_DIR=${XDG_CACHE_HOME:-$HOME/.cache}/weir-dev/intel

# implementation NAME LIBRARY [VAR=value...]
implementation() {
    local dir=$WEIR_ICD_DIR/$1
    mkdir -p "$dir/vendors"
    printf '%s\n' "$2" >"$dir/vendors/$1.icd"
    shift 2
    : >"$dir/env"
    [ $# -eq 0 ] || printf '%s\n' "$@" >"$dir/env"
}

skipped() {
    mkdir -p "$WEIR_ICD_DIR/$1"
    printf '%s\n' "$2" >"$WEIR_ICD_DIR/$1/skipped"
}

system_icd() { # the library that the system's .icd file of this name has
    local file
    for file in "$WEIR_ICD_SYSTEM_DIR"/*"$1"*.icd; do
        [ -e "$file" ] && head -n 1 "$file" && return 0
    done
    return 1
}

# Intel's CPU runtime comes from PyPI into a venv. Its libraries are found through LD_LIBRARY_PATH, but the venv also
# has a loader of its own, which must not take the place of the system's: hence a folder of links to all others.
intel_install() {
    local python
    python=$(venv_python) || return 1
    [ -x "$WEIR_INTEL_DIR/bin/python" ] || "$python" -m venv "$WEIR_INTEL_DIR" || return 1
    "$WEIR_INTEL_DIR/bin/python" -m pip install --quiet --disable-pip-version-check \
        intel-opencl-rt intel-cmplr-lib-rt
}

intel_links() {
    local links=$WEIR_INTEL_DIR/links file
    rm -rf "$links"
    mkdir -p "$links" || return 1
    for file in "$WEIR_INTEL_DIR"/lib/*; do
        case ${file##*/} in
        libOpenCL.so* | python* | __pycache__ | pkgconfig | cmake) ;;
        *) ln -s "$file" "$links/" || return 1 ;;
        esac
    done
}

find_intel() {
    local library=$WEIR_INTEL_DIR/lib/libintelocl.so
    if [ "$(uname -m)" != x86_64 ]; then
        skipped intel "Intel's runtime is for x86_64 only, this is $(uname -m)"
    elif [ ! -e "$library" ] && [[ ${WEIR_WANTS:-} != *'intel: '* ]]; then
        skipped intel "not installed (tools/dev test intel does that)"
    elif [ ! -e "$library" ] && ! probe python:venv; then
        skipped intel "not installed, and there is no python3 with venv to install it (Debian: python3-venv)"
    elif [ ! -e "$library" ] && ! step --optional intel "installing Intel's CPU runtime into a venv" intel_install; then
        skipped intel "could not be installed from PyPI (build/log/intel.log)"
    elif ! intel_links; then
        skipped intel "no folder of links could be made in $WEIR_INTEL_DIR"
    else
        implementation intel "$WEIR_INTEL_DIR/links/libintelocl.so" "LD_LIBRARY_PATH=$WEIR_INTEL_DIR/links"
    fi
}

find_implementations() {
    local library
    rm -rf "$WEIR_ICD_DIR"
    library=$(system_icd pocl) && implementation pocl "$library"
    find_intel
    if library=$(system_icd rusticl); then
        implementation rusticl "$library" RUSTICL_ENABLE=llvmpipe
    else
        skipped rusticl "not installed (Debian: mesa-opencl-icd)"
    fi
    library=/usr/lib/oclgrind/liboclgrind-rt-icd.so
    if [ -e "$library" ]; then
        implementation oclgrind "$library"
    else
        skipped oclgrind "not installed (Debian: oclgrind)"
    fi
    export WEIR_ICD_DIR
}

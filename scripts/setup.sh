#!/usr/bin/env bash
# Sets up .venv with everything that the demo and the tests need; a second call returns at once.
#
#     bash scripts/setup.sh
#
# With a GPU it installs vLLM as published, without one the CPU build (scripts/vllm_cpu/README.md).
# Needs Debian and Python 3.11; as root it installs missing Debian packages itself.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
readonly root torch=torch==2.13.0+cpu torch_index=https://download.pytorch.org/whl/cpu

say() { echo "setup: $*" >&2; }

device() { if nvidia-smi -L >/dev/null 2>&1; then echo gpu; else echo cpu; fi; }

# What the environment depends on: a change in any of it makes the stamp stale.
fingerprint() {
    { pwd; device; find pyproject.toml scripts/setup.sh scripts/constraints.txt scripts/vllm_cpu -type f \
        -not -path '*/__pycache__/*' -print0 | sort -z | xargs -0 sha256sum; } | sha256sum
}

find_python() {
    local name
    for name in python3.11 python3 python; do
        if "$name" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null; then
            command -v "$name"
            return
        fi
    done
    return 1
}

# The data by which Tesseract reads a language; the program itself comes with the Python package tesserocr.
has_ocr_data() {
    if [ -n "${TESSDATA_PREFIX:-}" ]; then
        [ -e "$TESSDATA_PREFIX/$1.traineddata" ] || [ -e "$TESSDATA_PREFIX/tessdata/$1.traineddata" ]
    else
        compgen -G "/usr/share/tesseract-ocr/*/tessdata/$1.traineddata" >/dev/null
    fi
}

install_debian_packages() {
    local missing=() language
    find_python >/dev/null || missing+=(python3.11 python3.11-venv)
    [[ $(/sbin/ldconfig -p) == *libnuma.so.1* ]] || missing+=(libnuma1)
    for language in eng rus; do
        has_ocr_data "$language" || missing+=("tesseract-ocr-$language")
    done
    ((${#missing[@]})) || return 0
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        say "missing: ${missing[*]}; install them, on Debian with: sudo apt-get install ${missing[*]}"
        exit 1
    fi
    say "installing Debian packages: ${missing[*]}"
    apt-get update -qq >/dev/null
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "${missing[@]}" >/dev/null
}

pip_install() { .venv/bin/pip install -qq --disable-pip-version-check --no-deps "$@"; }

# uv resolves and links in seconds what pip takes minutes for.
uv_install() { "$root/.venv/bin/uv" pip install --quiet --python "$root/.venv/bin/python" "$@"; }

install_for_cpu() {
    say "installing torch for CPUs"
    # Without its dependencies, so that all versions are chosen together below.
    pip_install "$torch" 2>/dev/null || pip_install --index-url "$torch_index" "$torch"
    say "installing vLLM for CPUs, and lvqa"
    (
        cd scripts/vllm_cpu # paths in requirements.txt start here
        uv_install --constraint ../constraints.txt --requirement requirements.txt --editable "$root[dev]"
    )
}

install_for_gpu() {
    say "installing vLLM, and lvqa"
    uv_install --editable "$root[vllm,dev]"
}

stamp=.venv/lvqa-setup
now=$(fingerprint)
if [ "$(cat "$stamp" 2>/dev/null)" = "$now" ]; then exit 0; fi
install_debian_packages
if [ ! -x .venv/bin/python ]; then
    say "creating .venv"
    "$(find_python)" -m venv .venv
fi
pip_install --constraint scripts/constraints.txt uv
"install_for_$(device)"
# Its formulas alone, which a test compares ours with: what else it needs does not go with vLLM.
pip_install --constraint scripts/constraints.txt lm-polygraph
echo "$now" >"$stamp"
say "done: .venv is ready"

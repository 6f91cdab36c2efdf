#!/usr/bin/env bash
# Sets up everything that the tests need, then runs lint, types and the tests; arguments go to pytest.
#
#     bash scripts/test.sh [--coverage] [-k NAME …]
#
# --coverage prints the lines that no test runs; Python 3.11 takes two thirds more time with it.
set -euo pipefail
cd "$(dirname "$0")/.."
# Byte code is kept whatever the environment says: to compile vLLM anew takes ten seconds of each of its processes.
unset PYTHONDONTWRITEBYTECODE
measured=()
if [[ ${1:-} == --coverage ]]; then
    measured=(--cov --cov-report=)
    shift
fi
bash scripts/setup.sh
bash scripts/browser.sh >/dev/null
bash scripts/check/types_and_lint.sh
# A cache of its own: tests build folders that share names with real ones.
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
export HF_DATASETS_CACHE=$work/cache HF_HUB_OFFLINE=1

part() {
    local name=$1 status=0
    shift
    COVERAGE_FILE=$work/.coverage.$name .venv/bin/python -m pytest "${measured[@]}" --part "$name" "$@" || status=$?
    [[ $status == 5 ]] || return "$status" # arguments may leave one part without a test
}

# Side by side, since much of it waits: what needs servers, what a browser shows, the builders', and everything else.
# One vLLM serves the whole run.
running=()
for name in servers pages builders; do
    part "$name" "$@" >"$work/$name.log" 2>&1 &
    running+=($!)
done
passed=yes
part others "$@" || passed=no
for one in "${running[@]}"; do
    wait "$one" || passed=no
done
cat "$work/builders.log" "$work/pages.log" "$work/servers.log"
if ((${#measured[@]})); then
    .venv/bin/coverage combine -q --data-file="$work/.coverage" "$work"/.coverage.*
    .venv/bin/coverage report --data-file="$work/.coverage" --skip-covered
fi
[[ $passed == yes ]]

#!/usr/bin/env bash
# Sets up everything that the tests need, then runs lint, types and the tests; arguments go to pytest.
set -euo pipefail
cd "$(dirname "$0")/.."
bash scripts/setup.sh
bash scripts/browser.sh >/dev/null
bash scripts/check/types_and_lint.sh
# A cache of its own: tests build folders that share names with real ones.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HF_DATASETS_CACHE=$work/cache HF_HUB_OFFLINE=1

part() {
    local name=$1 status=0
    shift
    COVERAGE_FILE=$work/.coverage.$name .venv/bin/python -m pytest --cov --cov-report= --part "$name" "$@" || status=$?
    [[ $status == 5 ]] || return "$status" # arguments may leave one part without a test
}

# Side by side, since much of it waits: what needs servers, the builders', and everything else. One vLLM serves the
# whole run.
part servers "$@" >"$work/servers.log" 2>&1 &
servers=$!
part builders "$@" >"$work/builders.log" 2>&1 &
builders=$!
passed=yes
part others "$@" || passed=no
wait "$builders" || passed=no
wait "$servers" || passed=no
cat "$work/builders.log" "$work/servers.log"
.venv/bin/coverage combine -q --data-file="$work/.coverage" "$work"/.coverage.*
.venv/bin/coverage report --data-file="$work/.coverage" --skip-covered
[[ $passed == yes ]]

#!/usr/bin/env bash
# Sets up everything that the tests need, then runs lint, types and the tests.
set -euo pipefail
cd "$(dirname "$0")/.."
bash scripts/setup.sh
bash scripts/browser.sh >/dev/null
bash scripts/check/types_and_lint.sh
# A cache of its own: tests build folders that share names with real ones.
cache=$(mktemp -d)
trap 'rm -rf "$cache"' EXIT
HF_DATASETS_CACHE=$cache HF_HUB_OFFLINE=1 .venv/bin/python -m pytest -n auto --maxprocesses 4 --dist loadgroup --cov --cov-report=term:skip-covered "$@"

#!/usr/bin/env bash
# Ruff (lint and format) over everything, mypy --strict over the packages.
set -euo pipefail
cd "$(dirname "$0")/../.."
.venv/bin/ruff check
.venv/bin/ruff format --check
.venv/bin/mypy

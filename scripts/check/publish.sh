#!/usr/bin/env bash
# Publish to a Hub on the loopback address and load from it: first and second time, an update killed on the way, rows.
# The tests in tests/dataset_builders/publishing are the reduced form of this check, so the test run has no other.
source "$(dirname "$0")/common.sh"
scenes=93
[[ $reduced == yes ]] && scenes=4

PYTHONPATH=$PWD $python scripts/check/publish.py "$work" $scenes

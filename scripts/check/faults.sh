#!/usr/bin/env bash
# Sixteen conditions against a server that fails on purpose and is killed once, by a command that is killed twice:
# every conversation is there once, every reply belongs to its own history, and no failure has become an answer.
source "$(dirname "$0")/common.sh"
scenes=50 questions=125
[[ $reduced == yes ]] && scenes=4 questions=8

$lvqa build layered-vqa --scenes $scenes --out "$work/layered-vqa"
PYTHONPATH=$PWD $python scripts/check/faults.py "$work" $questions

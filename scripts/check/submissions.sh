#!/usr/bin/env bash
# Broken submissions, drawn from one good one, and bombs of full size: none is taken, every answer names its place.
source "$(dirname "$0")/common.sh"
count=5000 bomb=1024
[[ $reduced == yes ]] && count=100 bomb=64

PYTHONPATH=$PWD $python scripts/check/submissions.py --count $count --bomb $bomb

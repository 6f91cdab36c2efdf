#!/usr/bin/env bash
# What the layout stand-in, which classifies pages where no picture encoder is at hand, finds on procedural pages of
# documents that it has not learnt from. No model and no network is needed.
source "$(dirname "$0")/common.sh"
pages=400 floor=80
[[ $reduced == yes ]] && pages=80 floor=60
$lvqa build bear procedural "$work/pages" --pages $pages --seed 3
PYTHONPATH=$PWD $python scripts/check/classify.py "$work/pages" $floor

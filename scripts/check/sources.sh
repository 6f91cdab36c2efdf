#!/usr/bin/env bash
# Every scene of real layered files: layers, size, and the largest error against the picture stored with them, or why
# the file is refused. Reduced: three scenes a source.
#   sources.sh [--reduced] [FOLDER]   FOLDER holds coco/, mulan/, openraster/ and photoshop/; those missing are left out
source "$(dirname "$0")/common.sh"
layers=${arguments[0]:-../shared/data/layers}
if [[ ! -d $layers ]]; then
  echo "skipped: no layered files at $layers"
  exit 0
fi
most=1000
[[ $reduced == yes ]] && most=3
$python scripts/check/sources.py "$layers" $most

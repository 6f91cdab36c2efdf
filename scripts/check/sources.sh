#!/usr/bin/env bash
# Every scene of real layered files: layers, size, and the largest error against the picture stored with them, or why
# the file is refused; then a folder built from each source, and valid. Reduced: three scenes a source, no folders.
#   sources.sh [--reduced] [FOLDER]   FOLDER holds coco/, mulan/, openraster/ and photoshop/; those missing are left out
source "$(dirname "$0")/common.sh"
layers=${arguments[0]:-../shared/data/layers}
if [[ ! -d $layers ]]; then
  echo "skipped: no layered files at $layers"
  exit 0
fi
most=1000
[[ $reduced == yes ]] && most=3
$python scripts/check/sources.py "$layers" $most "$work"
[[ $reduced == yes ]] && exit

build() {
  $lvqa build layered-vqa --source "$1" --questions "$work/$1.yaml" --max-side 800 --out "$work/$1/layered-vqa" "${@:2}"
  $lvqa validate "$work/$1/layered-vqa"
}
cp examples/coco_photos/questions.yaml "$work/coco.yaml"
build coco --images "$layers/coco/images" --annotations "$layers/coco/instances.json"
build mulan --annotations "$layers/mulan/annotations" --images "$layers/mulan/images" \
  --pairing "$layers/mulan/pairing.csv" --base-licences "$layers/coco/instances.json"
build openraster --files "$layers/openraster"
build photoshop --files "$layers/photoshop"

#!/usr/bin/env bash
# The whole path on real photos: COCO masks to layers, hand-written questions, sixteen conditions, real vLLM, table.
#   photos.sh [--reduced] [FOLDER]   FOLDER holds images/ and instances.json of the photos in examples/coco_photos
source "$(dirname "$0")/common.sh"
photos=${arguments[0]:-../shared/data/layers/coco}
if [[ ! -f $photos/instances.json ]]; then
  echo "skipped: no photos at $photos"
  exit 0
fi
need_server "$@"
limit=(--runs 3)
[[ $reduced == yes ]] && limit=(--runs 1 --limit 2)

$lvqa build layered-vqa --source coco --images "$photos/images" --annotations "$photos/instances.json" \
  --questions examples/coco_photos/questions.yaml --out "$work/layered-vqa"
$lvqa validate "$work/layered-vqa"
$python - "$work/layered-vqa" "$photos/images" <<'P'
import json, sys
from collections import Counter
from pathlib import Path
import numpy as np
from PIL import Image
folder, photos = map(Path, sys.argv[1:])
for line in (folder / "scenes.jsonl").read_text().splitlines():
    scene = json.loads(line)
    composite = np.asarray(Image.open(folder / scene["composite_file_name"]))
    photo = np.asarray(Image.open(photos / f"{int(scene['scene_id']):012d}.jpg").convert("RGB"))
    error = int(np.abs(composite.astype(int) - photo).max())
    print(f"  {scene['scene_id']}: {scene['depth']} layers, {scene['licence']}, largest error against the photo {error}/255")
    assert error == 0
rows = [json.loads(line) for line in (folder / "full.jsonl").read_text().splitlines()]
categories = Counter(row["category"] for row in rows)
files = [path for path in folder.rglob("*") if path.is_file()]
pictures = sum(path.stat().st_size for path in files if path.suffix == ".png")
print(f"  {len(rows)} questions: {dict(categories)}; folder {sum(p.stat().st_size for p in files) / pictures:.2f} x its pictures")
assert len(rows) >= 18 and len(categories) == 6
P
$lvqa run "${serve[@]}" --dataset "$work/layered-vqa" --out "$work/run" "${limit[@]}"
$lvqa judge "$work/run" --judge exact-match
$lvqa report "$work/run" | tee "$work/table.txt"

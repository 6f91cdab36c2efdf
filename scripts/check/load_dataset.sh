#!/usr/bin/env bash
# The built folder as users load it: every config, map-style and streaming; pictures stored once; no stale rows.
source "$(dirname "$0")/common.sh"
scenes=93
[[ $reduced == yes ]] && scenes=4

$lvqa build layered-vqa --scenes $scenes --out "$work/a/layered-vqa"
cd "$work/a"
echo "a row of sharded-v:"
$python -c "from datasets import load_dataset; d=load_dataset('layered-vqa','sharded-v',split='test'); r=d[0]; print(len(r['turns']), [l.mode for l in r['layers']])"

cat > "$work/configs.py" <<'P'
from datasets import get_dataset_config_names, load_dataset
names = get_dataset_config_names("layered-vqa")
for name in names:
    rows = load_dataset("layered-vqa", name, split="test")
    streamed = load_dataset("layered-vqa", name, split="test", streaming=True)
    first = next(iter(streamed))
    assert rows.features == streamed.features, name
    assert [p.mode for p in first["layers"]] == ["RGBA"] * len(first["layers"]), name
    print(f"  {name}: {len(rows)} rows; streamed: {first['composite'].mode} {len(first['layers'])} layers")
assert len(names) == 17, names
P
echo "every config:"
$python "$work/configs.py"

$python - <<'P'
from pathlib import Path
files = [path for path in Path("layered-vqa").rglob("*") if path.is_file()]
pictures = sum(path.stat().st_size for path in files if path.suffix == ".png")
total = sum(path.stat().st_size for path in files)
# What load_dataset keeps beside the folder counts too; it holds rows and paths, no picture.
import os
cached = sum(path.stat().st_size for path in Path(os.environ["HF_DATASETS_CACHE"]).rglob("*") if path.is_file())
copies = [p for p in Path(os.environ["HF_DATASETS_CACHE"]).rglob("*") if p.is_file() and b"\x89PNG" in p.read_bytes()]
once = sum({path.read_bytes(): path.stat().st_size for path in files if path.suffix == ".png"}.values())
print(f"disk: pictures {pictures:,} bytes in {sum(p.suffix == '.png' for p in files)} files, {pictures / once:.2f} x "
      f"what they are stored once; rows and card {total - pictures:,}")
print(f"cache of all 17 configs: {cached:,} bytes, pictures in it: {len(copies)}")
assert pictures <= 1.1 * once and not copies
P

count() { (cd "$1" && $python -c "from datasets import load_dataset; d=load_dataset('layered-vqa',split='test'); print(len(set(d['scene_id'])), d[0]['scene_id'])"); }
echo "scenes before a rebuild at the same path and version: $(count "$work/a")"
$lvqa build layered-vqa --scenes 2 --seed 1 --out "$work/a/layered-vqa" > /dev/null
after=$(count "$work/a")
echo "after it: $after"
[[ $after == "2 proc-s1-0000" ]] || fail "the rebuilt folder is read stale"
$lvqa build layered-vqa --scenes 3 --seed 2 --out "$work/b/layered-vqa" > /dev/null
other=$(count "$work/b")
echo "another folder of the same name: $other; the first again: $(count "$work/a")"
[[ $other == "3 proc-s2-0000" && $(count "$work/a") == "$after" ]] || fail "folders of one name mix"

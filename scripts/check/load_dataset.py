"""Load a built folder in every way that users do, and print what was found; part of load_dataset.sh."""

import json
import os
import sys
from pathlib import Path

from datasets import get_dataset_config_names, load_dataset

from dataset_builders.layered_vqa.build import build
from dataset_builders.layered_vqa.conditions import CONDITIONS, ConditionOptions
from dataset_builders.layered_vqa.sources.procedural import ProceduralSource


def pixels(row):
    return [(picture.mode, picture.size, picture.tobytes()) for picture in [row["composite"], *row["layers"]]]


def words(row):
    return {key: value for key, value in row.items() if key not in ("composite", "layers")}


def check_configs():
    """Every config, map-style and streamed: the same features, rows and pixels as were written."""
    names = get_dataset_config_names("layered-vqa")
    assert names == [*CONDITIONS.names(), "scenes"], names
    features = set()
    for name in names:
        rows = load_dataset("layered-vqa", name, split="test")
        streamed = load_dataset("layered-vqa", name, split="test", streaming=True)
        written = [json.loads(line) for line in Path(f"layered-vqa/{name}.jsonl").read_text().splitlines()]
        first, last = next(iter(streamed)), rows[-1]
        assert rows.features == streamed.features
        assert len(rows) == len(written)
        assert pixels(first) == pixels(rows[0])
        for found, expected in ((first, written[0]), (last, written[-1])):
            assert words(found) == {k: v for k, v in expected.items() if "file_name" not in k}, name
            assert [mode for mode, _, _ in pixels(found)] == ["RGB"] + ["RGBA"] * len(found["layers"])
        features.add(repr(rows.features) if name != "scenes" else "")
        print(f"  {name}: {len(rows)} rows; streamed: RGB and {len(first['layers'])} RGBA layers")
    assert len(features) == 2, "the sixteen conditions have one set of features"


def check_disk():
    """Pictures are on disk once, and nowhere in the cache."""
    files = [path for path in Path("layered-vqa").rglob("*") if path.is_file()]
    pictures = [path for path in files if path.suffix == ".png"]
    size = sum(path.stat().st_size for path in pictures)
    once = sum(len(data) for data in {path.read_bytes() for path in pictures})
    text = sum(path.stat().st_size for path in files) - size
    cached = [path for path in Path(os.environ["HF_DATASETS_CACHE"]).rglob("*") if path.is_file()]
    copies = [path for path in cached if b"\x89PNG" in path.read_bytes()]
    print(
        f"disk: {len(pictures)} pictures of {size:,} bytes, {size / once:.2f} x storing each once;", end=" "
    )
    print(
        f"rows, card and manifest {text:,}; cache of all configs {sum(p.stat().st_size for p in cached):,},",
        end=" ",
    )
    print(f"pictures in it: {len(copies)}")
    assert size <= 1.1 * once
    assert not copies


def scenes_of(folder):
    """Load from the folder that holds the built set, as a user in it does."""
    os.chdir(folder)
    return sorted(set(load_dataset("layered-vqa", split="test")["scene_id"]))


def rebuilt(folder, scenes, seed):
    build(ProceduralSource(scenes=scenes, seed=seed), folder / "layered-vqa", "1.0.0", ConditionOptions())
    return [f"proc-s{seed}-{number:04}" for number in range(scenes)]


def main():
    work = Path(sys.argv[1])
    os.chdir(work / "a")
    check_configs()
    check_disk()
    before = scenes_of(work / "a")
    expected = rebuilt(work / "a", scenes=2, seed=1)
    print(f"rebuilt at the same path and version: {len(before)} scenes before, now {scenes_of(work / 'a')}")
    assert scenes_of(work / "a") == expected
    other = rebuilt(work / "b", scenes=3, seed=2)
    print(
        f"another folder of the same name: {scenes_of(work / 'b')}; the first again: {scenes_of(work / 'a')}"
    )
    assert scenes_of(work / "b") == other
    assert scenes_of(work / "a") == expected


if __name__ == "__main__":
    main()

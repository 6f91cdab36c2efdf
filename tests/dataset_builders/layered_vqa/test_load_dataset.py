"""The folder as `datasets` reads it, in processes of their own: its cache place is fixed at import."""

import json
import os
import subprocess
import sys

import pytest

from dataset_builders.layered_vqa.build import build
from dataset_builders.layered_vqa.conditions import CONDITIONS, ConditionOptions
from tests.support.sources import SmallSource


@pytest.fixture
def python(tmp_path):
    """Run a program in a folder with an empty cache of datasets; returns what it printed, as JSON."""

    def run(folder, program):
        environment = os.environ | {
            "HF_DATASETS_CACHE": str(tmp_path / "cache"),
            "HF_HUB_OFFLINE": "1",
            "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
        }
        done = subprocess.run(
            [sys.executable, "-c", program],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


def make(folder, **options):
    return build(SmallSource(**options), folder / "layered-vqa", "1.0.0", ConditionOptions()).folder


EVERY_CONFIG = """
import json
from datasets import get_dataset_config_names, load_dataset
found = {}
for name in get_dataset_config_names("layered-vqa"):
    rows = load_dataset("layered-vqa", name, split="test")
    streamed = load_dataset("layered-vqa", name, split="test", streaming=True)
    one, other = rows[0], next(iter(streamed))
    pixels, same = (
        [(p.mode, p.tobytes().hex()[:64]) for p in [row["composite"], *row["layers"]]] for row in (one, other)
    )
    assert pixels == same
    texts = {key: value for key, value in one.items() if key not in ("composite", "layers")}
    assert texts == {key: value for key, value in other.items() if key not in ("composite", "layers")}
    found[name] = [len(rows), [p[0] for p in pixels], texts, repr(rows.features)]
    assert repr(rows.features) == repr(streamed.features)
print(json.dumps(found))
"""


def test_every_config_loads_and_streams_typed_and_alike_and_stores_pictures_once(tmp_path, python):
    folder = make(tmp_path, scenes=2)
    found = python(tmp_path, EVERY_CONFIG)
    assert list(found) == [*CONDITIONS.names(), "scenes"]
    assert len({features for name, (_, _, _, features) in found.items() if name != "scenes"}) == 1
    for name, (count, modes, texts, _) in found.items():
        assert count == 2
        assert modes == ["RGB"] + ["RGBA"] * 5
        written = json.loads((folder / f"{name}.jsonl").read_text().splitlines()[0])
        assert texts == {key: value for key, value in written.items() if "file_name" not in key}
    turns = found["sharded-v"][2]["turns"]
    assert [turn["layers"] for turn in turns] == [[0], [1], [2], [3], [4]]
    assert turns[0]["shards"] == []
    assert len(list(folder.rglob("*.png"))) == 2 * 6
    assert not any(b"\x89PNG" in path.read_bytes() for path in tmp_path.glob("cache/**/*.arrow"))


DEPTH_AND_PIXEL = """
import json
from datasets import load_dataset
d = load_dataset("layered-vqa", split="test")
print(json.dumps([len(d), len(d[0]["layers"]), d[0]["composite"].getpixel((0, 0))]))
"""


def test_a_rebuild_of_the_same_version_is_what_the_next_load_reads(tmp_path, python):
    make(tmp_path, scenes=2, depth=5)
    first = python(tmp_path, DEPTH_AND_PIXEL)
    make(tmp_path, scenes=2, depth=6)
    second = python(tmp_path, DEPTH_AND_PIXEL)
    assert first[:2] == [2, 5]
    assert second[:2] == [2, 6]
    assert first[2] != second[2]


def test_two_folders_of_one_name_do_not_mix(tmp_path, python):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    make(tmp_path / "a", scenes=2, depth=5)
    make(tmp_path / "b", scenes=3, depth=7)
    assert python(tmp_path / "a", DEPTH_AND_PIXEL)[:2] == [2, 5]
    assert python(tmp_path / "b", DEPTH_AND_PIXEL)[:2] == [3, 7]
    assert python(tmp_path / "a", DEPTH_AND_PIXEL)[:2] == [2, 5]

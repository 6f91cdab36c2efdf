"""Parquet files that stand alone: pictures inside, nothing of the machine that wrote them."""

import io
import shutil
from dataclasses import replace

import numpy as np
import pyarrow.parquet
import pytest
from click.testing import CliRunner
from datasets import load_dataset
from PIL import Image

from dataset_builders import parquet
from dataset_builders.layered_vqa.build import build
from dataset_builders.layered_vqa.conditions import ConditionOptions
from dataset_builders.parquet import ParquetError, write_parquet
from lvqa_eval.dataset import open_dataset
from lvqa_eval.main import main
from tests.support.sources import SmallSource

MARK = "machine-of-the-maker"


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    folder = tmp_path_factory.mktemp(MARK) / "layered-vqa"
    return open_dataset(str(build(SmallSource(scenes=3), folder, "1.0.0", ConditionOptions()).folder))


def loaded(path, cache):
    return load_dataset("parquet", data_files=str(path), split="train", cache_dir=str(cache))


def test_it_loads_elsewhere_with_the_folder_gone(tmp_path):
    folder = build(SmallSource(scenes=2), tmp_path / MARK / "d", "1.0.0", ConditionOptions()).folder
    there = open_dataset(str(folder))
    expected = load_dataset(str(folder), "sharded-v", split="test", cache_dir=str(tmp_path / "one"))
    features, words = expected.features, [strip(row) for row in expected]
    pixels = [[one.tobytes() for one in [row["composite"], *row["layers"]]] for row in expected]
    (path,) = write_parquet(there, tmp_path / "out", ["sharded-v"])
    shutil.rmtree(tmp_path / MARK)
    rows = loaded(path, tmp_path / "two")
    assert rows.features == features
    assert [strip(row) for row in rows] == words
    assert [[one.tobytes() for one in [row["composite"], *row["layers"]]] for row in rows] == pixels
    assert [one.mode for one in [rows[0]["composite"], *rows[0]["layers"]]] == ["RGB", *["RGBA"] * 5]


def strip(row):
    return {name: value for name, value in row.items() if name not in ("composite", "layers")}


def test_pictures_are_bytes_and_bare_names_and_no_directory_is_in_the_file(dataset, tmp_path):
    (path,) = write_parquet(dataset, tmp_path / "out", ["full"])
    data = path.read_bytes()
    for name in (MARK, str(dataset.folder), "/tmp", "scenes/"):
        assert name.encode() not in data
    column = pyarrow.parquet.read_table(path, columns=["composite", "layers"]).to_pylist()
    assert column[1]["composite"]["path"] == "composite.png"
    assert [one["path"] for one in column[1]["layers"]] == [f"layer-{index}.png" for index in range(5)]
    assert column[1]["composite"]["bytes"] == (dataset.folder / "scenes/s2/composite.png").read_bytes()
    for row in column:
        for picture in [row["composite"], *row["layers"]]:
            assert np.asarray(Image.open(io.BytesIO(picture["bytes"]))).shape[:2] == (32, 40)


def test_every_condition_and_the_scenes_are_written_when_none_is_named(dataset, tmp_path):
    two = replace(dataset, manifest=dataset.manifest | {"conditions": ["full", "oracle"]})
    paths = write_parquet(two, tmp_path / "out")
    assert [path.name for path in paths] == ["full.parquet", "oracle.parquet", "scenes.parquet"]
    assert sorted(tmp_path.joinpath("out").iterdir()) == sorted(paths)
    scenes = loaded(paths[-1], tmp_path / "cache")
    assert scenes["scene_id"] == ["s1", "s2", "s3"]


def test_the_same_folder_gives_the_same_bytes(dataset, tmp_path):
    one = write_parquet(dataset, tmp_path / "a", ["oracle", "scenes"])
    two = write_parquet(dataset, tmp_path / "b", ["oracle", "scenes", "oracle"])
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in two]


@pytest.mark.parametrize(("limit", "value", "groups"), [("MAX_ROWS", 2, [2, 1]), ("MAX_BYTES", 1, [1, 1, 1])])
def test_row_groups_are_small_in_rows_and_bytes(dataset, tmp_path, monkeypatch, limit, value, groups):
    monkeypatch.setattr(parquet, limit, value)
    (path,) = write_parquet(dataset, tmp_path / "out", ["full"])
    metadata = pyarrow.parquet.ParquetFile(path).metadata
    assert [metadata.row_group(index).num_rows for index in range(metadata.num_row_groups)] == groups
    assert parquet.MAX_ROWS <= 50


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    folder = build(SmallSource(scenes=2), tmp_path / "d", "1.0.0", ConditionOptions()).folder
    out = tmp_path / "out"
    (path,) = write_parquet(open_dataset(str(folder)), out, ["full"])
    before = path.read_bytes()
    (folder / "scenes/s2/layer-4.png").unlink()
    with pytest.raises(ParquetError, match=r"layer-4\.png: cannot be read: No such file"):
        write_parquet(open_dataset(str(folder)), out, ["full"])
    assert path.read_bytes() == before
    assert list(out.iterdir()) == [path]


def test_the_command_names_what_it_wrote_and_what_is_unknown(dataset, tmp_path):
    out = tmp_path / "out"
    done = CliRunner().invoke(main, ["parquet", str(dataset.folder), str(out), "--condition", "full"])
    size = (out / "full.parquet").stat().st_size
    assert (done.exit_code, done.stdout) == (0, f"{out / 'full.parquet'}: {size:,} bytes\n")
    refused = CliRunner().invoke(main, ["parquet", str(dataset.folder), str(out), "--condition", "fool"])
    assert refused.exit_code == 1
    assert "condition: found fool, allowed: full, concat-q" in refused.stderr

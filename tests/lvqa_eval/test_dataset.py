import json

import pytest

from dataset_builders.layered_vqa.build import build
from dataset_builders.layered_vqa.conditions import CONDITIONS, ConditionOptions
from lvqa_eval.dataset import DatasetError, open_dataset
from tests.support.sources import SmallSource


@pytest.fixture
def folder(tmp_path):
    return build(SmallSource(scenes=2), tmp_path / "layered-vqa", "1.0.0", ConditionOptions()).folder


def test_rows_are_typed_and_complete(folder):
    dataset = open_dataset(str(folder))
    assert dataset.version == "1.0.0"
    assert dataset.conditions == CONDITIONS.names()
    row = dataset.rows("snowball-v")[1]
    assert (row.question_id, row.scene_id, row.depth, row.images_sent) == ("q2", "s2", 5, 15)
    assert [turn.layers for turn in row.turns][:2] == [(0,), (0, 1)]
    assert row.dependencies[0].before == 2
    assert dataset.picture(row.layers_file_names[3]) == folder / "scenes/s2/layer-3.png"
    assert [scene.captions[1] for scene in dataset.scenes()] == ["layer 1", "layer 1"]


def test_the_manifest_hash_follows_the_content(folder):
    before = open_dataset(str(folder)).manifest_sha256
    build(SmallSource(scenes=3), folder, "1.0.0", ConditionOptions())
    assert open_dataset(str(folder)).manifest_sha256 != before
    assert len(open_dataset(str(folder)).rows("full")) == 3


def test_every_bad_line_is_told_with_its_number_and_field(folder):
    rows = [json.loads(line) for line in (folder / "full.jsonl").read_text().splitlines()]
    rows[0]["gold_layers"] = [1, "two"]
    del rows[1]["answer"]
    text = "\n".join(map(json.dumps, rows)) + "\n{torn"
    (folder / "full.jsonl").write_text(text)
    with pytest.raises(DatasetError) as caught:
        open_dataset(str(folder)).rows("full")
    first, second, third = caught.value.problems
    assert first.startswith(f"{folder}/full.jsonl: line 1: gold_layers.1: Input should be a valid integer")
    assert first.endswith("found 'two'")
    assert second.startswith(f"{folder}/full.jsonl: line 2: answer: Field required")
    assert third.startswith(f"{folder}/full.jsonl: line 3: line: Invalid JSON")


def test_line_separators_inside_text_do_not_split_lines(folder):
    path = folder / "full.jsonl"
    row = json.loads(path.read_text().splitlines()[0])
    row["question"] = "one\u2028two\u0085three"
    path.write_text(json.dumps(row, ensure_ascii=False) + "\n", encoding="utf-8")
    (read,) = open_dataset(str(folder)).rows("full")
    assert read.question == "one\u2028two\u0085three"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("nowhere", "found 'nowhere', allowed: a folder that exists, or ORG/NAME on the Hub"),
        ("./no/where", "found './no/where', allowed: a folder that exists, or ORG/NAME on the Hub"),
    ],
)
def test_what_is_neither_folder_nor_hub_name_is_refused(name, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DatasetError, match=told):
        open_dataset(name)


def test_a_hub_name_out_of_reach_is_one_clear_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(DatasetError, match="'org/layered-vqa' is no folder here, and the Hub gave: "):
        open_dataset("org/layered-vqa")


def test_unknown_conditions_and_foreign_folders_are_refused(folder, tmp_path):
    with pytest.raises(DatasetError, match="condition: found 'fully', allowed: full, concat-q"):
        open_dataset(str(folder)).rows("fully")
    (tmp_path / "other").mkdir()
    with pytest.raises(DatasetError, match=r"found no manifest\.json"):
        open_dataset(str(tmp_path / "other"))
    (tmp_path / "other" / "manifest.json").write_text('{"version": "1.0.0"}')
    with pytest.raises(DatasetError) as caught:
        open_dataset(str(tmp_path / "other"))
    assert [line.split(": ", 1)[1] for line in caught.value.problems] == [
        "dataset: missing",
        "conditions: missing",
    ]


def test_pictures_of_the_hubs_cache_are_links_and_are_found(folder, tmp_path):
    blob = tmp_path / "blobs" / "a"
    blob.parent.mkdir()
    picture = folder / "scenes/s1/composite.png"
    blob.write_bytes(picture.read_bytes())
    picture.unlink()
    picture.symlink_to(blob)
    assert open_dataset(str(folder)).picture("scenes/s1/composite.png").read_bytes() == blob.read_bytes()


@pytest.mark.parametrize("name", ["../x.png", "scenes/../../x.png", "/etc/passwd"])
def test_paths_that_lead_out_of_the_folder_are_refused(folder, name):
    with pytest.raises(DatasetError, match="allowed: a path inside the folder"):
        open_dataset(str(folder)).picture(name)

import json
import re

import numpy as np
import pytest
from PIL import Image

from dataset_builders.layered_vqa.build import build
from dataset_builders.layered_vqa.conditions import ConditionOptions
from dataset_builders.layered_vqa.validate import validate
from dataset_builders.manifest import hash_files, write_manifest
from dataset_builders.publishing.lint import rows_and_pictures
from tests.support.sources import SmallSource


@pytest.fixture
def folder(tmp_path):
    return build(SmallSource(scenes=2), tmp_path / "layered-vqa", "1.0.0", ConditionOptions()).folder


def rehash(folder):
    """Make card and manifest agree with the files again, so that only the content is at fault."""
    facts = json.loads((folder / "manifest.json").read_text())
    del facts["files"]
    hashes = hash_files(folder)
    pictures = [path for path in hashes if path.startswith("scenes/")]
    card = (folder / "README.md").read_text()
    for name in [*facts["conditions"], "scenes"]:
        digest = rows_and_pictures([f"{name}.jsonl", *pictures], hashes)[:16]
        described = rf"(config_name: {name}\n(?:.*\n)*?.* sha256:)\w+"
        card = re.sub(described, rf"\g<1>{digest}", card, count=1)
    (folder / "README.md").write_text(card)
    write_manifest(folder, facts)


def change_row(folder, file, **fields):
    path = folder / f"{file}.jsonl"
    first, *others = path.read_text().splitlines()
    path.write_text("\n".join([json.dumps(json.loads(first) | fields), *others]) + "\n")
    rehash(folder)


def test_a_fresh_build_is_valid(folder):
    assert validate(folder) == []


def test_changed_missing_and_added_files_are_named(folder):
    (folder / "full.jsonl").write_bytes((folder / "full.jsonl").read_bytes() + b"\n")
    (folder / "scenes/s1/layer-2.png").unlink()
    (folder / "notes.txt").write_text("x")
    lines = validate(folder)
    assert any("full.jsonl: changed: found sha256" in line for line in lines)
    assert any(line.endswith("layer-2.png: missing, the manifest lists it") for line in lines)
    assert any(line.endswith("notes.txt: not in the manifest") for line in lines)


def test_a_broken_invariant_names_file_line_question_and_rule(folder):
    change_row(folder, "oracle", gold_layers=[1])
    assert validate(folder) == [
        f"{folder}/oracle.jsonl: line 1: q1: minimal_sets[0]: first-set-is-gold: "
        "found {1, 2}, allowed: {1}"
    ]


def test_a_schedule_that_the_condition_does_not_give_is_refused(folder):
    rows = [json.loads(line) for line in (folder / "sharded-v.jsonl").read_text().splitlines()]
    change_row(folder, "sharded-v", turns=rows[0]["turns"][::-1])
    (line,) = validate(folder)
    assert line.startswith(f"{folder}/sharded-v.jsonl: line 1: q1: turns: found (Turn(text='Here is layer 4")


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"answer": 3}, "line 1: answer: Input should be a valid string, found 3"),
        ({"conflicts": True}, "line 1: conflicts: Input should be a valid integer, found True"),
        ({"extra": 1}, "line 1: extra: Extra inputs are not permitted, found 1"),
        ({"canary": "gone"}, "canary: found 'gone'"),
        ({"condition": "oracle"}, "condition: found 'oracle', the file is of 'full'"),
        ({"scene_id": "s9"}, "scene_id: found 's9', which scenes.jsonl lacks"),
        ({"composite_file_name": "scenes/s2/composite.png"}, "pictures: found others than those of scene s1"),
    ],
)
def test_wrong_fields_are_told_with_what_was_found(folder, fields, told):
    change_row(folder, "full", **fields)
    assert any(told in line for line in validate(folder))


def test_layers_that_miss_their_composite_are_refused_with_the_error(folder):
    path = folder / "scenes/s1/composite.png"
    pixels = np.array(Image.open(path))
    pixels[0, 0, 0] ^= 4
    Image.fromarray(pixels).save(path)
    rehash(folder)
    assert validate(folder) == [
        f"{folder}: scenes.jsonl: s1: composite: the layers miss it by up to 4/255, they must make it exactly"
    ]


def test_pictures_of_another_mode_or_outside_the_folder_are_refused(folder):
    Image.open(folder / "scenes/s1/layer-1.png").convert("RGB").save(folder / "scenes/s1/layer-1.png")
    rows = (folder / "scenes.jsonl").read_text().replace("scenes/s2/layer-1.png", "../../etc/passwd")
    (folder / "scenes.jsonl").write_text(rows)
    rehash(folder)
    text = "\n".join(validate(folder))
    assert "found mode RGB, allowed: RGBA" in text
    assert "picture: found '../../etc/passwd', allowed: a path inside the folder" in text


def test_a_folder_without_a_manifest_says_so(tmp_path):
    assert validate(tmp_path) == [
        f"{tmp_path}/manifest.json: not found; a dataset folder has one",
        f"{tmp_path}: found no manifest.json; a dataset folder has one",
    ]


def test_the_card_is_checked_with_the_rest(folder):
    card = folder / "README.md"
    card.write_text(card.read_text().replace("- config_name: oracle\n", "- config_name: the oracle\n"))
    rehash(folder)
    assert validate(folder) == [
        f"{card}: config 16: config_name: found 'the oracle', allowed: letters, digits, _ . -",
        f"{card}: oracle: a condition of the manifest without a config",
    ]

import json
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest
import yaml
from PIL import Image

from dataset_builders.layered_vqa.build import BuildError, build
from dataset_builders.layered_vqa.conditions import CONDITIONS, ConditionOptions
from dataset_builders.layered_vqa.rows import CANARY
from dataset_builders.layered_vqa.sources.source import Material, SceneSource
from dataset_builders.manifest import check_manifest, hash_files
from tests.support.examples import BY_HAND, scene
from tests.support.sources import SmallSource

OPTIONS = ConditionOptions()


class FixedSource(SceneSource):
    name: ClassVar[str] = "fixed"
    material: tuple = ()

    def recorded_options(self):
        return {}

    def read(self):
        yield from self.material


def test_the_folder_holds_what_the_card_promises(tmp_path):
    built = build(SmallSource(scenes=2), tmp_path / "layered-vqa", "1.2.3", OPTIONS)
    folder = built.folder
    names = sorted(path.name for path in folder.iterdir())
    expected = [f"{name}.jsonl" for name in [*CONDITIONS.names(), "scenes"]]
    assert names == sorted([*expected, "README.md", "croissant.json", "manifest.json", "scenes"])
    assert sorted(path.name for path in (folder / "scenes" / "s1").iterdir()) == [
        "composite.png",
        *(f"layer-{index}.png" for index in range(5)),
    ]
    assert (built.scenes, built.questions, len(built.conditions)) == (2, 2, 16)
    card = (folder / "README.md").read_text()
    head = yaml.safe_load(card.split("---\n")[1])
    assert [entry["config_name"] for entry in head["configs"]] == [*CONDITIONS.names(), "scenes"]
    assert [entry["config_name"] for entry in head["configs"] if entry.get("default")] == ["full"]
    assert {entry["version"] for entry in head["configs"]} == {"1.2.3"}
    assert CANARY in card
    assert "not for training" in card.lower()
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["version"] == "1.2.3"
    assert manifest["source"] == {"name": "small", "options": {"scenes": 2, "depth": 5}}
    assert manifest["condition_options"]["question_turn"] == "last"
    assert manifest["counts"]["misalignment"] == {"strict": 2}
    # In both deliveries layer 1 comes before layer 2, on which it depends.
    assert manifest["counts"]["reversed_dependencies"] == {"aligned-vq": 2, "misaligned-vq": 2}
    assert manifest["files"] == hash_files(folder)


def test_pictures_are_lossless_and_recompose(tmp_path):
    folder = build(SmallSource(scenes=1), tmp_path / "d", "1.0.0", OPTIONS).folder
    original = scene("s1")
    for index, layer in enumerate(original.layers):
        assert np.array_equal(np.asarray(Image.open(folder / f"scenes/s1/layer-{index}.png")), layer)
    assert np.array_equal(np.asarray(Image.open(folder / "scenes/s1/composite.png")), original.composite())


def test_the_same_build_gives_the_same_bytes(tmp_path):
    one, two = (
        build(SmallSource(), tmp_path / name / "layered-vqa", "1.0.0", OPTIONS, framework="own").folder
        for name in "ab"
    )
    assert {"README.md", "croissant.json", "eval.yaml"} < hash_files(one).keys()
    assert hash_files(one) == hash_files(two)
    assert (one / "manifest.json").read_bytes() == (two / "manifest.json").read_bytes()
    assert str(tmp_path).encode() not in (one / "manifest.json").read_bytes()


def test_every_problem_of_every_scene_and_example_comes_at_once(tmp_path):
    bad_scene = replace(scene("s 2"), captions=("one",))
    source = FixedSource(
        material=(
            Material(scene("s1"), (BY_HAND, replace(BY_HAND, category="colour"))),
            Material(bad_scene, (replace(BY_HAND, question_id="q2", depth=4),)),
        )
    )
    with pytest.raises(BuildError) as caught:
        build(source, tmp_path / "d", "1.0.0", OPTIONS)
    text = "\n".join(caught.value.problems)
    assert "scene s 2: captions: found 1, one a layer (5) is needed" in text
    assert "q1: two questions have this id" in text
    assert "q1: category: known-category: found 'colour'" in text
    assert "q2: scene: found s1 of 4 layers, it stands with s 2 of 5" in text
    assert "q2: distractors: layer-in-range: found [4]" in text
    assert "scene 's 2': allowed in names: letters, digits, _ . -" in text
    assert list(tmp_path.iterdir()) == []


def test_a_source_without_questions_and_a_bad_version_are_refused(tmp_path):
    with pytest.raises(BuildError, match="gives no question"):
        build(FixedSource(), tmp_path / "d", "1.0.0", OPTIONS)
    for version in ("1.0", "01.0.0", "1.0.0-beta", "v1.0.0"):
        with pytest.raises(BuildError, match=rf"version: found '{version}', allowed: MAJOR\.MINOR\.PATCH"):
            build(SmallSource(), tmp_path / "d", version, OPTIONS)


def test_a_folder_that_is_no_dataset_is_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(BuildError, match="not empty and not a dataset folder"):
        build(SmallSource(), tmp_path, "1.0.0", OPTIONS)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_failed_rebuild_leaves_the_earlier_build(tmp_path):
    folder = build(SmallSource(), tmp_path / "d", "1.0.0", OPTIONS).folder
    before = hash_files(folder)
    dated = replace(BY_HAND, answer="2020-05-01")
    with pytest.raises(BuildError):
        build(FixedSource(material=(Material(scene("s1"), (dated,)),)), folder, "1.0.0", OPTIONS)
    assert hash_files(folder) == before
    assert check_manifest(folder) == []
    assert [path.name for path in tmp_path.iterdir()] == ["d"]


@pytest.mark.parametrize(
    "answer", ["2020-05-01", "2020-05-01T10:00:00", "2020-05-01 10:00", "2020-05-01T10:00:00Z"]
)
def test_a_column_of_dates_alone_is_refused(tmp_path, answer):
    source = FixedSource(material=(Material(scene("s1"), (replace(BY_HAND, answer=answer),)),))
    with pytest.raises(BuildError, match=r"full\.jsonl: answer: every value is a date"):
        build(source, tmp_path / "d", "1.0.0", OPTIONS)


def test_dates_among_other_answers_and_numbers_stay_text(tmp_path):
    questions = [
        replace(BY_HAND, question_id=f"q{index}", answer=answer)
        for index, answer in enumerate(["2020-05-01", "3", "1.10", "red"])
    ]
    source = FixedSource(material=(Material(scene("s1"), tuple(questions)),))
    folder = build(source, tmp_path / "d", "1.0.0", OPTIONS).folder
    answers = [json.loads(line)["answer"] for line in (folder / "full.jsonl").read_text().splitlines()]
    assert answers == ["2020-05-01", "3", "1.10", "red"]


def test_a_scene_id_never_leads_out_of_the_folder(tmp_path):
    outside = replace(scene("s1"), scene_id="../../outside")
    example = replace(BY_HAND, scene_id="../../outside")
    with pytest.raises(BuildError, match=r"scene '\.\./\.\./outside': allowed in names"):
        build(FixedSource(material=(Material(outside, (example,)),)), tmp_path / "a" / "d", "1.0.0", OPTIONS)
    assert list(tmp_path.rglob("*.png")) == []

"""Dose-response scenes: one picture and one question, cut into different numbers of layers."""

import hashlib
from functools import cache
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from dataset_builders.layered_vqa.build import build
from dataset_builders.layered_vqa.conditions import ConditionOptions
from dataset_builders.layered_vqa.example import problems
from dataset_builders.layered_vqa.sources.procedural import DoseSource
from dataset_builders.layered_vqa.sources.procedural.cuts import Cut
from dataset_builders.layered_vqa.sources.source import SCENE_SOURCES, Material
from dataset_builders.layered_vqa.validate import validate
from lvqa_eval.matched import Matched, matched

GOLDEN = "6a4af46fd04a5ade0f4bcc604e6f0515621a4a54c810ee7f8c38cdce50ec7931"
CUTS: tuple[Cut, ...] = ("evidence", "context", "both")


@cache
def materials() -> list[Material]:
    return list(DoseSource(scenes=6, depth="2..3,5,7", cut=CUTS, seed=4).read())


@cache
def deepest() -> list[Material]:
    return list(DoseSource(scenes=1, seed=7).read())


def by_base() -> list[list[Material]]:
    everything = [*materials(), *deepest()]
    return [list(group) for _, group in groupby(everything, lambda one: identity(one).base)]


def identity(one: Material) -> Matched:
    found = matched(one.scene.scene_id)
    assert found is not None
    return found


def test_the_registry_finds_the_source() -> None:
    assert SCENE_SOURCES.get("procedural-dose") is DoseSource


def test_a_scene_comes_in_every_cut_and_depth_under_an_id_that_says_so() -> None:
    expected = [
        Matched(f"dose-s4-{index:04d}", cut, depth)
        for index in range(6)
        for cut in CUTS
        for depth in (2, 3, 5, 7)
    ]
    assert [identity(one) for one in materials()] == expected
    assert materials()[2].scene.scene_id == "dose-s4-0000-evidence-d05"
    assert materials()[2].scene.notes == ("matched: dose-s4-0000; cut: evidence; depth: 5",)
    assert materials()[2].examples[0].question_id == "dose-s4-0000-evidence-d05-q1"


def test_an_id_of_another_source_tells_no_match() -> None:
    assert matched("proc-s0-0003") is None
    assert matched("dose-s0-0003-both-d04") == ("dose-s0-0003", "both", 4)
    assert Matched("dose-s0-0003", "both", 4).scene_id == "dose-s0-0003-both-d04"


def test_all_cuts_of_a_scene_have_one_picture_and_the_same_words() -> None:
    for cuts in by_base():
        pictures = {one.scene.composite().tobytes() for one in cuts}
        words = {
            (
                example.question,
                example.answer,
                example.answer_description,
                example.category,
                *(shard.text for shard in example.shards),
            )
            for one in cuts
            for example in one.examples
        }
        assert (len(pictures), len(words)) == (1, 1)


def test_every_cut_is_sound_and_has_its_depth() -> None:
    for one in [*materials(), *deepest()]:
        assert one.scene.problems() == []
        assert one.scene.depth == identity(one).depth == one.examples[0].depth
        assert [str(problem) for problem in problems(one.examples[0])] == []
        assert [layer[..., 3].any() for layer in one.scene.layers] == [True] * one.scene.depth


def test_at_depth_two_all_evidence_lies_in_the_one_object_layer() -> None:
    shallow = [one.examples[0] for one in materials() if one.scene.depth == 2]
    assert len(shallow) == 18
    for example in shallow:
        assert example.minimal_sets == ((1,),)
        assert (example.distractors, example.dependencies) == ((0,), ())
        assert all(shard.support in ((), (1,)) for shard in example.shards)


def test_layers_have_hard_edges_and_nothing_hidden() -> None:
    for one in materials()[:4]:
        for layer in one.scene.layers[1:]:
            assert set(np.unique(layer[..., 3])) == {0, 255}
            assert not layer[layer[..., 3] == 0].any()


def test_objects_of_a_merged_layer_are_named_in_its_caption() -> None:
    shallow, deep = deepest()[0].scene, deepest()[10].scene
    assert (shallow.depth, deep.depth) == (2, 12)
    assert shallow.captions == (deep.captions[0], ", ".join(deep.captions[1:]))


def test_scenes_have_questions_of_all_categories_and_mostly_several_objects_of_evidence() -> None:
    finest = [one.examples[0] for one in materials() if identity(one)[1:] == ("both", 7)]
    assert len({example.category for example in finest}) == 6
    assert sum(len(example.evidence) > 1 for example in finest) >= 4


def test_the_same_options_give_the_same_bytes_and_a_longer_set_extends_a_shorter_one() -> None:
    again = list(DoseSource(scenes=2, depth="2,3,5,7", cut=CUTS, seed=4).read())
    for one, other in zip(again, materials(), strict=False):
        assert (one.scene.scene_id, one.examples) == (other.scene.scene_id, other.examples)
        assert [layer.tobytes() for layer in one.scene.layers] == [
            layer.tobytes() for layer in other.scene.layers
        ]


def test_bytes_of_the_first_cuts_are_pinned() -> None:
    digest = hashlib.sha256()
    for one in materials()[:4]:
        for layer in one.scene.layers:
            digest.update(layer.tobytes())
        digest.update(repr((one.scene.captions, one.examples)).encode())
    assert digest.hexdigest() == GOLDEN


def test_other_cuts_and_fewer_depths_match_as_long_as_the_deepest_is_the_same() -> None:
    few = list(DoseSource(scenes=2, depth="3,7", cut=("context",), seed=4).read())
    all_of_them = {one.scene.scene_id: one for one in materials()}
    assert [identity(one)[1:] for one in few] == [("context", 3), ("context", 7)] * 2
    for one in few:
        assert one.examples == all_of_them[one.scene.scene_id].examples


@pytest.mark.parametrize(
    ("text", "depths"),
    [
        ("2..12", tuple(range(2, 13))),
        ("2,4,8", (2, 4, 8)),
        ("8, 2..4", (2, 3, 4, 8)),
        ("4..4", (4,)),
        ("5,5", (5,)),
    ],
)
def test_depths_are_a_range_or_a_list(text: str, depths: tuple[int, ...]) -> None:
    assert DoseSource(depth=text).depths == depths


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"depth": "2-12"}, "a range like 2..12 or a list like 2,4,8 is allowed"),
        ({"depth": "8..2"}, "a range like 2..12 or a list like 2,4,8 is allowed"),
        ({"depth": ""}, "a range like 2..12 or a list like 2,4,8 is allowed"),
        ({"depth": "2..13"}, "depths from 2 to 12 are allowed"),
        ({"depth": "1,4"}, "depths from 2 to 12 are allowed"),
        ({"depth": "2,3"}, "a largest depth of at least 4 is needed"),
        ({"cut": ("none",)}, "'evidence', 'context' or 'both'"),
        ({"cut": ()}, "at least 1 item"),
    ],
)
def test_bad_options_are_refused_in_words(options: dict[str, object], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        DoseSource(**options)  # type: ignore[arg-type]


def test_a_built_set_is_valid(tmp_path: Path) -> None:
    source = DoseSource(scenes=2, depth="2,5,12", width=160, height=160)
    built = build(source, tmp_path / "layered-vqa", "1.0.0", ConditionOptions())
    assert (built.scenes, built.questions, len(built.conditions)) == (6, 6, 16)
    assert validate(tmp_path / "layered-vqa") == []

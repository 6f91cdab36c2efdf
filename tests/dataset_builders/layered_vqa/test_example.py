from dataclasses import replace

import pytest
from hypothesis import given

from dataset_builders.layered_vqa.example import Shard, problems
from tests.support.examples import BY_HAND, examples


@given(examples())
def test_drawn_examples_keep_every_invariant(example):
    assert problems(example) == []


S = BY_HAND.shards
BROKEN = [
    ({"question": " "}, "question", "not-empty"),
    ({"answer": ""}, "answer", "not-empty"),
    ({"question_id": ""}, "question_id", "not-empty"),
    ({"scene_id": ""}, "scene_id", "not-empty"),
    ({"answer_description": ""}, "answer_description", "not-empty"),
    ({"category": "colour"}, "category", "known-category"),
    ({"gold_layers": (1, 2, 5)}, "gold_layers", "layer-in-range"),
    ({"distractors": (-1, 0, 3, 4)}, "distractors", "layer-in-range"),
    ({"minimal_sets": ((1, 9),)}, "minimal_sets[0]", "layer-in-range"),
    ({"shards": (*S[:2], Shard(3, "x", (1, 2, 7)))}, "shards[2].support", "layer-in-range"),
    ({"gold_layers": (2, 1)}, "gold_layers", "sorted-without-repeats"),
    ({"gold_layers": (1, 1, 2)}, "gold_layers", "sorted-without-repeats"),
    ({"shards": (S[0], Shard(2, "x", (2, 1)), S[2])}, "shards[1].support", "sorted-without-repeats"),
    ({"minimal_sets": ()}, "minimal_sets", "not-empty"),
    ({"minimal_sets": ((1, 2), ())}, "minimal_sets", "no-empty-set"),
    ({"gold_layers": (1,)}, "minimal_sets[0]", "first-set-is-gold"),
    ({"minimal_sets": ((1, 2), (1,))}, "minimal_sets", "no-set-contains-another"),
    ({"minimal_sets": ((1, 2), (1, 2))}, "minimal_sets", "no-set-contains-another"),
    ({"shards": (*S[:2], Shard(3, "x", (1,)))}, "shards", "support-covers-evidence"),
    ({"shards": (*S[:2], Shard(3, "x", (1, 2, 3)))}, "shards", "support-covers-evidence"),
    ({"distractors": (0, 3)}, "distractors", "exact-complement"),
    ({"distractors": (0, 2, 3, 4)}, "distractors", "exact-complement"),
    ({"dependencies": ((3, 1),)}, "dependencies", "evidence-layers-only"),
    ({"dependencies": ((2, 1), (2, 1))}, "dependencies", "without-repeats"),
    ({"dependencies": ((2, 1), (1, 2))}, "dependencies", "acyclic"),
    ({"dependencies": ((1, 1),)}, "dependencies", "acyclic"),
    ({"shards": S[1:]}, "shards", "shard-count"),
    ({"shards": tuple(Shard(i, "x", (1, 2)) for i in range(1, 8))}, "shards", "shard-count"),
    ({"shards": (S[1], S[0], S[2])}, "shards", "ids-from-one"),
    ({"shards": (S[0], Shard(2, " ", (1,)), S[2])}, "shards[1].text", "not-empty"),
]


@pytest.mark.parametrize(("change", "field", "rule"), BROKEN)
def test_each_broken_invariant_is_reported_by_name(change, field, rule):
    found = problems(replace(BY_HAND, **change))
    assert (field, rule) in {(problem.field, problem.rule) for problem in found}


def test_no_distractor_left_is_reported():
    everything = replace(
        BY_HAND,
        depth=2,
        gold_layers=(0, 1),
        minimal_sets=((0, 1),),
        dependencies=(),
        shards=tuple(Shard(i, "x", (0, 1)) for i in (1, 2, 3)),
        distractors=(),
    )
    assert [(p.field, p.rule) for p in problems(everything)] == [("distractors", "not-empty")]


def test_all_problems_come_together_with_id_field_found_and_allowed():
    found = problems(replace(BY_HAND, category="colour", dependencies=((2, 1), (1, 2)), distractors=(0, 3)))
    assert [problem.rule for problem in found] == ["known-category", "exact-complement", "acyclic"]
    assert str(found[1]) == ("q1: distractors: exact-complement: found {0, 3}, allowed: {0, 3, 4}")

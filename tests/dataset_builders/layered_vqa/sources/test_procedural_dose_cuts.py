"""Cuts of a drawn scene: what shares a layer, what stays as it is, and where the evidence comes to lie."""

from collections.abc import Sequence
from functools import cache
from itertools import combinations, pairwise
from random import Random

import pytest

from dataset_builders.layered_vqa.scene import compose
from dataset_builders.layered_vqa.sources.procedural import draw_world
from dataset_builders.layered_vqa.sources.procedural.cuts import (
    Cut,
    Sides,
    can_be_cut,
    cut_objects,
    cut_question,
    halved,
    sides_of,
    with_hard_edges,
)
from dataset_builders.layered_vqa.sources.procedural.questions import PROPOSALS, candidates
from dataset_builders.layered_vqa.sources.procedural.questions.candidate import Candidate
from dataset_builders.layered_vqa.sources.procedural.world import World

CUTS: tuple[Cut, ...] = ("evidence", "context", "both")


@cache
def asked() -> list[tuple[World, Candidate]]:
    """Return questions of every kind that can be cut, about three worlds of eight layers."""
    found = []
    for seed in range(3):
        world = draw_world(Random(seed), 8, 224, 224)
        for category in PROPOSALS:
            fitting = [one for one in candidates(world, category, Random(0)) if can_be_cut(world, one)]
            found += [(world, one) for one in {one.kind: one for one in fitting}.values()]
    return found


def question(
    minimal_sets: Sequence[tuple[int, ...]], dependencies: tuple[tuple[int, int], ...] = ()
) -> Candidate:
    evidence = tuple(sorted({layer for one in minimal_sets for layer in one}))
    pieces = (("I need a number.", ()), ("It is a count.", evidence), ("All stars count.", evidence))
    return Candidate(
        "group", "counting", "number", "How many?", "2", tuple(minimal_sets), pieces, dependencies
    )


@pytest.mark.parametrize("cut", CUTS)
def test_every_further_layer_splits_one_group(cut: Cut) -> None:
    for world, one in asked():
        sides = sides_of(world, one)
        groups = [set(cut_objects(world, sides, cut, depth)) for depth in range(2, 9)]
        assert [len(group) for group in groups] == list(range(1, 8))
        assert groups[-1] == {(layer,) for layer in range(1, 8)}
        for coarse, fine in pairwise(groups):
            (split,) = coarse - fine
            parts = fine - coarse
            assert len(parts) == 2
            assert sorted(layer for part in parts for layer in part) == sorted(split)


def parts_of(world: World, sides: Sides, cut: Cut, depth: int) -> tuple[int, int]:
    """Return in how many layers evidence and context lie; no layer has both."""
    groups = cut_objects(world, sides, cut, depth)
    of_evidence = [group for group in groups if set(group) <= set(sides.evidence)]
    of_context = [group for group in groups if set(group) <= set(sides.context)]
    assert len(of_evidence) + len(of_context) == len(groups)
    return len(of_evidence), len(of_context)


def test_a_cut_splits_what_it_names() -> None:
    for world, one in asked():
        sides = sides_of(world, one)
        evidence, context = len(sides.evidence), len(sides.context)
        for depth in range(3, 9):
            groups = depth - 1
            split = {cut: parts_of(world, sides, cut, depth) for cut in CUTS}
            assert split["evidence"] == (min(groups - 1, evidence), groups - min(groups - 1, evidence))
            assert split["context"] == (groups - min(groups - 1, context), min(groups - 1, context))
            of_evidence, of_context = split["both"]
            assert 0 <= of_evidence - of_context <= 1 or of_evidence == evidence or of_context == context


def test_merging_leaves_the_composite_as_it_is() -> None:
    for world, one in asked()[::12]:
        hard = with_hard_edges(world)
        picture = compose(hard.layers)
        for cut in CUTS:
            for depth in (2, 3, 5, 8):
                groups = cut_objects(hard, sides_of(world, one), cut, depth)
                in_order = [hard.layers[layer] for group in groups for layer in group]
                assert (compose([hard.layers[0], *in_order]) == picture).all()


def test_hard_edges_keep_what_shows_on_top() -> None:
    world = with_hard_edges(asked()[0][0])
    picture = compose(world.layers)
    for layer in range(world.depth):
        shown = world.visible(layer)
        assert (picture[shown] == world.layers[layer][shown][:, :3]).all()


def test_minimal_sets_of_a_cut_are_those_that_a_search_finds() -> None:
    """A set of layers is enough when it holds all objects of some minimal set of the question."""
    for world, one in asked():
        for cut in CUTS:
            for depth in (2, 4, 6, 8):
                groups = cut_objects(world, sides_of(world, one), cut, depth)
                held = [{0}, *map(set, groups)]
                enough = [
                    set(layers)
                    for size in range(1, depth + 1)
                    for layers in combinations(range(depth), size)
                    if any(
                        set(needed) <= set.union(*(held[layer] for layer in layers))
                        for needed in one.minimal_sets
                    )
                ]
                smallest = [layers for layers in enough if not any(other < layers for other in enough)]
                found = cut_question(one, groups).minimal_sets
                assert sorted(map(sorted, found)) == sorted(map(sorted, smallest))
                gold = {layer for layer in range(depth) if held[layer] & set(one.minimal_sets[0])}
                assert set(found[0]) == gold


def test_evidence_is_mapped_by_hand() -> None:
    """Objects 1 and 3 share layer 2, object 2 lies in layer 1, objects 4 and 5 in layer 3."""
    groups = [(2,), (1, 3), (4, 5)]
    cut = cut_question(question([(1, 2), (1, 3, 4), (2, 3, 5)], ((1, 2), (1, 3), (2, 3), (3, 4))), groups)
    # (1, 2) -> {1, 2}; (1, 3, 4) -> {2, 3}; (2, 3, 5) -> {1, 2, 3} contains both.
    assert cut.minimal_sets == ((1, 2), (2, 3))
    assert [support for _, support in cut.pieces] == [(), (1, 2, 3), (1, 2, 3)]
    assert cut.dependencies == ((2, 1), (1, 2), (2, 3))


def test_what_stands_in_no_minimal_set_of_a_cut_is_no_evidence_there() -> None:
    cut = cut_question(question([(1, 2), (1, 3), (2, 3)], ((1, 3),)), [(1, 2), (3,)])
    assert cut.minimal_sets == ((1,),)
    assert [support for _, support in cut.pieces] == [(), (1,), (1,)]
    assert cut.dependencies == ()
    assert cut.example("q", "s", 4).distractors == (0, 2, 3)


def test_questions_that_a_cut_would_break_are_not_asked() -> None:
    world = asked()[0][0]
    a, b, c = next(three for three in combinations(range(1, 8), 3) if not cross_both_ways(world, three))
    assert can_be_cut(world, question([(a, b, c)], ((a, b), (b, c))))
    # Halved, a and b share a layer: it would have to wait for c, and c for it.
    assert not can_be_cut(world, question([(a, b, c)], ((a, c), (c, b))))
    # Halved, gold (a, c) needs two layers where (a, b) needs one.
    assert can_be_cut(world, question([(a, b), (a, c)]))
    assert not can_be_cut(world, question([(a, c), (a, b)]))
    # Nothing to split on one of the sides.
    assert not can_be_cut(world, question([(0,)]))
    assert not can_be_cut(world, question([tuple(range(1, 8))]))


def cross_both_ways(world: World, evidence: tuple[int, ...]) -> bool:
    """Tell, from the pixels, whether evidence lies over some context and under some."""
    solid = {one.layer: world.layers[one.layer][..., 3] >= 128 for one in world.objects}
    pairs = [(a, b) for a in solid for b in solid if a < b and (solid[a] & solid[b]).any()]
    over = any(b in evidence and a not in evidence for a, b in pairs)
    under = any(a in evidence and b not in evidence for a, b in pairs)
    return over and under


def test_evidence_that_lies_between_context_cannot_be_parted() -> None:
    crossing = 0
    for seed in range(3):
        world = draw_world(Random(seed), 8, 224, 224)
        for pair in combinations(range(1, 8), 2):
            crossing += cross_both_ways(world, pair)
            assert can_be_cut(world, question([pair])) == (not cross_both_ways(world, pair))
    assert crossing > 0


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (1, [(1, 2, 3, 4, 5)]),
        (2, [(1, 2, 3), (4, 5)]),
        (3, [(1, 2), (3,), (4, 5)]),
        (4, [(1,), (2,), (3,), (4, 5)]),
        (5, [(1,), (2,), (3,), (4,), (5,)]),
    ],
)
def test_the_longest_run_is_halved(count: int, expected: list[tuple[int, ...]]) -> None:
    assert halved((1, 2, 3, 4, 5), count) == expected

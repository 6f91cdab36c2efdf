"""The same scene cut into fewer or more layers: which objects share a layer, and what a question becomes.

A cut puts every object of a world into one of `depth` - 1 groups, each group being one layer above the
background. The evidence of the question and the rest of the scene (the context) share a layer at depth 2
alone; from there on each further layer comes from splitting one group of the cut before in two halves.

Only objects with hard edges can be merged into one 8-bit layer without a trace: where two soft edges meet,
the merged alpha and colour would have to be rounded, and the composite would differ by a step here and there.
So the objects of a world are given hard edges before it is cut, and every cut has the same composite exactly.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from dataset_builders.layered_vqa.example import problems
from dataset_builders.layered_vqa.scene import Pixels, Scene
from dataset_builders.layered_vqa.sources.procedural.questions.candidate import Candidate, Layers
from dataset_builders.layered_vqa.sources.procedural.world import ATTRIBUTION, LICENCE, World

Cut = Literal["evidence", "context", "both"]
"""What is split as the depth grows: what the question needs, what it does not need, or both evenly."""


@dataclass(frozen=True)
class Sides:
    """The objects of a world, by their layers in it, that a question needs and those that it does not."""

    evidence: Layers
    context: Layers


def sides_of(world: World, question: Candidate) -> Sides:
    """Return which objects stand in some minimal set of `question`; the background is on neither side."""
    evidence = sorted({layer for minimal in question.minimal_sets for layer in minimal} - {0})
    context = (one.layer for one in world.objects if one.layer not in evidence)
    return Sides(tuple(evidence), tuple(context))


def can_be_cut(world: World, question: Candidate) -> bool:
    """Tell whether `question` has evidence and context to split, and keeps every rule in each cut.

    All evidence must be able to lie above all context, or below it, with the picture as it is; the image of
    gold must stay the first minimal set, and dependencies must stay without a cycle.
    """
    sides = sides_of(world, question)
    if not sides.evidence or not sides.context or not _can_part(world, sides):
        return False
    # How the context is cut makes no difference to the evidence.
    return all(
        _is_sound(question, halved(sides.evidence, parts)) for parts in range(1, len(sides.evidence) + 1)
    )


def _can_part(world: World, sides: Sides) -> bool:
    below = {one.layer: set(one.covers) for one in world.objects}
    over_context = any(below[layer] & set(sides.context) for layer in sides.evidence)
    over_evidence = any(below[layer] & set(sides.evidence) for layer in sides.context)
    return not (over_context and over_evidence)


def _is_sound(question: Candidate, evidence: Sequence[Layers]) -> bool:
    cut = cut_question(question, evidence)
    gold = set(question.minimal_sets[0])
    image = tuple(index for index, group in enumerate(evidence, start=1) if gold & set(group))
    # One layer more than the evidence has, for the context.
    example = cut.example("question", "scene", len(evidence) + 2)
    return cut.minimal_sets[0] == image and not problems(example)


def cut_objects(world: World, sides: Sides, cut: Cut, depth: int) -> tuple[Layers, ...]:
    """Return the group of objects of each layer from 1 on, in stack order.

    `depth` is at least 2 and at most that of `world`, and `sides` are those of a question that can be cut.
    Of the orders that keep who covers whom, the one nearest to that of `world` is taken; fully cut, a scene
    has its own order again.
    """
    if depth == 2:
        return (tuple(sorted(sides.evidence + sides.context)),)
    of_evidence, of_context = _shares(len(sides.evidence), len(sides.context), cut, depth - 1)
    return _stacked(world, [*halved(sides.evidence, of_evidence), *halved(sides.context, of_context)])


def _shares(evidence: int, context: int, cut: Cut, groups: int) -> tuple[int, int]:
    """Return into how many groups the evidence and the context are cut; what one cannot take, the other does.

    Both take at least one where they hold an object.
    """
    wanted = {"evidence": 1, "context": groups - 1, "both": groups // 2}[cut]
    of_context = min(max(wanted, groups - evidence), context)
    return groups - of_context, of_context


def halved(objects: Layers, count: int) -> list[Layers]:
    """Return `objects` in `count` runs, made by halving the longest run again and again.

    So a larger count splits the runs of a smaller one, and no run is more than twice as long as another,
    give or take one.
    """
    runs = [objects] if objects else []
    while len(runs) < count:
        longest = max(range(len(runs)), key=lambda i: len(runs[i]))
        run = runs[longest]
        middle = (len(run) + 1) // 2
        runs[longest : longest + 1] = [run[:middle], run[middle:]]
    return runs


def _stacked(world: World, groups: Iterable[Layers]) -> tuple[Layers, ...]:
    """Return `groups` so that each lies above those it covers, those with the lowest object first."""
    below = {one.layer: set(one.covers) for one in world.objects}
    rest, stack = sorted(groups), list[Layers]()
    while rest:
        # Runs of one side follow each other, and one side lies below the other: some group is always free.
        free = next(
            group
            for group in rest
            if not any(below[layer] & set(other) for layer in group for other in rest if other is not group)
        )
        stack.append(free)
        rest.remove(free)
    return tuple(stack)


def with_hard_edges(world: World) -> World:
    """Return `world` with objects whose pixels are covered wholly (from half on) or not at all.

    These are the pixels by which the world was measured, so all that is true of it stays true.
    """
    return replace(world, layers=(world.layers[0], *map(_hardened, world.layers[1:])))


def _hardened(layer: Pixels) -> Pixels:
    solid = layer[..., 3] >= 128
    hard = np.where(solid[..., None], layer, np.uint8(0))
    hard[solid, 3] = 255
    return hard


def cut_scene(world: World, groups: Sequence[Layers], scene_id: str, source: str, note: str) -> Scene:
    """Return the scene of a world with hard edges whose layers from 1 on hold the objects of `groups`."""
    layers = (world.layers[0], *(_merged(world, group) for group in groups))
    captions = (
        world.background.caption(),
        *(", ".join(world.objects[layer - 1].look.caption() for layer in group) for group in groups),
    )
    return Scene(scene_id, layers, source, LICENCE, ATTRIBUTION, captions, (note,))


def _merged(world: World, group: Layers) -> Pixels:
    merged = np.zeros_like(world.layers[0])
    for layer in group:
        solid = world.layers[layer][..., 3] > 0
        merged[solid] = world.layers[layer][solid]
    return merged


def cut_question(question: Candidate, groups: Sequence[Layers]) -> Candidate:
    """Return `question` with its evidence in the layers of a cut instead of those of the world.

    A set of layers is sufficient in a cut when its objects are, so the minimal sets are the smallest images
    of the minimal sets, in their order. Pieces are supported, and dependencies hold, between the layers that
    are evidence in this cut; what depends on something in its own layer has nothing to wait for.
    """
    place = {0: 0} | {layer: index for index, group in enumerate(groups, start=1) for layer in group}

    def image(layers: Layers) -> Layers:
        return tuple(sorted({place[layer] for layer in layers}))

    images = list(dict.fromkeys(map(image, question.minimal_sets)))
    minimal = tuple(one for one in images if not any(set(other) < set(one) for other in images))
    evidence = {layer for one in minimal for layer in one}
    pairs = dict.fromkeys((place[before], place[after]) for before, after in question.dependencies)
    return replace(
        question,
        minimal_sets=minimal,
        pieces=tuple(
            (text, tuple(layer for layer in image(support) if layer in evidence))
            for text, support in question.pieces
        ),
        dependencies=tuple(pair for pair in pairs if pair[0] != pair[1] and set(pair) <= evidence),
    )

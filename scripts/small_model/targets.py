"""What training asks of the model besides its replies: at every piece of a picture, and at words for objects.

Replies alone teach a model this small too slowly. So small linear heads, thrown away at the end, have to
tell from each piece of a picture which object is seen there, what it looks like, where it lies and how it
stands to the others, and from the last word of "the striped red star" the same about that star.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from dataset_builders.layered_vqa.sources.procedural.attributes import (
    BACKGROUND_COLOURS,
    COLOURS,
    SIZES,
    TEXTURES,
)
from dataset_builders.layered_vqa.sources.procedural.geometry import PLACES, SIDES
from dataset_builders.layered_vqa.sources.procedural.questions.setting import ASKED
from dataset_builders.layered_vqa.sources.procedural.shapes import SHAPES

from .shape import Shape
from .worlds import WAYS, Drawn

Facts = Mapping[str, Any]

VALUES: dict[str, Sequence[str]] = {
    "colour": list(COLOURS),
    "shape": list(SHAPES),
    "texture": TEXTURES,
    "size": list(SIZES),
}
LOOKS = {name: len(values) + 1 for name, values in VALUES.items()}
"""The attributes of an object, with the number of their values, "no object" included."""

BINS = 12
"""A place is also told as one of so many bins along each axis."""

_ASKED_OF = {f"{place} {name}": LOOKS[name] for place in ("over", "under", *WAYS) for name in ASKED}
RELATIONS = {
    **_ASKED_OF,
    "count over": 4,
    "count under": 4,
    "side": len(SIDES) + 1,
    **{f"alike in {name}": 4 for name in ASKED},
}
PLACING = {"place": 10, "alone": 2, "row": BINS + 1, "column": BINS + 1}
GROUPS: dict[str, int] = {
    **LOOKS,
    "centres": 3,
    **PLACING,
    **RELATIONS,
    "background": len(BACKGROUND_COLOURS) + 1,
}
"""What is asked at each piece of a picture, with the number of answers; 0 is always "nothing"."""

WHERE = 4
"""Numbers asked for besides: the centre (x, y) of the object and of what is visible of it, from -1 to 1."""

_PLACES = [name for row in PLACES for name in row]


def object_targets(facts: Facts, layer: int, whole: bool) -> tuple[list[int], list[float]]:
    """Return the classes of `GROUPS`, and the numbers of `WHERE`, of one object of a scene.

    Where its layer is shown alone (`whole` is false), it stands in no relation.
    """
    one = facts["objects"][layer - 1]
    seen = one["visible"] if whole else one["centre"]
    classes = [1 + VALUES[name].index(one[name]) for name in LOOKS]
    classes.append(0)  # "centres" is counted by cell
    where = one["place"] if whole or one["place"] else None
    classes += [0 if where is None else 1 + _PLACES.index(where), int(one["alone"]) if whole else 0]
    classes += [1 + min(BINS - 1, int(BINS * seen[axis])) for axis in (1, 0)]
    if whole:
        classes += _relations(facts, one)
    else:
        classes += [0] * len(RELATIONS)
    classes.append(0)
    return classes, [2 * value - 1 for value in (*one["centre"], *seen)]


def _relations(facts: Facts, one: Facts) -> list[int]:
    neighbours = [only[0] if len(only) == 1 else 0 for only in (one["above"], one["below"])]
    classes = []
    for layer in (*neighbours, *one["ways"]):
        other = facts["objects"][layer - 1] if layer else None
        classes += [1 + VALUES[name].index(other[name]) if other else 0 for name in ASKED]
    classes += [min(3, len(one["above"])), min(3, len(one["below"]))]
    classes.append(0 if one["side"] is None else 1 + SIDES.index(one["side"]))
    return classes + [min(3, count) for count in one["alike"]]


@dataclass(frozen=True)
class CellTargets:
    """Targets of pieces of pictures: pictures x cells x groups, and x the numbers of `WHERE`."""

    classes: Tensor
    where: Tensor


def cell_targets(shown: Sequence[tuple[Drawn, int | None]], grid: int) -> CellTargets:
    """Return the targets of pictures, each a layer of a scene or the whole scene (None)."""
    classes = np.zeros((len(shown), grid * grid, len(GROUPS)), np.int64)
    where = np.zeros((len(shown), grid * grid, WHERE), np.float32)
    for index, (scene, layer) in enumerate(shown):
        _fill(classes[index], where[index], scene.facts, layer, grid)
    return CellTargets(torch.from_numpy(classes), torch.from_numpy(where))


def _fill(
    classes: NDArray[np.int64], where: NDArray[np.float32], facts: Facts, layer: int | None, grid: int
) -> None:
    whole = layer is None
    layers = range(1, len(facts["objects"]) + 1) if whole else [layer] if layer else []
    owner = np.zeros(grid * grid, np.int64)
    if whole:
        owner[:] = facts["cells"]
    elif layer:
        owner[facts["alone"][layer - 1]] = layer
    names = list(GROUPS)
    for one in layers:
        here = owner == one
        classes[here], where[here] = object_targets(facts, one, whole)
        x, y = facts["objects"][one - 1]["visible" if whole else "centre"]
        cell = int(y * grid) * grid + int(x * grid)
        classes[cell, names.index("centres")] = min(2, classes[cell, names.index("centres")] + 1)
    if whole or layer == 0:
        colour = 1 + list(BACKGROUND_COLOURS).index(facts["background"][0])
        classes[owner == 0, names.index("background")] = colour


class Probes(nn.Module):
    """The heads: one for pieces of pictures, one for phrases, one for the object that a reply is about."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        size = sum(GROUPS.values()) + WHERE
        self.piece = nn.Linear(shape.width, size)
        self.phrase = nn.Linear(shape.width, size)
        self.found = nn.Linear(shape.width, size)


@dataclass(frozen=True)
class ProbeLoss:
    """The losses of one head: `looks` of the attributes, `placed` of places, `related` of relations.

    `right` has for some groups the share that is told right, where there is something to tell.
    """

    looks: Tensor
    placed: Tensor
    related: Tensor
    right: dict[str, float]


BACKGROUND_WEIGHT = 0.25
REPORTED = (
    "colour",
    "shape",
    "texture",
    "size",
    "place",
    "over colour",
    "under colour",
    "left colour",
    "side",
)


def probe_loss(output: Tensor, classes: Tensor, where: Tensor) -> ProbeLoss:
    """Compare what a head says (places x answers) with the targets (places x groups, places x 4).

    Everything but looks, centres and the background is asked only where there is an object.
    """
    names, sizes = list(GROUPS), list(GROUPS.values())
    parts = torch.split(output, [*sizes, WHERE], -1)
    on_object = classes[:, 0] > 0
    share = on_object.float() / on_object.sum().clamp(min=1)
    every = torch.where(on_object, 1.0, BACKGROUND_WEIGHT)
    every = every / every.sum().clamp(min=1)
    losses = {
        name: functional.cross_entropy(part, classes[:, index], reduction="none")
        for index, (name, part) in enumerate(zip(names, parts[:-1], strict=True))
    }
    everywhere = (*LOOKS, "background")
    looks = torch.stack([(losses[name] * every).sum() for name in everywhere]).sum()
    centres = losses["centres"].mean() * 2
    placed = centres + torch.stack([(losses[name] * share).sum() for name in PLACING]).sum() / 2
    placed = placed + 4 * ((parts[-1] - where).square().sum(-1) * share).sum()
    related = torch.stack([(losses[name] * share).sum() for name in RELATIONS]).sum()
    with torch.no_grad():
        right = {}
        for name in REPORTED:
            truth = classes[:, names.index(name)]
            told = parts[names.index(name)].argmax(-1) == truth
            right[name] = float(told[truth > 0].float().mean()) if bool((truth > 0).any()) else float("nan")
        offset = (parts[-1][:, :2] - where[:, :2]).abs().mean(-1)
        right["off"] = float((offset * share).sum()) / 2
    return ProbeLoss(looks, placed, related, right)

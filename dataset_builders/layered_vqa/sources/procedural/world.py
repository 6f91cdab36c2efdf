"""The world of one scene: what is drawn, where, in which order, and what can be seen of it.

A `World` is the whole truth about a procedural scene. Questions are read off it, and whoever needs the same
scene in another form (cut into other layers, described, drawn again) starts from it.
"""

import hashlib
from dataclasses import dataclass
from itertools import combinations
from random import Random

import numpy as np
from numpy.typing import NDArray

from dataset_builders.layered_vqa.scene import Pixels, Scene
from dataset_builders.layered_vqa.sources.procedural.attributes import (
    BACKGROUND_COLOURS,
    BACKGROUND_TEXTURES,
    COLOURS,
    SIZES,
    TEXTURES,
    BackgroundLook,
    Look,
)
from dataset_builders.layered_vqa.sources.procedural.drawing import (
    Box,
    Mask,
    Pose,
    paint_background,
    paint_object,
)
from dataset_builders.layered_vqa.sources.procedural.layout import Layout, lay_out, overlap
from dataset_builders.layered_vqa.sources.procedural.shapes import SHAPES

LICENCE = "CC0-1.0"
ATTRIBUTION = "Drawn by the procedural scene source of Layered-VQA"
COPIED_ATTRIBUTE = 0.4
"""Chance that an attribute of an object is that of an earlier one: questions need objects that are alike."""


@dataclass(frozen=True)
class SceneObject:
    """One object: its layer, its look, where it lies, and how it stands to the others.

    `centre` and `visible_centre` are the centroids (x, y) in pixels of its whole and of its visible area,
    `visible_share` the visible part of its area. `covered_by` and `covers` list the layers of the objects
    that overlap it from above and from below; `covered_at` has, for each of `covered_by`, the centroid of
    the overlap.
    """

    layer: int
    look: Look
    pose: Pose
    centre: tuple[float, float]
    visible_centre: tuple[float, float]
    visible_share: float
    covered_by: tuple[int, ...]
    covered_at: tuple[tuple[float, float], ...]
    covers: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class World:
    """One scene with everything that is true of it.

    `layers` are those of the scene, `objects[i]` is drawn in layer i + 1, and `topmost` (height x width)
    has for each pixel the layer that shows there.
    """

    background: BackgroundLook
    objects: tuple[SceneObject, ...]
    layers: tuple[Pixels, ...]
    topmost: NDArray[np.int8]

    @property
    def width(self) -> int:
        """Canvas width in pixels."""
        return int(self.topmost.shape[1])

    @property
    def height(self) -> int:
        """Canvas height in pixels."""
        return int(self.topmost.shape[0])

    @property
    def depth(self) -> int:
        """Number of layers, the background included."""
        return len(self.layers)

    def visible(self, layer: int) -> Mask:
        """Return the pixels (height x width) where `layer` shows in the composite."""
        return np.asarray(self.topmost == layer)

    def scene(self, scene_id: str) -> Scene:
        """Return the scene as every source gives it."""
        captions = (self.background.caption(), *(one.look.caption() for one in self.objects))
        return Scene(scene_id, self.layers, "procedural", LICENCE, ATTRIBUTION, captions)


def random_for(*key: int | str) -> Random:
    """Return a generator that depends on `key` alone, the same on every machine."""
    text = ":".join(map(str, key))
    return Random(int.from_bytes(hashlib.sha256(text.encode()).digest(), "big"))


def draw_world(rng: Random, depth: int, width: int, height: int) -> World:
    """Draw a world of `depth` layers on a canvas of `width` x `height` pixels."""
    background = BackgroundLook(rng.choice(list(BACKGROUND_COLOURS)), rng.choice(BACKGROUND_TEXTURES))
    looks = _looks(rng, depth - 1)
    layout = lay_out(looks, width, height, rng)
    layers = (
        paint_background(background, width, height, rng),
        *(paint_object(one.look, one.pose, one.part, width, height) for one in layout.placed),
    )
    objects = tuple(_object(layout, layer) for layer in range(1, depth))
    return World(background, objects, layers, layout.topmost)


def _looks(rng: Random, count: int) -> list[Look]:
    """Return `count` looks, no two alike but for their size, of which (from two on) some are partly alike."""
    values = {"size": list(SIZES), "texture": list(TEXTURES), "colour": list(COLOURS), "shape": list(SHAPES)}
    while True:
        looks: list[Look] = []
        for _ in range(count):
            drawn = {
                attribute: rng.choice(looks).get(attribute)
                if looks and rng.random() < COPIED_ATTRIBUTE
                else rng.choice(names)
                for attribute, names in values.items()
            }
            looks.append(Look(**drawn))
        in_common = [_in_common(one, other) for one, other in combinations(looks, 2)]
        if 3 in in_common or (count > 1 and 1 not in in_common):
            continue
        rng.shuffle(looks)
        # The first two are going to overlap.
        while count > 1 and looks[0].blends_with(looks[1]):
            rng.shuffle(looks)
        return looks


def _in_common(one: Look, other: Look) -> int:
    """Return how many of pattern, colour and shape two looks share."""
    return sum(one.get(name) == other.get(name) for name in ("texture", "colour", "shape"))


def _object(layout: Layout, layer: int) -> SceneObject:
    this = layout.placed[layer - 1]
    overlaps = {
        other: shared
        for other, placed in enumerate(layout.placed, start=1)
        if other != layer and (shared := overlap(this, placed)) is not None
    }
    above = tuple(other for other in overlaps if other > layer)
    visible = layout.topmost[this.box] == layer
    return SceneObject(
        layer,
        this.look,
        this.pose,
        _centroid(this.box, this.solid),
        _centroid(this.box, visible),
        float(np.count_nonzero(visible)) / this.area,
        above,
        tuple(_centroid(overlaps[other].box, overlaps[other].mask) for other in above),
        tuple(other for other in overlaps if other < layer),
    )


def _centroid(box: Box, mask: Mask) -> tuple[float, float]:
    """Return the centroid (x, y) on the canvas of a mask given on `box`."""
    rows, columns = mask.sum(axis=1), mask.sum(axis=0)
    total = int(rows.sum())
    x = float((columns * np.arange(len(columns))).sum()) / total + box[1].start + 0.5
    y = float((rows * np.arange(len(rows))).sum()) / total + box[0].start + 0.5
    return x, y

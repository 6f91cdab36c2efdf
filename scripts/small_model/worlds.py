"""Training scenes: drawn once by the project's own procedural source, kept small in files.

A scene's key is that of no seed of the source, so no scene of a demo or a test can be among them. Worlds with
an object of a `HELD_OUT` pair of colour and shape are left out: what the model says of these was never shown.
"""

import multiprocessing
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import count
from math import ceil
from pathlib import Path
from random import Random
from typing import Any, BinaryIO

import numpy as np
import orjson
from numpy.typing import NDArray
from PIL import Image

from dataset_builders.layered_vqa.scene import Pixels
from dataset_builders.layered_vqa.sources.procedural.geometry import hidden_side, place
from dataset_builders.layered_vqa.sources.procedural.questions.setting import ASKED, Setting
from dataset_builders.layered_vqa.sources.procedural.questions.spatial import STRAIGHT, lone_place, only_way
from dataset_builders.layered_vqa.sources.procedural.world import SceneObject, World, draw_world, random_for
from lvqa_eval.images import Rendering

from .questions import Choice, Question, as_plain, from_plain

CANVAS = 224
"""Side of a drawn scene in pixels, the source's own default."""

HELD_OUT = frozenset(
    {("red", "star"), ("blue", "heart"), ("green", "ring"), ("yellow", "moon"), ("purple", "cross")}
)
"""Pairs of colour and shape that no training scene has."""

MOST_OBJECTS = 5
OBJECT_COUNTS = (0.08, 0.2, 0.24, 0.24, 0.24)
"""Share of scenes with 1, 2, … objects."""

COVERED = 0.08
"""Least share of a cell that an object fills to be seen there."""

WAYS = tuple(STRAIGHT)


def as_seen(picture: Pixels, side: int) -> Pixels:
    """Return a picture as the model's processor hands it on: sent by the project, scaled to `side`."""
    import torch
    from torchvision.transforms.v2 import InterpolationMode
    from torchvision.transforms.v2.functional import resize

    sent = torch.from_numpy(np.array(Rendering().render(picture))).permute(2, 0, 1)
    scaled = resize(sent, [side, side], InterpolationMode.BICUBIC, antialias=True)
    return scaled.permute(1, 2, 0).contiguous().numpy()


def draw_training_world(index: int, objects: int | None = None) -> World:
    """Return training world `index`, always the same; with so many objects where that is given."""
    for attempt in count():
        rng = random_for("small model", index, attempt)
        many = rng.choices(range(1, MOST_OBJECTS + 1), OBJECT_COUNTS)[0]
        world = draw_world(rng, 1 + (objects or many), CANVAS, CANVAS)
        if not any((one.look.colour, one.look.shape) in HELD_OUT for one in world.objects):
            break
    return world


@dataclass(frozen=True)
class Drawn:
    """One scene of a part: what is true of it (`facts`), and its pictures as the model sees them."""

    facts: dict[str, Any]
    name: str
    _asked: bytes
    _pixels: NDArray[np.uint8]
    _side: int

    @property
    def depth(self) -> int:
        """Number of layers, the background included."""
        return len(self.facts["objects"]) + 1

    @cached_property
    def offered(self) -> list[dict[str, Any]]:
        """The questions kept about it, as plain values."""
        plain: list[dict[str, Any]] = orjson.loads(self._asked)
        return plain

    def question(self, index: int) -> Question:
        """Return one of the questions kept about it."""
        return from_plain(self.offered[index], f"{self.name}-{index}", self.depth)

    def picture(self, layer: int | None) -> Pixels:
        """Return one layer as it is sent, or the whole scene (None)."""
        start, size = self.facts["start"], self._side * self._side * 3
        if layer in (None, 0):
            start += size if layer == 0 else 0
            return np.array(self._pixels[start : start + size]).reshape(self._side, self._side, 3)
        assert layer is not None
        top, bottom, left, right, offset = self.facts["crops"][layer - 1]
        whole = empty_layer(self._side).copy()
        crop = self._pixels[offset : offset + (bottom - top) * (right - left) * 3]
        whole[top:bottom, left:right] = crop.reshape(bottom - top, right - left, 3)
        return whole


@cache
def empty_layer(side: int) -> Pixels:
    """Return a layer with nothing in it, as it is sent."""
    return as_seen(np.zeros((CANVAS, CANVAS, 4), np.uint8), side)


class Part:
    """Scenes of a pair of files: PATH.jsonl has two lines for each, facts and questions."""

    def __init__(self, path: Path, side: int) -> None:
        lines = path.with_suffix(".jsonl").read_bytes().splitlines()
        self._facts, self._asked = lines[::2], lines[1::2]
        self._pixels = np.memmap(path.with_suffix(".pixels"), np.uint8, "r")
        self._side, self._name = side, path.name

    def __len__(self) -> int:
        return len(self._facts)

    def __getitem__(self, index: int) -> Drawn:
        facts, name = orjson.loads(self._facts[index]), f"{self._name}-{index}"
        return Drawn(facts, name, self._asked[index], self._pixels, self._side)

    def objects(self, index: int) -> int:
        """Return how many objects a scene has."""
        return len(orjson.loads(self._facts[index])["objects"])


@dataclass(frozen=True)
class Store:
    """Files of `parts` x `size` training scenes, for pictures of `side` pixels and `grid` cells."""

    folder: Path
    side: int
    grid: int
    parts: int
    size: int = 1000

    def path(self, number: int) -> Path:
        """Return where a part lies, without the ending of its two files."""
        return self.folder / f"scenes-{self.side}-{self.grid}-{self.size}-{number:03d}"

    def draw(self, processes: int) -> Iterator[int]:
        """Draw the parts that are missing, and yield the number of each when it is there."""
        self.folder.mkdir(parents=True, exist_ok=True)
        numbers = [n for n in range(self.parts) if not self.path(n).with_suffix(".jsonl").exists()]
        if processes == 1 or len(numbers) < 2:
            yield from map(self._draw_part, numbers)
            return
        with multiprocessing.get_context("spawn").Pool(processes) as pool:
            yield from pool.imap_unordered(self._draw_part, numbers)

    def _draw_part(self, number: int) -> int:
        import torch

        torch.set_num_threads(1)
        path, choice, lines = self.path(number), Choice(), []
        with path.with_suffix(".new").open("wb") as pixels:
            for index in range(number * self.size, (number + 1) * self.size):
                lines += _write_scene(pixels, index, self.side, self.grid, choice)
        path.with_suffix(".new").rename(path.with_suffix(".pixels"))
        # Last and at once, so that a part whose lines are there is whole.
        path.with_suffix(".new").write_bytes(b"\n".join(lines) + b"\n")
        path.with_suffix(".new").rename(path.with_suffix(".jsonl"))
        return number


class Scenes:
    """The scenes of a store, by their number of objects; parts not drawn yet are waited for."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._parts: list[Part] = []
        self._of: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self._upto: list[Counter[int]] = [Counter()]

    def draw(self, objects: int, rng: Random, share: float = 1.0) -> Drawn:
        """Return a scene with so many objects, from the first `share` of the parts."""
        parts = ceil(share * self._store.parts)
        self._take(parts)
        number, index = self._of[objects][rng.randrange(self._upto[parts][objects])]
        return self._parts[number][index]

    def scene(self, number: int) -> Drawn:
        """Return scene `number`, that of training world `number`."""
        part, index = divmod(number, self._store.size)
        self._take(part + 1)
        return self._parts[part][index]

    def _take(self, parts: int) -> None:
        while len(self._parts) < parts:
            self._take_next(self._store.path(len(self._parts)))

    def _take_next(self, path: Path) -> None:
        while not path.with_suffix(".jsonl").exists():
            time.sleep(1)
        part = Part(path, self._store.side)
        for index in range(len(part)):
            self._of[part.objects(index)].append((len(self._parts), index))
        self._parts.append(part)
        self._upto.append(Counter({objects: len(places) for objects, places in self._of.items()}))


def _write_scene(pixels: BinaryIO, index: int, side: int, grid: int, choice: Choice) -> list[bytes]:
    """Write the pictures of a scene and return its two lines: facts and questions."""
    world = draw_training_world(index)
    start, crops = pixels.tell(), []
    scene = world.scene("training")
    pixels.write(as_seen(scene.composite(), side).tobytes())
    pixels.write(as_seen(world.layers[0], side).tobytes())
    for layer in world.layers[1:]:
        seen = as_seen(layer, side)
        differs = (seen != empty_layer(side)).any(2)
        (top, bottom), (left, right) = (_span(differs.any(axis)) for axis in (1, 0))
        crops.append((top, bottom, left, right, pixels.tell()))
        pixels.write(seen[top:bottom, left:right].tobytes())
    questions = choice.of(world, str(index), random_for("small model questions", index))
    facts = {"start": start, "crops": crops, **facts_of(world, grid)}
    return [orjson.dumps(facts), orjson.dumps(list(map(as_plain, questions)))]


def _span(hit: NDArray[np.bool_]) -> tuple[int, int]:
    (places,) = hit.nonzero()
    return int(places[0]), int(places[-1]) + 1


def facts_of(world: World, grid: int) -> dict[str, Any]:
    """Return what is true of a world as plain values.

    `cells` has for each cell of a `grid` x `grid` board, row by row, the layer seen there (0: no object);
    `alone` the cells in which each object is seen when its layer is shown alone.
    """
    owners = np.stack([world.visible(layer) for layer in range(1, world.depth)])
    whole = np.stack([layer[..., 3] >= 128 for layer in world.layers[1:]])
    shares = _shares(owners, grid)
    cells = np.where(shares.max(0) >= COVERED, shares.argmax(0) + 1, 0)
    return {
        "background": [world.background.colour, world.background.texture],
        "objects": [_object_facts(world, one) for one in world.objects],
        "cells": cells.tolist(),
        "alone": [(np.flatnonzero(one >= COVERED)).tolist() for one in _shares(whole, grid)],
    }


def _shares(masks: NDArray[np.bool_], grid: int) -> NDArray[np.float64]:
    """Return the share of each cell that each mask fills: masks x cells."""
    # Cells need not hold whole pixels: the mask is scaled as a picture is.
    scaled = [
        np.asarray(Image.fromarray(mask.astype(np.float32)).resize((grid, grid), Image.Resampling.BOX))
        for mask in masks
    ]
    return np.stack(scaled).reshape(len(masks), -1).astype(np.float64)


def _object_facts(world: World, one: SceneObject) -> dict[str, Any]:
    setting = Setting(world, Random(0))
    ways: dict[str, int] = {}
    for other in world.objects:
        way = None if other is one else only_way(setting, one, other)
        if way is not None:
            ways[way] = other.layer
    return {
        "size": one.look.size,
        "texture": one.look.texture,
        "colour": one.look.colour,
        "shape": one.look.shape,
        "centre": [one.centre[0] / world.width, one.centre[1] / world.height],
        "visible": [one.visible_centre[0] / world.width, one.visible_centre[1] / world.height],
        "above": one.covered_by,
        "below": one.covers,
        "ways": [ways.get(way, 0) for way in WAYS],
        "place": place(world, one),
        "alone": lone_place(setting, one) is not None,
        "side": hidden_side(one),
        "alike": [len(setting.alike(one, name)) for name in ASKED],
    }

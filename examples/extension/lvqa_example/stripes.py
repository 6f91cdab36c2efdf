"""A scene source: flags of coloured stripes, each stripe a layer."""

from collections.abc import Iterator
from typing import ClassVar

import numpy as np
from pydantic import Field

from dataset_builders.layered_vqa.example import Example, Shard
from dataset_builders.layered_vqa.scene import Scene
from dataset_builders.layered_vqa.sources.source import Material, SceneSource

COLOURS = {"red": (200, 30, 30), "green": (30, 150, 60), "blue": (40, 70, 200), "gold": (230, 180, 30)}


class StripesSource(SceneSource):
    """Flags of three stripes over a white ground; asks for the colour of one stripe."""

    name: ClassVar[str] = "stripes"

    scenes: int = Field(4, ge=1, description="How many flags to draw.")
    seed: int = Field(0, description="Seed of the colours.")

    def read(self) -> Iterator[Material]:
        """Yield the flags in order."""
        for number in range(self.scenes):
            yield _flag(f"flag-{number}", np.random.default_rng([self.seed, number]))


def _flag(name: str, rng: np.random.Generator) -> Material:
    colours = list(rng.permutation(list(COLOURS)))[:3]
    layers = [np.full((60, 96, 4), 255, np.uint8)]
    for index, colour in enumerate(colours):
        layer = np.zeros((60, 96, 4), np.uint8)
        layer[20 * index : 20 * index + 20] = [*COLOURS[colour], 255]
        layers.append(layer)
    captions = ("white ground", *(f"{colour} stripe" for colour in colours))
    scene = Scene(name, tuple(layers), "stripes", "CC0-1.0", "lvqa-example-extension", captions)
    return Material(scene, (_question(name, asked=int(rng.integers(3)), colours=colours),))


def _question(scene: str, asked: int, colours: list[str]) -> Example:
    place = ("top", "middle", "bottom")[asked]
    layer = asked + 1
    return Example(
        question_id=f"{scene}-q1",
        scene_id=scene,
        depth=4,
        question=f"What colour is the {place} stripe of the flag?",
        answer=str(colours[asked]),
        answer_description="one colour word",
        category="direct_ask",
        gold_layers=(layer,),
        minimal_sets=((layer,),),
        dependencies=(),
        shards=(
            Shard(1, "I would like to know a colour.", ()),
            Shard(2, "It is about one stripe of the flag.", (layer,)),
            Shard(3, f"I mean the {place} one.", (layer,)),
        ),
        distractors=tuple(other for other in range(4) if other != layer),
    )

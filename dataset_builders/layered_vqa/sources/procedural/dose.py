"""The dose-response source: drawn scenes, each cut into fewer and more layers, with one question each.

Between the cuts of a scene the composite (byte for byte), the question, its pieces and its answer are the
same; what differs is how many layers the scene has, and with it where the evidence lies. So the depth is the
only thing that is varied. Every scene has an id that says which scene it is a cut of.
"""

import re
from collections.abc import Iterator
from functools import cache
from itertools import count
from typing import ClassVar, get_args

from pydantic import Field, field_validator

from dataset_builders.layered_vqa.sources.procedural.balance import Balance, Offer
from dataset_builders.layered_vqa.sources.procedural.cuts import (
    Cut,
    can_be_cut,
    cut_objects,
    cut_question,
    cut_scene,
    sides_of,
    with_hard_edges,
)
from dataset_builders.layered_vqa.sources.procedural.questions import candidates
from dataset_builders.layered_vqa.sources.procedural.questions.candidate import Candidate, Layers
from dataset_builders.layered_vqa.sources.procedural.source import Category
from dataset_builders.layered_vqa.sources.procedural.world import World, draw_world, random_for
from dataset_builders.layered_vqa.sources.source import Material, SceneSource
from lvqa_eval.matched import Matched

LEAST, MOST = 2, 12
"""The depths that a scene can be cut into. With more than eleven objects, pictures are hard to read."""

_PART = re.compile(r"(\d{1,2})(?:\.\.(\d{1,2}))?")


class DoseSource(SceneSource):
    """Draws scenes, asks one question about each, and cuts each into every depth wanted."""

    name: ClassVar[str] = "procedural-dose"

    scenes: int = Field(24, ge=1, le=9999, description="Number of scenes before they are cut.")
    depth: str = Field(
        "2..12", description="Depths to cut every scene into, the background included: 2..12, or 2,4,8."
    )
    cut: tuple[Cut, ...] = Field(
        ("both",),
        min_length=1,
        description="What is split as the depth grows: the question's evidence, the context, or both evenly.",
    )
    # Below 160 pixels the patterns of small objects cannot be told apart.
    width: int = Field(224, ge=160, le=1024, description="Canvas width in pixels.")
    height: int = Field(224, ge=160, le=1024, description="Canvas height in pixels.")
    seed: int = Field(0, ge=0, description="Seed of everything that is drawn.")
    categories: tuple[Category, ...] = Field(
        get_args(Category), min_length=1, description="Categories of the questions to ask."
    )

    @field_validator("depth")
    @classmethod
    def _depths_are_named(cls, text: str) -> str:
        _depths(text)
        return text

    @property
    def depths(self) -> tuple[int, ...]:
        """The depths wanted, ascending."""
        return _depths(self.depth)

    def read(self) -> Iterator[Material]:
        """Yield scene after scene, each in all its cuts; the same options always give the same bytes.

        A scene and its question depend on the seed, the largest depth, the canvas and the categories, not on
        the cuts and the other depths, so sets that differ in these alone match as well.
        """
        balance = Balance(self.categories)
        for index in range(self.scenes):
            world, question = self._drawn(index, balance)
            sides = sides_of(world, question)
            for cut in dict.fromkeys(self.cut):
                for depth in self.depths:
                    cut_of = Matched(f"dose-s{self.seed}-{index:04d}", cut, depth)
                    yield self._material(world, question, cut_objects(world, sides, cut, depth), cut_of)

    def _drawn(self, index: int, balance: Balance) -> tuple[World, Candidate]:
        """Return the world of scene `index`, and the question that is due about it."""
        chosen: list[Candidate] = []
        for attempt in count():
            rng = random_for(self.seed, index, attempt, "dose")
            world = draw_world(rng, self.depths[-1], self.width, self.height)
            chosen = balance.choose(self._offer(world, index), 1, random_for(self.seed, index, "dose choice"))
            if chosen:
                break
        return with_hard_edges(world), chosen[0]

    def _offer(self, world: World, index: int) -> Offer:
        """Offer the questions that can be asked at every depth; of several objects, where there are any."""

        @cache
        def offer(category: str) -> list[Candidate]:
            asked = candidates(world, category, random_for(self.seed, index, category, "dose"))
            fitting = [one for one in asked if can_be_cut(world, one)]
            return [one for one in fitting if len(sides_of(world, one).evidence) > 1] or fitting

        return offer

    def _material(
        self, world: World, question: Candidate, groups: tuple[Layers, ...], cut_of: Matched
    ) -> Material:
        base, cut, depth = cut_of
        note = f"matched: {base}; cut: {cut}; depth: {depth}"
        scene = cut_scene(world, groups, cut_of.scene_id, self.name, note)
        example = cut_question(question, groups).example(f"{scene.scene_id}-q1", scene.scene_id, depth)
        return Material(scene, (example,))


def _depths(text: str) -> tuple[int, ...]:
    """Return the depths that `text` names, ascending; raises ValueError where it names none or wrong ones."""
    parts = [_PART.fullmatch(part.strip()) for part in text.split(",")]
    spans = [(int(part[1]), int(part[2] or part[1])) for part in parts if part]
    if len(spans) < len(parts) or any(start > stop for start, stop in spans):
        raise ValueError("a range like 2..12 or a list like 2,4,8 is allowed")
    depths = sorted({depth for start, stop in spans for depth in range(start, stop + 1)})
    if depths[0] < LEAST or depths[-1] > MOST:
        raise ValueError(f"depths from {LEAST} to {MOST} are allowed")
    # With three objects, two can be evidence and one is left to be context.
    if depths[-1] < 4:
        raise ValueError("a largest depth of at least 4 is needed, so that there is something to cut")
    return tuple(depths)

"""The procedural source: scenes drawn from a seed, with questions that are true by construction."""

from collections.abc import Iterator
from functools import cache
from itertools import count
from math import ceil, floor
from typing import ClassVar, Literal, get_args

from pydantic import Field, model_validator

from dataset_builders.layered_vqa.sources.procedural.balance import Balance
from dataset_builders.layered_vqa.sources.procedural.questions import candidates
from dataset_builders.layered_vqa.sources.procedural.questions.candidate import Candidate
from dataset_builders.layered_vqa.sources.procedural.world import World, draw_world, random_for
from dataset_builders.layered_vqa.sources.source import Material, SceneSource

WITH_ONE_OBJECT = frozenset({"direct_ask", "counting", "spatial"})
"""The categories that a scene of two layers allows."""

Category = Literal["direct_ask", "attribute_binding", "counting", "spatial", "occlusion", "multi_hop"]


class ProceduralSource(SceneSource):
    """Draws scenes and asks about them; the same options always give the same bytes."""

    name: ClassVar[str] = "procedural"

    scenes: int = Field(93, ge=1, le=9999, description="Number of scenes.")
    questions_per_scene: float = Field(
        3.25, ge=1, le=6, description="Questions a scene, on average; 3.25 gives 302 for 93 scenes."
    )
    min_depth: int = Field(2, ge=2, le=8, description="Fewest layers of a scene, the background included.")
    max_depth: int = Field(8, ge=2, le=8, description="Most layers of a scene, the background included.")
    # Below 160 pixels the patterns of small objects cannot be told apart.
    width: int = Field(224, ge=160, le=1024, description="Canvas width in pixels.")
    height: int = Field(224, ge=160, le=1024, description="Canvas height in pixels.")
    seed: int = Field(0, ge=0, description="Seed of everything that is drawn.")
    categories: tuple[Category, ...] = Field(
        get_args(Category), min_length=1, description="Categories of the questions to ask."
    )

    @model_validator(mode="after")
    def _depths_fit(self) -> "ProceduralSource":
        if self.min_depth > self.max_depth:
            raise ValueError(
                f"min_depth: found {self.min_depth}, at most max_depth ({self.max_depth}) is allowed"
            )
        if self.min_depth == 2 and not WITH_ONE_OBJECT & set(self.categories):
            raise ValueError(
                f"categories: found {', '.join(self.categories)}; scenes of 2 layers need one of "
                f"{', '.join(sorted(WITH_ONE_OBJECT))}; add one, or set min_depth to 3"
            )
        return self

    def read(self) -> Iterator[Material]:
        """Yield the scenes in order, each with its questions."""
        balance = Balance(self.categories)
        for index in range(self.scenes):
            yield self._material(index, balance)

    def world(self, index: int) -> World:
        """Return the world of scene `index`, one about which something can be asked.

        It is the same whatever the number of scenes.
        """
        for attempt in count():
            rng = random_for(self.seed, index, attempt, "world")
            world = draw_world(rng, self.depth(index), self.width, self.height)
            if any(self._candidates(world, index, category) for category in self.categories):
                break
        return world

    def depth(self, index: int) -> int:
        """Return the depth of scene `index`: every depth comes once before any comes again."""
        depths = list(range(self.min_depth, self.max_depth + 1))
        turn, position = divmod(index, len(depths))
        random_for(self.seed, turn, "depths").shuffle(depths)
        return depths[position]

    def _material(self, index: int, balance: Balance) -> Material:
        scene_id = f"proc-s{self.seed}-{index:04d}"
        world = self.world(index)

        @cache
        def offer(category: str) -> list[Candidate]:
            return self._candidates(world, index, category)

        due = floor((index + 1) * self.questions_per_scene) - balance.asked.total()
        most = ceil(self.questions_per_scene) + 1
        chosen = balance.choose(offer, min(due, most), random_for(self.seed, index, "choice"))
        examples = tuple(
            one.example(f"{scene_id}-q{number}", scene_id, world.depth)
            for number, one in enumerate(chosen, start=1)
        )
        return Material(world.scene(scene_id), examples)

    def _candidates(self, world: World, index: int, category: str) -> list[Candidate]:
        return candidates(world, category, random_for(self.seed, index, category))

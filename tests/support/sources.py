"""A scene source to test builds with."""

from collections.abc import Iterator
from typing import ClassVar

from dataset_builders.layered_vqa.sources.source import Material, SceneSource
from tests.support.examples import material


class SmallSource(SceneSource):
    """Gives `scenes` random scenes of `depth` layers with one question each."""

    name: ClassVar[str] = "small"

    scenes: int = 3
    depth: int = 5

    def read(self) -> Iterator[Material]:
        yield from material(self.scenes, self.depth)

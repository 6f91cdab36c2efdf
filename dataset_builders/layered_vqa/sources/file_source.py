"""What sources that read files have in common: which scenes are asked about, what becomes of faults."""

import logging
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Generic, Literal, TypeVar

from pydantic import Field

from dataset_builders.layered_vqa.example import Example
from dataset_builders.layered_vqa.questions import LayerKeys, QuestionFile, load_questions
from dataset_builders.layered_vqa.scene import Scene
from dataset_builders.layered_vqa.sources.resizing import fit
from dataset_builders.layered_vqa.sources.source import Material, SceneSource, SourceError

Entry = TypeVar("Entry")

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Found(Generic[Entry]):
    """Scenes by id, each with what it is made from, and the reason of each that cannot be made."""

    entries: Mapping[str, Entry]
    unusable: Mapping[str, str]


class FileSource(SceneSource, Generic[Entry]):
    """A source whose scenes lie in files, some of which may be missing or broken.

    With a question file the scenes are those that it asks about, else all; both in the order of `_find`.
    """

    noun: ClassVar[str] = "scene"
    """What a scene is called in lines about it."""

    questions: Path | None = Field(default=None, description="Question file (YAML).")
    unusable: Literal["fail", "skip"] = Field(
        default="fail",
        description="What a scene that is missing, broken or without a usable layer does to the build.",
    )
    max_side: int | None = Field(
        default=None,
        ge=1,
        description="Longest side of a scene in pixels; larger ones are made smaller, layer by layer.",
    )

    def read(self) -> Iterator[Material]:
        """Yield every usable scene, then raise SourceError with every unusable one (`unusable: fail`).

        What can be told without making a scene is raised before the first: faults of the annotations as a
        whole, scenes whose files are missing, and faults of the question file.
        """
        return (material for material, _ in self._made(named=self.questions is not None))

    def keyed(self) -> Iterator[tuple[Material, LayerKeys]]:
        """Yield what `read` yields, each scene with the names of its layers in question files."""
        for material, keys in self._made(named=True):
            if keys is not None:
                yield material, keys

    def _made(self, named: bool) -> Iterator[tuple[Material, LayerKeys | None]]:
        """Yield scenes with their questions, and with their keys where they are `named`."""
        asked = load_questions(self.questions) if self.questions else None
        found = self._find(asked.scene_ids() if asked else None)
        entries, unusable = dict(found.entries), dict(found.unusable)
        keys: dict[str, LayerKeys] = {}
        for scene_id, entry in found.entries.items() if named else ():
            try:
                keys[scene_id] = self._keys(entry)
            except ValueError as error:
                unusable[scene_id] = str(error)
                del entries[scene_id]
        self._judge(unusable)
        examples = _without(asked, unusable).examples(keys) if asked else ()
        broken = {}
        for scene_id, entry in entries.items():
            try:
                scene = _sound(self._scene(entry))
            except ValueError as error:
                broken[scene_id] = str(error)
                continue
            scene = fit(scene, self.max_side)
            yield Material(scene, _about(examples, scene_id)), keys.get(scene_id)
        self._judge(broken)

    @abstractmethod
    def _find(self, wanted: frozenset[str] | None) -> Found[Entry]:
        """Return the scenes of `wanted` that there are, or all (None)."""

    @abstractmethod
    def _keys(self, entry: Entry) -> LayerKeys:
        """Return how a scene's layers are named in question files; raises ValueError where it has none."""

    @abstractmethod
    def _scene(self, entry: Entry) -> Scene:
        """Make one scene; raises ValueError with the reason where it cannot be made."""

    def _judge(self, unusable: Mapping[str, str]) -> None:
        lines = [
            # A reason may come from where scenes name themselves.
            f"{self.noun} {scene_id}: {reason.removeprefix(f'scene {scene_id}: ')}"
            for scene_id, reason in unusable.items()
        ]
        if lines and self.unusable == "fail":
            raise SourceError(lines)
        for line in lines:
            _log.warning("left out: %s", line)


def _without(asked: QuestionFile, scene_ids: Iterable[str]) -> QuestionFile:
    left_out = set(scene_ids)
    kept = tuple((place, entry) for place, entry in asked.entries if entry.scene not in left_out)
    return replace(asked, entries=kept)


def _sound(scene: Scene) -> Scene:
    problems = scene.problems()
    if problems:
        raise ValueError("; ".join(problems))
    return scene


def _about(examples: Iterable[Example], scene_id: str) -> tuple[Example, ...]:
    return tuple(example for example in examples if example.scene_id == scene_id)

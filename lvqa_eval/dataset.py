"""A Layered-VQA folder on disk or on the Hub, as typed rows."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Self, TypeVar

from pydantic import Field, ValidationError

from lvqa_eval.dataset_folder import DatasetError, DatasetFolder, StrictRow, open_manifest, short
from lvqa_eval.images import PictureKey, Size
from lvqa_eval.runs.records import QuestionRecord

__all__ = [
    "Dataset",
    "DatasetError",
    "Dependency",
    "Layer",
    "Row",
    "SceneRow",
    "Shard",
    "Turn",
    "open_dataset",
]

Layer = Annotated[int, Field(ge=0)]


class Dependency(StrictRow):
    """A pair of evidence layers: `before` is needed to make sense of `after`."""

    before: Layer
    after: Layer


class Shard(StrictRow):
    """One piece of the question, with the layers that support it."""

    id: int
    text: str
    support: tuple[Layer, ...]


class Turn(StrictRow):
    """One user message: its words and what it delivers."""

    text: str
    question: bool
    shards: tuple[int, ...]
    layers: tuple[Layer, ...]
    composite: bool


class Row(StrictRow):
    """One question under one condition, as it stands in a condition file; pictures by relative path."""

    question_id: str
    scene_id: str
    composite_file_name: str
    layers_file_names: tuple[str, ...]
    question: str
    answer: str
    answer_description: str | None
    category: str
    gold_layers: tuple[Layer, ...]
    minimal_sets: tuple[tuple[Layer, ...], ...]
    dependencies: tuple[Dependency, ...]
    shards: tuple[Shard, ...]
    distractors: tuple[Layer, ...]
    condition: str
    turns: tuple[Turn, ...]
    misalignment: str | None
    conflicts: int | None
    canary: str

    @property
    def depth(self) -> int:
        """Number of layers of the scene."""
        return len(self.layers_file_names)

    @property
    def images_sent(self) -> int:
        """Number of pictures in the whole conversation, each time one is sent counted."""
        return sum(len(turn.layers) + turn.composite for turn in self.turns)

    def pictures(self, turn: int) -> list[PictureKey]:
        """Return the pictures of a turn (from 0), in the order of sending: the scene, then layers."""
        scheduled = self.turns[turn]
        whole = [PictureKey(self.scene_id, None, self.composite_file_name)] if scheduled.composite else []
        names = self.layers_file_names
        return whole + [PictureKey(self.scene_id, layer, names[layer]) for layer in scheduled.layers]

    def delivered(self, condition: str, turns: tuple[Turn, ...]) -> Self:
        """Return the same question with other turns, under the name of another condition."""
        told = {"condition": condition, "turns": turns, "misalignment": None, "conflicts": None}
        return self.model_copy(update=told)

    def record(self) -> QuestionRecord:
        """Return what judging and statistics need of the question."""
        return QuestionRecord(
            question_id=self.question_id,
            scene_id=self.scene_id,
            depth=self.depth,
            category=self.category,
            question=self.question,
            answer=self.answer,
            answer_description=self.answer_description,
            gold_layers=self.gold_layers,
            minimal_sets=self.minimal_sets,
            dependencies=tuple((pair.before, pair.after) for pair in self.dependencies),
            distractors=self.distractors,
            shards=tuple(shard.text for shard in self.shards),
        )


class SceneRow(StrictRow):
    """One scene, as it stands in `scenes.jsonl`; pictures by relative path."""

    scene_id: str
    composite_file_name: str
    layers_file_names: tuple[str, ...]
    width: int
    height: int
    depth: int
    source: str
    licence: str
    attribution: str
    captions: tuple[str, ...]
    notes: tuple[str, ...]
    canary: str


@dataclass(frozen=True)
class Dataset(DatasetFolder):
    """A Layered-VQA folder on disk."""

    @property
    def conditions(self) -> list[str]:
        """The names of the conditions that stand in the folder."""
        return list(self.manifest["conditions"])

    def rows(self, condition: str) -> list[Row]:
        """Return the rows of one condition; raises DatasetError with every bad line."""
        if condition not in self.conditions:
            allowed = ", ".join(self.conditions)
            raise DatasetError([f"{self.folder}: condition: found {condition!r}, allowed: {allowed}"])
        return _read(self.folder / f"{condition}.jsonl", Row)

    def scenes(self) -> list[SceneRow]:
        """Return the rows of the `scenes` config; raises DatasetError with every bad line."""
        return _read(self.folder / "scenes.jsonl", SceneRow)

    def picture(self, name: str) -> Path:
        """Return the path of a row's picture; raises DatasetError where it leads out of the folder."""
        # By its words alone: the files of a dataset of the Hub are links to where its cache keeps them.
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise DatasetError([f"{self.folder}: picture: found {name!r}, allowed: a path inside the folder"])
        return self.folder / name

    def sizes(self) -> Mapping[str, Size]:
        """Return the width and height of the pictures of every scene, by its id."""
        return {scene.scene_id: (scene.width, scene.height) for scene in self.scenes()}


Record = TypeVar("Record", bound=StrictRow)


def open_dataset(name: str, revision: str | None = None) -> Dataset:
    """Open a dataset folder, or fetch a dataset of the Hub (ORG/NAME) at `revision`.

    A local folder comes first and has no revisions. Raises DatasetError where neither is there.
    """
    opened = open_manifest(name, revision, needed=("conditions",))
    return Dataset(opened.folder, opened.manifest, opened.manifest_sha256, opened.revision)


def _read(path: Path, kind: type[Record]) -> list[Record]:
    if not path.is_file():
        raise DatasetError([f"{path}: not found"])
    records: list[Record] = []
    found: list[str] = []
    for number, line in _lines(path):
        try:
            records.append(kind.model_validate_json(line))
        except ValidationError as error:
            for one in error.errors(include_url=False):
                field = ".".join(map(str, one["loc"])) or "line"
                found.append(f"{path}: line {number}: {field}: {one['msg']}, found {short(one['input'])}")
    if found:
        raise DatasetError(found)
    return records


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    for number, line in enumerate(path.read_bytes().split(b"\n"), start=1):
        if line:
            yield number, line

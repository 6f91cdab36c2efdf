"""A dataset folder, or a dataset on the Hub, as typed rows: the only reader of the datasets.

It reads the published files themselves. Nothing is cached, so a rebuilt folder is never read stale.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from lvqa_eval.errors import LvqaError

Layer = Annotated[int, Field(ge=0)]


class DatasetError(LvqaError, ValueError):
    """A dataset that cannot be read; `problems` holds every reason, one line each."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Dependency(_Record):
    """A pair of evidence layers: `before` is needed to make sense of `after`."""

    before: Layer
    after: Layer


class Shard(_Record):
    """One piece of the question, with the layers that support it."""

    id: int
    text: str
    support: tuple[Layer, ...]


class Turn(_Record):
    """One user message: its words and what it delivers."""

    text: str
    question: bool
    shards: tuple[int, ...]
    layers: tuple[Layer, ...]
    composite: bool


class Row(_Record):
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


class SceneRow(_Record):
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
class Dataset:
    """A Layered-VQA folder on disk. `manifest_sha256` identifies its exact content.

    `revision` is the commit that a dataset of the Hub was fetched at; None for a folder of one's own.
    """

    folder: Path
    manifest: dict[str, Any]
    manifest_sha256: str
    revision: str | None = None

    @property
    def version(self) -> str:
        """The dataset's version, MAJOR.MINOR.PATCH."""
        return str(self.manifest["version"])

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


Record = TypeVar("Record", bound=_Record)


def open_dataset(name: str, revision: str | None = None) -> Dataset:
    """Open a dataset folder, or fetch a dataset of the Hub (ORG/NAME) at `revision`.

    A local folder comes first and has no revisions. Raises DatasetError where neither is there.
    """
    folder = Path(name)
    commit = None
    if not folder.is_dir():
        folder = _fetch(name, revision)
        # The client keeps each snapshot in a folder that is called by its commit.
        commit = folder.name
    path = folder / "manifest.json"
    if not path.is_file():
        raise DatasetError([f"{folder}: found no manifest.json; a dataset folder has one"])
    data = path.read_bytes()
    try:
        manifest = json.loads(data)
        missing = [key for key in ("dataset", "version", "conditions") if key not in manifest]
    except (ValueError, TypeError) as error:
        raise DatasetError([f"{path}: not JSON: {error}"]) from error
    if missing:
        raise DatasetError([f"{path}: {key}: missing" for key in missing])
    return Dataset(folder, manifest, hashlib.sha256(data).hexdigest(), commit)


def _fetch(name: str, revision: str | None) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    if name.count("/") != 1 or name.startswith((".", "/")):
        told = f"dataset: found {name!r}, allowed: a folder that exists, or ORG/NAME on the Hub"
        raise DatasetError([f"{told}; `lvqa build layered-vqa` makes a folder"])
    try:
        return Path(snapshot_download(name, repo_type="dataset", revision=revision))
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError) as error:
        reason = str(error).strip().splitlines()[0]
        raise DatasetError([f"dataset: {name!r} is no folder here, and the Hub gave: {reason}"]) from error


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
                found.append(f"{path}: line {number}: {field}: {one['msg']}, found {_short(one['input'])}")
    if found:
        raise DatasetError(found)
    return records


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    for number, line in enumerate(path.read_bytes().split(b"\n"), start=1):
        if line:
            yield number, line


def _short(value: object, limit: int = 60) -> str:
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 3] + "..."

"""The content of a dataset folder as two versions of it are compared: tables of rows, and pictures."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from dataset_builders.manifest import sha256_of
from lvqa_eval.dataset import Dataset
from lvqa_eval.dataset_folder import DatasetError, DatasetFolder
from lvqa_eval.pages import PageDataset

Table = Mapping[str, Mapping[str, Any]]
"""The id of a row -> its fields, in the order of the rows."""

_SCENES = "scenes"


class Content(Protocol):
    """What of a dataset is compared; what cannot be read raises DatasetError."""

    def names(self) -> list[str]:
        """Return the names of its tables."""

    def table(self, name: str) -> Table:
        """Return a table, empty where there is none of this name."""

    def hashes(self) -> dict[str, str]:
        """Return the name of every picture -> SHA-256 of its file."""

    def picture(self, name: str) -> bytes:
        """Return the file of a picture."""


@dataclass(frozen=True)
class LayeredContent:
    """The conditions and scenes of Layered-VQA; pictures by path below the folder."""

    dataset: Dataset

    def names(self) -> list[str]:
        """Return the conditions, and `scenes`."""
        return [*self.dataset.conditions, _SCENES]

    def table(self, name: str) -> Table:
        """Return the rows of a condition, or the scenes."""
        if name == _SCENES:
            return {row.scene_id: row.model_dump() for row in self.dataset.scenes()}
        if name not in self.dataset.conditions:
            return {}
        return {row.question_id: row.model_dump() for row in self.dataset.rows(name)}

    def hashes(self) -> dict[str, str]:
        """Hash every PNG below `scenes`."""
        folder = self.dataset.folder
        paths = sorted(folder.joinpath(_SCENES).rglob("*.png"))
        return {path.relative_to(folder).as_posix(): sha256_of(path) for path in paths}

    def picture(self, name: str) -> bytes:
        """Read a picture."""
        return (self.dataset.folder / name).read_bytes()


@dataclass(frozen=True)
class PageContent:
    """The pages of BEAR-Bench, all in one table, so that a page that changes its cell is one changed row."""

    dataset: PageDataset

    def names(self) -> list[str]:
        """Return the name of the config that holds all pages."""
        return ["all"]

    def table(self, name: str) -> Table:
        """Return all rows."""
        return {row.id: row.model_dump() for row in self.dataset.rows()}

    def hashes(self) -> dict[str, str]:
        """Hash the picture of every row; its name is the row's id."""
        return {name: hashlib.sha256(picture).hexdigest() for name, picture in self.dataset.pictures()}

    def picture(self, name: str) -> bytes:
        """Return the picture of a row."""
        return self.dataset.picture(name)


def content_of(dataset: DatasetFolder) -> Content:
    """Return what is compared of a dataset; DatasetError for one of another kind."""
    if isinstance(dataset, Dataset):
        return LayeredContent(dataset)
    if isinstance(dataset, PageDataset):
        return PageContent(dataset)
    raise DatasetError([f"{dataset.folder}: dataset: found {dataset.kind!r}, which cannot be compared"])

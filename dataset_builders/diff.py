"""What differs between two dataset folders: options, rows, pictures, words; and the version step."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import yaml
from PIL import Image

from dataset_builders.changes import Change, changes, option_changes
from dataset_builders.manifest import sha256_of
from lvqa_eval.dataset import Dataset, DatasetError, open_dataset

Step = Literal["none", "patch", "minor", "major"]

_SCENES = "scenes"


@dataclass(frozen=True)
class RowChange:
    """One row that stands in both, with the fields that differ."""

    row_id: str
    fields: tuple[Change, ...]


@dataclass(frozen=True)
class TableDiff:
    """The rows of one config by id; `reordered` where those that stay come in another order."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[RowChange, ...] = ()
    reordered: bool = False


@dataclass(frozen=True)
class PictureChange:
    """A picture whose bytes differ: the largest difference (of 255), and the share of pixels that differ.

    Both are None where size or mode differ, which `form` then tells; 0 where it was only encoded otherwise.
    """

    path: str
    largest: int | None
    share: float | None
    form: Change | None = None


@dataclass(frozen=True)
class PicturesDiff:
    """The pictures by path below the folder."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[PictureChange, ...] = ()


@dataclass(frozen=True)
class DatasetDiff:
    """Everything that differs; `tables` holds the configs with a difference, `card` whether its words do."""

    name: str
    old_version: str
    new_version: str
    options: tuple[Change, ...] = ()
    tables: Mapping[str, TableDiff] = field(default_factory=dict)
    pictures: PicturesDiff = PicturesDiff()
    card: bool = False

    @property
    def equal(self) -> bool:
        """Tell whether nothing differs, the version included."""
        return self.step == "none" and self.old_version == self.new_version

    @property
    def step(self) -> Step:
        """The SemVer step that the differences ask for.

        Major where results could change: rows or pictures changed, went or moved, or layers are to be laid
        over something else. Minor where something was added alone; patch for words, options without an effect
        on rows, and pictures whose pixels stayed.
        """
        tables, pictures = self.tables.values(), self.pictures
        moved = any(one.removed or one.changed or one.reordered for one in tables)
        redrawn = any(one.largest != 0 for one in pictures.changed)
        rendering = any(one.field == "layer_background" for one in self.options)
        if moved or redrawn or rendering or pictures.removed:
            return "major"
        if pictures.added or any(one.added for one in tables):
            return "minor"
        return "patch" if self.options or pictures.changed or self.card else "none"

    @property
    def suggested_version(self) -> str:
        """The old version with that step taken."""
        major, minor, patch = map(int, self.old_version.split("."))
        return {
            "none": self.old_version,
            "patch": f"{major}.{minor}.{patch + 1}",
            "minor": f"{major}.{minor + 1}.0",
            "major": f"{major + 1}.0.0",
        }[self.step]


def open_named(name: str) -> Dataset:
    """Open a folder, or `ORG/NAME` or `ORG/NAME@REVISION` on the Hub; raises DatasetError."""
    if Path(name).is_dir() or "@" not in name:
        return open_dataset(name)
    repository, _, revision = name.rpartition("@")
    return open_dataset(repository, revision)


def diff(old: Dataset, new: Dataset) -> DatasetDiff:
    """Compare two datasets of one kind; `croissant.json` is left out, since it is made from the rest.

    Raises DatasetError for datasets of two kinds, for a version that is not MAJOR.MINOR.PATCH, and for rows
    or pictures that cannot be read.
    """
    kinds = [str(one.manifest["dataset"]) for one in (old, new)]
    if kinds[0] != kinds[1]:
        raise DatasetError([f"dataset: found {kinds[0]} and {kinds[1]}, allowed: two versions of one"])
    for one in (old, new):
        if not re.fullmatch(r"\d+\.\d+\.\d+", one.version):
            raise DatasetError(
                [f"{one.folder}: version: found {one.version!r}, allowed: MAJOR.MINOR.PATCH, like 1.0.0"]
            )
    return DatasetDiff(
        kinds[0],
        old.version,
        new.version,
        tuple(option_changes(old.manifest, new.manifest)),
        _tables(old, new),
        _pictures(old.folder, new.folder),
        _words(old) != _words(new),
    )


def _tables(old: Dataset, new: Dataset) -> dict[str, TableDiff]:
    names = [*new.conditions, *(name for name in old.conditions if name not in new.conditions), _SCENES]
    found = {name: _table(_rows(old, name), _rows(new, name)) for name in names}
    return {name: table for name, table in found.items() if table != TableDiff()}


def _rows(dataset: Dataset, config: str) -> dict[str, dict[str, Any]]:
    if config == _SCENES:
        return {row.scene_id: row.model_dump() for row in dataset.scenes()}
    if config not in dataset.conditions:
        return {}
    return {row.question_id: row.model_dump() for row in dataset.rows(config)}


def _table(old: Mapping[str, dict[str, Any]], new: Mapping[str, dict[str, Any]]) -> TableDiff:
    common = [row_id for row_id in new if row_id in old]
    return TableDiff(
        added=tuple(row_id for row_id in new if row_id not in old),
        removed=tuple(row_id for row_id in old if row_id not in new),
        changed=tuple(
            RowChange(row_id, tuple(changes(old[row_id], new[row_id])))
            for row_id in common
            if old[row_id] != new[row_id]
        ),
        reordered=common != [row_id for row_id in old if row_id in new],
    )


def _pictures(old: Path, new: Path) -> PicturesDiff:
    before, after = _hashes(old), _hashes(new)
    return PicturesDiff(
        added=tuple(path for path in after if path not in before),
        removed=tuple(path for path in before if path not in after),
        changed=tuple(
            _picture(path, old / path, new / path)
            for path in after
            if path in before and before[path] != after[path]
        ),
    )


def _hashes(folder: Path) -> dict[str, str]:
    paths = sorted(folder.joinpath("scenes").rglob("*.png"))
    return {path.relative_to(folder).as_posix(): sha256_of(path) for path in paths}


def _picture(name: str, old: Path, new: Path) -> PictureChange:
    pixels: list[np.ndarray[Any, Any]] = []
    forms = []
    for path in (old, new):
        try:
            with Image.open(path) as picture:
                forms.append(f"{picture.width}x{picture.height} {picture.mode}")
                pixels.append(np.asarray(picture).astype(np.int16))
        except (OSError, ValueError, Image.DecompressionBombError) as error:
            raise DatasetError([f"{path}: no picture that can be read: {error}"]) from error
    if forms[0] != forms[1]:
        return PictureChange(name, None, None, Change("form", *forms))
    difference = np.abs(pixels[0] - pixels[1]).max(axis=-1)
    return PictureChange(name, int(difference.max()), float((difference > 0).mean()))


def _words(dataset: Dataset) -> Sequence[Any]:
    """Return the card without version and digests, which differ wherever anything does."""
    path = dataset.folder / "README.md"
    if not path.is_file():
        return ()
    _, _, rest = path.read_text(encoding="utf-8").partition("---\n")
    head, _, prose = rest.partition("\n---\n")
    try:
        typed = yaml.safe_load(head) or {}
        configs = [
            {key: value for key, value in config.items() if key not in ("version", "description")}
            for config in typed.get("configs", [])
        ]
    except (yaml.YAMLError, AttributeError, TypeError):
        return (head, prose)
    fields = {key: value for key, value in typed.items() if key not in ("version", "configs")}
    return (fields, configs, prose.replace(dataset.version, "VERSION"))

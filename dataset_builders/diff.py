"""What differs between two dataset folders: options, rows, pictures, words; and the version step."""

import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import yaml
from PIL import Image

from dataset_builders.changes import Change, changes, option_changes
from dataset_builders.compared import Content, Table, content_of
from lvqa_eval.dataset_folder import DatasetError, DatasetFolder, open_folder

Step = Literal["none", "patch", "minor", "major"]


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
    """The pictures by name: a path below the folder, or the id of the row that they belong to."""

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


def open_named(name: str) -> DatasetFolder:
    """Open a folder, or `ORG/NAME` or `ORG/NAME@REVISION` on the Hub; raises DatasetError."""
    if Path(name).is_dir() or "@" not in name:
        return open_folder(name)
    repository, _, revision = name.rpartition("@")
    return open_folder(repository, revision)


def diff(old: DatasetFolder, new: DatasetFolder) -> DatasetDiff:
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
    before, after = content_of(old), content_of(new)
    return DatasetDiff(
        kinds[0],
        old.version,
        new.version,
        tuple(option_changes(old.manifest, new.manifest)),
        _tables(before, after),
        _pictures(before, after),
        _words(old) != _words(new),
    )


def _tables(old: Content, new: Content) -> dict[str, TableDiff]:
    names = [*new.names(), *(name for name in old.names() if name not in new.names())]
    found = {name: _table(old.table(name), new.table(name)) for name in names}
    return {name: table for name, table in found.items() if table != TableDiff()}


def _table(old: Table, new: Table) -> TableDiff:
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


def _pictures(old: Content, new: Content) -> PicturesDiff:
    before, after = old.hashes(), new.hashes()
    return PicturesDiff(
        added=tuple(name for name in after if name not in before),
        removed=tuple(name for name in before if name not in after),
        changed=tuple(
            _picture(name, old.picture(name), new.picture(name))
            for name in after
            if name in before and before[name] != after[name]
        ),
    )


def _picture(name: str, old: bytes, new: bytes) -> PictureChange:
    pixels: list[np.ndarray[Any, Any]] = []
    forms = []
    for data in (old, new):
        try:
            with Image.open(io.BytesIO(data)) as picture:
                forms.append(f"{picture.width}x{picture.height} {picture.mode}")
                pixels.append(np.asarray(picture).astype(np.int16))
        except (OSError, ValueError, Image.DecompressionBombError) as error:
            raise DatasetError([f"{name}: no picture that can be read: {error}"]) from error
    if forms[0] != forms[1]:
        return PictureChange(name, None, None, Change("form", *forms))
    difference = np.abs(pixels[0] - pixels[1])
    if difference.ndim == 3:
        difference = difference.max(axis=-1)
    return PictureChange(name, int(difference.max()), float((difference > 0).mean()))


def _words(dataset: DatasetFolder) -> Sequence[Any]:
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

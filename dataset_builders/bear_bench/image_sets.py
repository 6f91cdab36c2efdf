"""The images of any dataset: a folder of pictures, Parquet files, or what the library `datasets` loads."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from lvqa_eval.errors import LvqaError

PICTURES = (".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff", ".bmp", ".gif")
"""The ends of the names of picture files, in lower case."""

_NAMED = re.compile(
    r"(?P<name>[^=]+)=(?P<place>[^#@]+?)(#(?P<config>[^@:]+))?(@(?P<split>[^:]+))?(:(?P<column>[^:/]+))?"
)
_ON_HUB = re.compile(r"[\w.-]+/[\w.-]+")
_SAVED = ("dataset_dict.json", "state.json")


class ImageSetError(LvqaError, ValueError):
    """A set of images that cannot be read."""


@dataclass(frozen=True)
class NamedSet:
    """A set of images as a command names it; `config`, `split` and `column` are None where it does not."""

    name: str
    place: str
    config: str | None
    split: str | None
    column: str | None

    @classmethod
    def parse(cls, text: str) -> "NamedSet":
        """Read NAME=PLACE, with #CONFIG, @SPLIT and :COLUMN behind it where they are needed."""
        found = _NAMED.fullmatch(text.strip())
        if found is None:
            raise ImageSetError(
                f"found {text!r}, needed NAME=PLACE, NAME=PLACE:COLUMN, or NAME=PLACE#CONFIG@SPLIT:COLUMN; "
                "PLACE is a folder, a Parquet file, or ORG/NAME on the Hub"
            )
        return cls(**found.groupdict())

    @property
    def where(self) -> str:
        """Place, config and split, as they were named."""
        return (
            self.place + (f"#{self.config}" if self.config else "") + (f"@{self.split}" if self.split else "")
        )


class ImageSet(Protocol):
    """Images in a fixed order; `column` is where they stand, empty for files."""

    column: str

    def __len__(self) -> int:
        """Return how many there are."""

    def files(self, places: Sequence[int]) -> Iterator[tuple[int, bytes]]:
        """Yield (place, picture file) of each of `places`, which are in ascending order."""


def open_images(named: NamedSet) -> ImageSet:
    """Open a set of images; ImageSetError where it is not there, is empty, or has no such column."""
    path = Path(named.place)
    if path.is_dir():
        found = _of_folder(path, named)
    elif path.is_file():
        found = _Parquet([path], named)
    elif _ON_HUB.fullmatch(named.place):
        found = _OfDatasets(named)
    else:
        raise ImageSetError(
            f"{named.name}: {named.place}: no such folder or file, and no name of the Hub (ORG/NAME)"
        )
    if len(found) == 0:
        raise ImageSetError(f"{named.name}: {named.where}: found no image")
    return found


def _of_folder(path: Path, named: NamedSet) -> ImageSet:
    if any((path / name).is_file() for name in _SAVED) or (path / "README.md").is_file():
        return _OfDatasets(named)
    if parquet := sorted(path.rglob("*.parquet")):
        return _Parquet(parquet, named)
    return _Files(sorted(one for one in path.rglob("*") if one.suffix.lower() in PICTURES))


class _Files:
    """Picture files."""

    column = ""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = paths

    def __len__(self) -> int:
        return len(self._paths)

    def files(self, places: Sequence[int]) -> Iterator[tuple[int, bytes]]:
        return ((place, self._paths[place].read_bytes()) for place in places)


class _Parquet:
    """A column of Parquet files, read group by group."""

    def __init__(self, paths: Sequence[Path], named: NamedSet) -> None:
        import pyarrow
        from pyarrow.parquet import ParquetFile

        self._named = named
        try:
            self._files = [ParquetFile(path) for path in paths]
        except (OSError, pyarrow.ArrowInvalid) as error:
            raise ImageSetError(f"{named.name}: {named.where}: cannot be read as Parquet: {error}") from error
        names = self._files[0].schema_arrow.names
        self.column = named.column or _only(named, [one for one in names if "image" in one.lower()], names)
        if any(self.column not in file.schema_arrow.names for file in self._files):
            raise ImageSetError(_no_column(named, self.column, names))

    def __len__(self) -> int:
        return sum(file.metadata.num_rows for file in self._files)

    def files(self, places: Sequence[int]) -> Iterator[tuple[int, bytes]]:
        start, wanted = 0, list(places)
        for file in self._files:
            for group in range(file.num_row_groups):
                end = start + file.metadata.row_group(group).num_rows
                inside = [place for place in wanted if start <= place < end]
                if inside:
                    column = file.read_row_group(group, columns=[self.column])[self.column]
                    for place in inside:
                        yield place, _stored(self._named, column[place - start].as_py())
                start = end


class _OfDatasets:
    """A column of what `datasets` loads: all splits one after the other where none is named."""

    def __init__(self, named: NamedSet) -> None:
        from datasets import Image, concatenate_datasets

        loaded = _loaded(named)
        rows = (
            loaded if hasattr(loaded, "features") else concatenate_datasets([loaded[name] for name in loaded])
        )
        images = [name for name, kind in rows.features.items() if isinstance(kind, Image)]
        self.column = named.column or _only(named, images, list(rows.features))
        if self.column not in rows.features:
            raise ImageSetError(_no_column(named, self.column, list(rows.features)))
        self._named = named
        is_image = isinstance(rows.features[self.column], Image)
        self._rows = rows.cast_column(self.column, Image(decode=False)) if is_image else rows

    def __len__(self) -> int:
        return len(self._rows)

    def files(self, places: Sequence[int]) -> Iterator[tuple[int, bytes]]:
        chosen = self._rows.select_columns([self.column])
        return ((place, _stored(self._named, chosen[place][self.column])) for place in places)


def _loaded(named: NamedSet) -> Any:
    from datasets import load_dataset, load_from_disk

    try:
        if any((Path(named.place) / name).is_file() for name in _SAVED):
            loaded = load_from_disk(named.place)
            return loaded[named.split] if named.split and not hasattr(loaded, "features") else loaded
        return load_dataset(named.place, named.config, split=named.split)
    except (OSError, ValueError, KeyError) as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise ImageSetError(f"{named.name}: {named.where}: cannot be loaded: {reason}") from error


def _only(named: NamedSet, candidates: Sequence[str], names: Sequence[str]) -> str:
    if len(candidates) != 1:
        found = ", ".join(candidates) or "none"
        raise ImageSetError(
            f"{named.name}: {named.where}: columns with images: found {found}; name one behind a colon, of "
            f"{', '.join(names)}"
        )
    return candidates[0]


def _no_column(named: NamedSet, column: str, names: Sequence[str]) -> str:
    return f"{named.name}: {named.where}: column: found no {column!r}, allowed: {', '.join(names)}"


def _stored(named: NamedSet, value: Any) -> bytes:
    """Return the picture file that a cell holds: its bytes, a struct with them, or the path to them."""
    if isinstance(value, dict):
        value = value.get("bytes") or value.get("path")
    if isinstance(value, bytes):
        return value
    if isinstance(value, str) and Path(value).is_file():
        return Path(value).read_bytes()
    found = type(value).__name__ if not isinstance(value, str) else repr(value[:60])
    raise ImageSetError(f"{named.name}: {named.where}: image: found {found}, needed a picture or its path")

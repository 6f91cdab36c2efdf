"""Where the files of MuLAn lie: pairs of photo and annotation, and layers decomposed before."""

import csv
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from dataset_builders.layered_vqa.sources.source import SourceError

ENDING = ".p.zl"
PHOTO_ENDINGS = (".jpg", ".jpeg", ".png")

_LAYER = re.compile(r"(?P<scene>.+)-layer_(?P<index>\d+)\.png")


@dataclass(frozen=True)
class Pair:
    """A photo and its annotation."""

    photo: Path
    annotation: Path


def find_pairs(
    annotations: Path, images: Iterable[Path], pairing: Path | None
) -> tuple[dict[str, Pair], dict[str, str]]:
    """Return scene id -> pair, and scene id -> what is missing.

    The scene id is the annotation's name without its ending. With `pairing` (CSV: image, annotation) its rows
    are the scenes, in its order; else every annotation below the folder, each with the photo of that name. A
    path of the CSV is looked for below each folder, whole and then without its first folders, because the
    CSV may have been written for another place. Raises SourceError with all faults of the CSV.
    """
    folders = tuple(images)
    pairs, missing = {}, {}
    rows = _paired(pairing) if pairing else _listed(annotations)
    for scene_id, names, written in rows:
        annotation = _below((annotations,), (written,))
        photo = _below(folders, names)
        if annotation and photo:
            pairs[scene_id] = Pair(photo, annotation)
        elif photo:
            missing[scene_id] = f"the annotation {written} does not lie in {annotations}"
        else:
            places = ", ".join(map(str, folders)) or "the folders of photos, for none is given"
            missing[scene_id] = f"the photo {' or '.join(names)} lies in none of {places}"
    return pairs, missing


def _listed(annotations: Path) -> Iterator[tuple[str, tuple[str, ...], str]]:
    first: dict[str, Path] = {}
    twice = []
    for path in sorted(annotations.rglob(f"*{ENDING}")):
        scene_id = path.name.removesuffix(ENDING)
        if scene_id in first:
            twice.append(f"{scene_id}: found {first[scene_id]} and {path}, allowed: each name once")
        first.setdefault(scene_id, path)
    if twice:
        raise SourceError(twice)
    for scene_id, path in first.items():
        names = tuple(f"{scene_id}{ending}" for ending in PHOTO_ENDINGS)
        yield scene_id, names, path.relative_to(annotations).as_posix()


def _paired(pairing: Path) -> Iterator[tuple[str, tuple[str, ...], str]]:
    first: dict[str, int] = {}
    found, faults = [], []
    for line, row in _read_csv(pairing, ("image", "annotation")):
        scene_id = PurePosixPath(row["annotation"]).name.removesuffix(ENDING)
        outside = [field for field in ("image", "annotation") if not _stays_inside(row[field])]
        faults += [
            f"line {line}: {field}: found {row[field]!r:.120}, allowed: a path below the folder"
            for field in outside
        ]
        if scene_id in first:
            faults.append(f"line {line}: annotation: found {scene_id} before, at line {first[scene_id]}")
        first.setdefault(scene_id, line)
        found.append((scene_id, (row["image"],), row["annotation"]))
    if faults:
        raise SourceError([f"{pairing.name}: {fault}" for fault in faults])
    yield from found


def find_decomposed(folder: Path) -> tuple[dict[str, tuple[Path, ...]], dict[str, str]]:
    """Return scene id -> its `ID-layer_K.png` from K = 0, and scene id -> which layer is missing."""
    by_scene: dict[str, dict[int, Path]] = defaultdict(dict)
    for path in sorted(folder.glob("*-layer_*.png")):
        match = _LAYER.fullmatch(path.name)
        if match:
            by_scene[match["scene"]][int(match["index"])] = path
    whole, missing = {}, {}
    for scene_id, layers in by_scene.items():
        # Not the list of all gaps: a file name may hold any number.
        gap = next(index for index in range(len(layers) + 1) if index not in layers)
        if gap < len(layers):
            missing[scene_id] = f"found no {scene_id}-layer_{gap}.png, allowed: every layer from 0"
        else:
            whole[scene_id] = tuple(layers[index] for index in range(len(layers)))
    return whole, missing


def read_captions(meta_data: Path) -> Mapping[str, Mapping[str, str]]:
    """Return the file name of a layer -> captioner -> caption, from `meta_data.csv` (none: empty)."""
    if not meta_data.is_file():
        return {}
    rows = _read_csv(meta_data, ("paths",))
    return {PurePosixPath(row["paths"]).name: row for _, row in rows}


def _read_csv(path: Path, columns: tuple[str, ...]) -> list[tuple[int, dict[str, str]]]:
    """Return the rows with their line numbers; `columns` are those that every row must fill."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream, restval="")
            rows = [
                (reader.line_num, {key: value for key, value in row.items() if key is not None})
                for row in reader
            ]
            names = list(reader.fieldnames or ())
    except OSError as error:
        raise SourceError([f"{path.name}: cannot be opened: {error.strerror}"]) from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise SourceError([f"{path.name}: not a CSV file in UTF-8: {error}"]) from error
    absent = [column for column in columns if column not in names]
    if absent:
        found = ", ".join(names)
        raise SourceError(
            [f"{path.name}: line 1: found the columns {found!r:.120}, needed: {', '.join(columns)}"]
        )
    empty = [
        f"{path.name}: line {line}: {column}: found nothing, allowed: a path"
        for line, row in rows
        for column in columns
        if not row[column]
    ]
    if empty:
        raise SourceError(empty)
    return rows


def _stays_inside(name: str) -> bool:
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts


def _below(folders: tuple[Path, ...], names: tuple[str, ...]) -> Path | None:
    for folder in folders:
        for name in names:
            parts = PurePosixPath(name).parts
            for start in range(len(parts)):
                path = folder.joinpath(*parts[start:])
                if path.is_file():
                    return path
    return None

"""`pictures.jsonl` of a run folder: every picture that was sent, and what the size rule did to it."""

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Self

from lvqa_eval.errors import LvqaError
from lvqa_eval.runs.lines import AppendLog, read_lines
from lvqa_eval.runs.reading import decoder

PICTURES = "pictures.jsonl"

_log = logging.getLogger(__name__)


class Name(NamedTuple):
    """Scene and layer, None for the composite, and what its sides were divided by."""

    scene_id: str
    layer: int | None
    factor: float = 1.0

    def __str__(self) -> str:
        """Return it as messages name it."""
        part = "composite" if self.layer is None else f"layer {self.layer}"
        smaller = "" if self.factor == 1 else f", {self.factor:g} times smaller"
        return f"scene {self.scene_id}, {part}{smaller}"


class PictureChangedError(LvqaError, ValueError):
    """A picture of a scene that has other pixels now than earlier in the same run."""


@dataclass(frozen=True)
class PictureRecord:
    """One picture as sent: a layer of a scene, or its composite, where `layer` is None.

    `sha256` is that of the PNG, of so many `bytes`; another build of the encoder may give another one.
    `pixels_sha256` is that of the pixels, row by row as RGB. `width` and `height` are those sent: the
    original ones times `scale`, then padded right and below, in pixels. `scale` holds what its condition
    divided the sides by, `factor`, and what the size rule did.
    """

    scene_id: str
    layer: int | None
    sha256: str
    pixels_sha256: str
    bytes: int
    width: int
    height: int
    original_width: int
    original_height: int
    scale: float
    pad_right: int
    pad_bottom: int
    factor: float = 1.0

    @property
    def name(self) -> Name:
        """Scene, layer and factor."""
        return Name(self.scene_id, self.layer, self.factor)

    @property
    def looks(self) -> str:
        """What two records share that show the same picture: its size and the hash of its pixels."""
        return f"{self.width}x{self.height} pixels of hash {self.pixels_sha256[:16]}"


class PictureLog:
    """Writes each picture of a run once, over all of its resumptions; a context manager."""

    def __init__(self, log: AppendLog, known: dict[Name, PictureRecord]) -> None:
        self._log = log
        self._known = known

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Return the log of the run in `folder`, for writing; LogInUseError where another process writes."""
        log = AppendLog(folder / PICTURES)
        try:
            records, problems = read_lines(log.path, decoder(PictureRecord))
            if any(problem.kind != "refused" for problem in problems):
                log.rewrite()
        except BaseException:
            log.close()
            raise
        return cls(log, _by_name(records))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the file back."""
        self._log.close()

    def add(self, record: PictureRecord) -> None:
        """Write `record` unless its picture stands there; PictureChangedError where the pixels are others."""
        earlier = self._known.get(record.name)
        if earlier is None:
            self._log.append(record)
            self._known[record.name] = record
        elif earlier.looks != record.looks:
            raise PictureChangedError(
                f"{self._log.path}: {record.name}: found {record.looks}, this run has sent {earlier.looks}; "
                "bring the old file back, or begin another run"
            )


def read_pictures(folder: Path) -> dict[Name, PictureRecord]:
    """Return the pictures of the run in `folder` by name, composites first, larger ones before smaller.

    Empty without a file. Lines that are no record are logged.
    """
    path = folder / PICTURES
    if not path.exists():
        return {}
    records, problems = read_lines(path, decoder(PictureRecord))
    for problem in problems:
        _log.warning("%s", problem)
    # The order of the file is that in which conversations happened to ask.
    return _by_name(sorted(records, key=_place))


def _place(record: PictureRecord) -> tuple[str, int, float]:
    return record.scene_id, -1 if record.layer is None else record.layer, record.factor


def _by_name(records: list[PictureRecord]) -> dict[Name, PictureRecord]:
    first: dict[Name, PictureRecord] = {}
    for record in records:
        first.setdefault(record.name, record)
    return first

"""Single records of a file with thousands: only where each one stands is held."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Generic, TypeVar

from lvqa_eval.runs.reading import Keyed, decoder
from lvqa_eval.runs.records import Key

R = TypeVar("R", bound=Keyed)
S = TypeVar("S", bound=Keyed)

_State = tuple[int, int]
"""Time and size of a file, by which a changed one is known."""


class KeyedLines(Generic[R]):
    """The records of the file at `path`, read one at a time.

    `status` is the part of a record that names it, `final` tells which records beat others of their key, as
    in `read_keyed`. A file that has changed is searched again; lines that are no record are left out.
    """

    def __init__(self, path: Path, kind: type[R], status: type[S], final: Callable[[S], bool]) -> None:
        self._path = path
        self._decode: Callable[[bytes], R] = decoder(kind)
        self._find: Callable[[], dict[Key, int]] = partial(_places, path, decoder(status), final)
        self._places: dict[Key, int] = {}
        self._state: _State | None = None
        self._searching = Lock()

    def get(self, key: Key) -> R | None:
        """Return the record of `key`, None where there is none."""
        place = self._found().get(key)
        if place is None:
            return None
        with self._path.open("rb") as file:
            file.seek(place)
            return self._decode(file.readline())

    def _found(self) -> dict[Key, int]:
        with self._searching:
            state = _state(self._path)
            if state != self._state:
                self._places = {} if state is None else self._find()
                self._state = state
            return self._places


def _state(path: Path) -> _State | None:
    try:
        told = path.stat()
    except FileNotFoundError:
        return None
    return told.st_mtime_ns, told.st_size


def _places(path: Path, read: Callable[[bytes], S], final: Callable[[S], bool]) -> dict[Key, int]:
    places: dict[Key, int] = {}
    settled: set[Key] = set()
    names: dict[str, str] = {}
    start = 0
    with path.open("rb") as file:
        for line in file:
            place, start = start, start + len(line)
            try:
                record = read(line)
            except ValueError:
                continue
            condition, question_id, run = record.key
            # The same names come in thousands of lines.
            key = Key(names.setdefault(condition, condition), names.setdefault(question_id, question_id), run)
            if final(record):
                settled.add(key)
            elif key in settled:
                continue
            places[key] = place
    return places

"""Typed records from the files of a run, and which of several records of one key stands."""

import logging
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Generic, Protocol, TypeVar

import msgspec

from lvqa_eval.runs.lines import LineProblem, read_lines
from lvqa_eval.runs.records import Key

_log = logging.getLogger(__name__)

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


class Keyed(Protocol):
    """A record that names its conversation."""

    @property
    def key(self) -> Key:
        """The conversation's name in its run."""


R = TypeVar("R", bound=Keyed)


@dataclass(frozen=True)
class Reading(Generic[R]):
    """What a file of a run holds: one record a key, in the order of the keys.

    `problems` names the lines that are not one record each; `repeats` counts the records left out because
    another of the same key stands; `conflicts` are the keys whose final records disagree.
    """

    records: dict[Key, R]
    problems: tuple[LineProblem, ...]
    repeats: int
    conflicts: tuple[Key, ...]


def one_per_key(
    records: Iterable[T], key: Callable[[T], K], final: Callable[[T], bool]
) -> tuple[dict[K, T], int, list[K]]:
    """Return one record a key, the number of records left out, and the keys whose final records disagree.

    A final record beats one that is not; among equals the last stands.
    """
    chosen: dict[K, T] = {}
    left_out = 0
    conflicts: dict[K, None] = {}
    for record in records:
        name = key(record)
        earlier = chosen.get(name)
        if earlier is not None:
            left_out += 1
            if final(earlier) and not final(record):
                continue
            if final(earlier) and earlier != record:
                conflicts[name] = None
        chosen[name] = record
    return chosen, left_out, list(conflicts)


def read_keyed(path: Path, record_type: type[R], final: Callable[[R], bool]) -> Reading[R]:
    """Return the records of the file at `path` (empty where there is none), one a key.

    `final` tells which records beat others of their key.
    """
    records, problems = read_lines(path, decoder(record_type)) if path.exists() else ([], [])
    chosen, repeats, conflicts = one_per_key(records, lambda record: record.key, final)
    in_order = {key: chosen[key] for key in sorted(chosen)}
    return Reading(in_order, tuple(problems), repeats, tuple(sorted(conflicts)))


def log_faults(path: Path, reading: Reading[R]) -> None:
    """Log what is wrong with the file at `path`, which gave `reading`."""
    for problem in reading.problems:
        _log.warning("%s", problem)
    if reading.conflicts:
        count = len(reading.conflicts)
        _log.warning("%s: %d keys with final records that disagree; the last stands", path, count)


@cache
def decoder(record_type: type[T]) -> Callable[[bytes], T]:
    """Return the function that reads one line of JSON as `record_type`.

    Nothing is converted: a text or a fraction is no whole number. Its ValueError names the first field that
    is wrong, what was found and what is expected. A field that the type does not have is skipped.
    """
    parse = msgspec.json.Decoder(record_type).decode

    def decode(line: bytes) -> T:
        # The parser does not look into the text that it skips, yet such a line is damaged all the same.
        if not line.isascii():
            line.decode()
        try:
            return parse(line)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise ValueError(_fault(error)) from None

    return decode


def _fault(error: Exception) -> str:
    """Return the parser's "what - at `$.place`" as "place: what"."""
    what, _, place = str(error).partition(" - at `$")
    place = place.rstrip("`").lstrip(".")
    return f"{place}: {what}" if place else what

"""Typed records from the files of a run, and which of several records of one key stands."""

import logging
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from pydantic import TypeAdapter, ValidationError

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
    """Return the records of the file at `path` (empty where there is none), one a key; faults are logged.

    `final` tells which records beat others of their key.
    """
    records, problems = read_lines(path, decoder(record_type)) if path.exists() else ([], [])
    chosen, repeats, conflicts = one_per_key(records, lambda record: record.key, final)
    for problem in problems:
        _log.warning("%s", problem)
    if conflicts:
        _log.warning("%s: %d keys with final records that disagree; the last stands", path, len(conflicts))
    return Reading(dict(sorted(chosen.items())), tuple(problems), repeats, tuple(sorted(conflicts)))


@cache
def decoder(record_type: type[T]) -> Callable[[bytes], T]:
    """Return the function that reads one line of JSON as `record_type`; its ValueError names the fields."""
    adapter = TypeAdapter(record_type)

    def decode(line: bytes) -> T:
        try:
            return adapter.validate_json(line, strict=True)
        except ValidationError as error:
            faults = (
                f"{'.'.join(map(str, fault['loc'])) or 'line'}: {fault['msg']}, found {fault['input']!r:.60}"
                for fault in error.errors(include_url=False)
            )
            raise ValueError("; ".join(faults)) from None

    return decode

"""A board on disk: submissions that never change, a log that only grows, and runs made of them.

`board.yaml`; `submissions/<id>/` with `upload.jsonl.gz` and `receipt.json`; `log.jsonl`; `runs/<id>/`, run
folders that are derived from submissions and then judged; `audits/`, what people made of them with `lvqa
audit`; `tmp/`, work in progress.
"""

import hashlib
import logging
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Final, Self

import msgspec

from leaderboard.store.drafts import clear_leftovers, draft, locked
from leaderboard.store.receipts import LOG, RECEIPT, Event, Kind, read_log, read_receipt, timestamp
from leaderboard.store.settings import (
    BOARD,
    BoardError,
    BoardSettings,
    DatasetSettings,
    dataset_settings,
    open_standing,
    place_of,
)
from leaderboard.submissions.names import same_model
from leaderboard.submissions.plain_text import shown
from leaderboard.submissions.reading import Limits
from leaderboard.submissions.records import Receipt
from leaderboard.submissions.standing import BenchmarkStanding, BoardStanding
from lvqa_eval.errors import LvqaError
from lvqa_eval.runs.lines import AppendLog
from lvqa_eval.runs.store import IDENTITY

SUBMISSIONS: Final = "submissions"
RUNS: Final = "runs"
AUDITS: Final = "audits"
UPLOAD: Final = "upload.jsonl.gz"
TMP: Final = "tmp"

_ID = re.compile("[0-9a-f]{64}")
_log = logging.getLogger(__name__)


class UnknownSubmissionError(BoardError):
    """An id that no submission of the board has."""


@dataclass(frozen=True)
class Submission:
    """A submission as it stands: its receipt, and what the log says of it.

    `version` counts the submissions of a model on a benchmark from 1, in the order of their reception.
    `newest`: it was not withdrawn, and none after it stands. `withdrawn` and `verified` hold the event.
    """

    receipt: Receipt
    version: int = 1
    newest: bool = True
    withdrawn: Event | None = None
    verified: Event | None = None

    @property
    def id(self) -> str:
        """The id of the submission."""
        return self.receipt.id

    @property
    def model(self) -> tuple[str, str]:
        """What its versions have in common: the benchmark and the model."""
        return self.receipt.benchmark, same_model(self.receipt.about.model)


class BoardFolder:
    """The board in a folder, from `open` or `init`; several processes may have it open."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.settings = BoardSettings.read(folder)

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Return the board in `folder`; BoardError where it is none, with all that is wrong."""
        return cls(folder)

    @classmethod
    def init(
        cls,
        folder: Path,
        title: str,
        datasets: Sequence[str],
        panel: Sequence[str] = (),
        limits: Limits | None = None,
        runs: int | None = None,
    ) -> Self:
        """Make a board about datasets: folders (from the board's own if relative), or ORG/NAME on the Hub.

        `runs` are those of each condition in a full run, as published if not given. Raises BoardError where
        there is a board, or where two datasets are of one benchmark; DatasetError.
        """
        if (folder / BOARD).exists():
            raise BoardError(f"{folder / BOARD}: exists; a board is made once")
        told = [_settled(folder, name) for name in datasets]
        benchmarks = {
            name: one if runs is None else msgspec.structs.replace(one, runs=runs) for name, one in told
        }
        if not told or len(benchmarks) < len(told):
            found = ", ".join(name for name, _ in told) or "none"
            raise BoardError(f"datasets: found {found}, allowed: one a benchmark, at least one")
        folder.mkdir(parents=True, exist_ok=True)
        for name in (SUBMISSIONS, RUNS):
            (folder / name).mkdir(exist_ok=True)
        BoardSettings(title, benchmarks, panel=tuple(panel), limits=limits or Limits()).write(folder)
        return cls(folder)

    @cached_property
    def _benchmarks(self) -> dict[str, BenchmarkStanding]:
        return {name: open_standing(self.folder, told) for name, told in self.settings.benchmarks.items()}

    def benchmark(self, name: str) -> BenchmarkStanding:
        """Return the dataset and the full run of a benchmark of the board, opened once."""
        return self._benchmarks[name]

    def standing_of(self, receipt: Receipt) -> BenchmarkStanding | None:
        """Return the dataset that a submission was made over, also of an earlier version; None if away."""
        now = self.settings.benchmarks.get(receipt.benchmark)
        earlier = self.settings.earlier.get(receipt.benchmark, ())
        for told in (*([] if now is None else [now]), *earlier):
            if told.manifest_sha256 == receipt.manifest_sha256:
                with suppress(LvqaError):
                    return open_standing(self.folder, told)
        return None

    def standing(self) -> BoardStanding:
        """Return what the board takes now."""
        models = dict.fromkeys(one.receipt.about.model for one in self.submissions())
        return BoardStanding(self._benchmarks, tuple(models))

    def submissions(self) -> tuple[Submission, ...]:
        """Return every submission in the order of reception, withdrawn ones too."""
        events = self.log()
        place = {one.id: number for number, one in enumerate(events) if one.event == "received"}
        receipts = sorted(
            self._receipts(), key=lambda one: (place.get(one.id, len(events)), one.received, one.id)
        )
        return _versions(receipts, events)

    def submission(self, name: str) -> Submission:
        """Return the submission with an id; UnknownSubmissionError where there is none."""
        for one in self.submissions():
            if one.id == name:
                return one
        raise _unknown(name)

    def has(self, name: str) -> bool:
        """Say whether there is a submission with this id."""
        return bool(_ID.fullmatch(name)) and (self._submission(name) / RECEIPT).is_file()

    def receipt(self, name: str) -> Receipt:
        """Return the receipt of a submission; UnknownSubmissionError where there is none."""
        if not self.has(name):
            raise _unknown(name)
        return read_receipt(self._submission(name) / RECEIPT)

    def upload(self, name: str) -> Path:
        """Return the file of a submission as it was taken; UnknownSubmissionError where there is none."""
        if not self.has(name):
            raise _unknown(name)
        return self._submission(name) / UPLOAD

    def run(self, name: str) -> Path:
        """Return where the run folder of a submission lies; UnknownSubmissionError for no id of one."""
        if not _ID.fullmatch(name):
            raise _unknown(name)
        return self.folder / RUNS / name

    def runs(self) -> dict[str, Path]:
        """Return the run folders that are there, by the id of their submission, in the order of reception."""
        paths = {one.id: self.run(one.id) for one in self.submissions()}
        return {name: path for name, path in paths.items() if (path / IDENTITY).is_file()}

    def log(self) -> tuple[Event, ...]:
        """Return the events of the log; what is damaged in it is left out and reported in ours."""
        events, problems = read_log(self.folder / LOG)
        for problem in problems:
            _log.warning("%s", problem)
        return tuple(events)

    def withdraw(self, name: str, by: str | None, reason: str, now: datetime) -> None:
        """Take a submission off the board's tables; it stays in the history."""
        self._note("withdrawn", name, by, reason, now)

    def mark_verified(self, name: str, by: str | None, note: str, now: datetime) -> None:
        """Write down that a maintainer has held the conversations of a submission again."""
        self._note("verified", name, by, note, now)

    def write_log(self, events: Sequence[Event]) -> None:
        """Add events to the log, on the disk before this returns; for one who is `writing`."""
        with AppendLog(self.folder / LOG, fsync=True) as log:
            for event in events:
                log.append(event)

    def writing(self) -> AbstractContextManager[None]:
        """Keep all other writers of the board waiting."""
        return locked(self.folder)

    def draft(self) -> AbstractContextManager[Path]:
        """Give an empty folder on the board's file system for work in progress."""
        return draft(self.folder / TMP)

    def clear_leftovers(self) -> list[str]:
        """Remove what killed processes have left in `tmp`; returns the names."""
        return clear_leftovers(self.folder / TMP)

    def state(self) -> str:
        """Return a hash of everything that pages depend on: settings, log, submissions, runs, audits.

        Runs and audits are told apart by the names, sizes and times of files, so this takes milliseconds.
        """
        digest = hashlib.sha256()
        for name in (BOARD, LOG):
            path = self.folder / name
            digest.update(path.read_bytes() if path.exists() else b"")
        for receipt in sorted(self._receipts(), key=lambda one: one.id):
            digest.update(receipt.id.encode())
            digest.update(self.run_state(receipt.id).encode())
        digest.update(self.audit_state().encode())
        return digest.hexdigest()

    def run_state(self, name: str) -> str:
        """Return a hash of everything that the figures of one run depend on."""
        return _hash_of(self.run(name))

    def audit_state(self) -> str:
        """Return a hash of what people said of the runs."""
        return _hash_of(self.folder / AUDITS)

    def _note(self, event: Kind, name: str, by: str | None, note: str, now: datetime) -> None:
        if not self.has(name):
            raise _unknown(name)
        with self.writing():
            self.write_log([Event(event, name, timestamp(now), by, note)])

    def _submission(self, name: str) -> Path:
        return self.folder / SUBMISSIONS / name

    def _receipts(self) -> Iterator[Receipt]:
        folder = self.folder / SUBMISSIONS
        # What keeps files alone, as Git does, brings no empty folders.
        for path in folder.iterdir() if folder.is_dir() else ():
            if _ID.fullmatch(path.name):
                yield read_receipt(path / RECEIPT)


def _settled(folder: Path, name: str) -> tuple[str, DatasetSettings]:
    """Return a dataset's benchmark and settings; a folder is named as it is reached from the board's."""
    place = place_of(folder, name)
    benchmark, told = dataset_settings(place)
    return benchmark, msgspec.structs.replace(
        told, dataset=os.path.relpath(place, folder) if Path(place).is_dir() else name
    )


def _versions(receipts: Sequence[Receipt], events: Sequence[Event]) -> tuple[Submission, ...]:
    last = {(one.event, one.id): one for one in events}
    counts: dict[tuple[str, str], int] = {}
    found = []
    for receipt in receipts:
        one = Submission(
            receipt,
            withdrawn=last.get(("withdrawn", receipt.id)),
            verified=last.get(("verified", receipt.id)),
        )
        counts[one.model] = counts.get(one.model, 0) + 1
        found.append(replace(one, version=counts[one.model]))
    newest = {one.model: one.id for one in found if one.withdrawn is None}
    return tuple(replace(one, newest=newest.get(one.model) == one.id) for one in found)


def _hash_of(folder: Path) -> str:
    digest = hashlib.sha256()
    for told in sorted(_files(folder)):
        digest.update(f"{told}\n".encode())
    return digest.hexdigest()


def _files(folder: Path) -> Iterator[str]:
    """Yield name, size and time of every file below a folder."""
    if not folder.is_dir():
        return
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from (f"{entry.name}/{inner}" for inner in _files(Path(entry.path)))
            else:
                about = entry.stat(follow_symlinks=False)
                yield f"{entry.name} {about.st_size} {about.st_mtime_ns}"


def _unknown(name: str) -> UnknownSubmissionError:
    return UnknownSubmissionError(
        f"submission: found {shown(name, 80)}, allowed: the id of one on this board"
    )

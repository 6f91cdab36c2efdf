"""What people say of the items: one file a person, appended to at once, the last line of an item stands."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Self

from lvqa_eval.judging.audit.items import LABELS, AuditError
from lvqa_eval.runs.lines import AppendLog, LogInUseError, read_lines
from lvqa_eval.runs.reading import decoder

ADJUDICATED = "adjudicated"
"""The file of the third person's labels; no annotator is called so."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class Label(StrEnum):
    """What a person says of the last answer of a conversation."""

    RIGHT = "right"
    WRONG = "wrong"
    CANNOT_TELL = "cannot_tell"


@dataclass(frozen=True)
class LabelRecord:
    """One line: what `by` says of an item from here on; `label` None says nothing, whatever was said before.

    `undo` marks a line that brings back what stood before an earlier one.
    """

    item: str
    by: str
    label: Label | None
    note: str = ""
    undo: bool = False


Labels = Mapping[str, LabelRecord]
"""One person's standing records by item; those without a label are among them."""


class LabelFile:
    """The labels of one person, for writing; a context manager. Threads may share it."""

    def __init__(self, log: AppendLog, by: str, records: Iterable[LabelRecord]) -> None:
        self._log = log
        self._by = by
        self._standing: dict[str, LabelRecord] = {}
        self._undoable: list[tuple[str, LabelRecord | None]] = []
        for record in records:
            self._keep(record)

    @classmethod
    def open(cls, folder: Path, by: str, items: Sequence[str], adjudicate: bool = False) -> Self:
        """Return the file of `by` in the audit `folder`, or that of the adjudicated items.

        Raises AuditError for a name that cannot be one, for an adjudicator who is an annotator too, for
        labels of unknown items, and where another page writes to the file.
        """
        check_annotator(by)
        if adjudicate and _path(folder, by).exists():
            raise AuditError(f"--annotator: found {by!r}, who is an annotator; a third person adjudicates")
        path = _path(folder, ADJUDICATED if adjudicate else by)
        path.parent.mkdir(exist_ok=True)
        try:
            log = AppendLog(path)
        except LogInUseError:
            raise LogInUseError(f"{path}: another page writes here; close it, or take another name") from None
        try:
            return cls(log, by, _records(path, items))
        except BaseException:
            log.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._log.close()

    @property
    def by(self) -> str:
        """Whose labels these are."""
        return self._by

    @property
    def path(self) -> Path:
        """Where they are kept."""
        return self._log.path

    @property
    def standing(self) -> Labels:
        """The record of each item that stands now."""
        return dict(self._standing)

    def set(self, item: str, label: Label | None, note: str) -> None:
        """Say `label` of an item from here on; kept before this returns, and not twice."""
        before = self._standing.get(item)
        said = (None, "") if before is None else (before.label, before.note)
        if said != (label, note):
            self._write(LabelRecord(item, self._by, label, note))

    def undo(self) -> str | None:
        """Take back the last thing that was said and return its item; None where nothing is left.

        Again and again it goes back to the beginning, also of what was said in earlier sessions.
        """
        if not self._undoable:
            return None
        item, before = self._undoable[-1]
        label, note = (None, "") if before is None else (before.label, before.note)
        self._write(LabelRecord(item, self._by, label, note, undo=True))
        return item

    def _write(self, record: LabelRecord) -> None:
        self._log.append(record)
        self._keep(record)

    def _keep(self, record: LabelRecord) -> None:
        if not record.undo:
            self._undoable.append((record.item, self._standing.get(record.item)))
        elif self._undoable:
            self._undoable.pop()
        self._standing[record.item] = record


def check_annotator(name: str) -> None:
    """Raise AuditError for a name that cannot be a file's, or that is the adjudicated items'."""
    if not _NAME.fullmatch(name) or name == ADJUDICATED:
        raise AuditError(
            f"--annotator: found {name!r}, allowed: up to 100 Latin letters, digits, '.', '_' and '-', a "
            f"letter or digit first, and not {ADJUDICATED!r}"
        )


def read_labels(folder: Path, items: Sequence[str]) -> dict[str, Labels]:
    """Return the standing labels of every annotator of the audit in `folder`, sorted by name."""
    names = sorted(path.stem for path in (folder / LABELS).glob("*.jsonl") if path.stem != ADJUDICATED)
    return {name: _last_of_each(_records(_path(folder, name), items)) for name in names}


def read_adjudicated(folder: Path, items: Sequence[str]) -> Labels:
    """Return the standing labels of the adjudicated items; empty where nothing was adjudicated."""
    path = _path(folder, ADJUDICATED)
    return _last_of_each(_records(path, items)) if path.exists() else {}


def given(labels: Labels) -> dict[str, Label]:
    """Return the labels alone, of the items that have one."""
    return {item: record.label for item, record in labels.items() if record.label is not None}


def disputed(items: Sequence[str], labels: Mapping[str, Labels]) -> dict[str, list[LabelRecord]]:
    """Return, in order, the items that need a third person, each with what its annotators said.

    Two at least have labelled such an item, and they disagree, or one of them cannot tell.
    """
    found = {}
    for item in items:
        said = [own[item] for own in labels.values() if item in own and own[item].label is not None]
        words = {record.label for record in said}
        if len(said) > 1 and (len(words) > 1 or Label.CANNOT_TELL in words):
            found[item] = said
    return found


def _path(folder: Path, name: str) -> Path:
    return folder / LABELS / f"{name}.jsonl"


def _records(path: Path, items: Sequence[str]) -> list[LabelRecord]:
    records, problems = read_lines(path, decoder(LabelRecord))
    known = set(items)
    unknown = sorted({record.item for record in records} - known)
    # A torn last line is what a killed page leaves, and holds nothing that was said to be saved.
    told = [str(problem) for problem in problems if problem.kind in ("damaged", "refused")]
    if unknown:
        told.append(f"{path}: labels of items that the audit does not have: {', '.join(unknown[:5])}")
    if told:
        raise AuditError("\n".join(told))
    return records


def _last_of_each(records: Iterable[LabelRecord]) -> Labels:
    return {record.item: record for record in records}

"""One person's queue of items: what is shown, what is said of it, what comes next."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import Literal

from lvqa_eval.judging.audit.items import AuditError, Item, read_items
from lvqa_eval.judging.audit.labels import Label, LabelFile, LabelRecord, disputed, given, read_labels

_LETTERS = "ABCDEFGH"


@dataclass(frozen=True)
class Request:
    """What the page asks for: to `open` it, to `show` an item, to keep a `label` or a `note`, to `undo`.

    `item` is the one on the page, and `note` what stands in its field; the item to show is that of `number`,
    from 1, or the next one without a label where `number` is None.
    """

    do: Literal["open", "show", "label", "note", "undo"]
    item: str | None = None
    number: int | None = None
    label: Label | None = None
    note: str | None = None
    language: str = "en"


@dataclass(frozen=True)
class Said:
    """What an annotator said, under a letter that tells nothing of who it was."""

    letter: str
    label: Label
    note: str


@dataclass(frozen=True)
class View:
    """What the page shows: one item of `total`, its `number` from 1, and what this person said of it."""

    item: Item
    number: int
    total: int
    labelled: int
    label: Label | None
    note: str
    annotator: str
    said: tuple[Said, ...]

    @property
    def done(self) -> bool:
        """Whether every item has a label."""
        return self.labelled == self.total


class ItemQueue:
    """Answers the requests of one person's pages; several browser windows may share it.

    `said` holds, for adjudication, what the annotators said of each item.
    """

    def __init__(
        self, items: Sequence[Item], file: LabelFile, said: Mapping[str, Sequence[LabelRecord]] | None = None
    ) -> None:
        self._items = tuple(items)
        self._place = {one.item: place for place, one in enumerate(self._items)}
        self._file = file
        self._said = {} if said is None else said
        self._one_by_one = Lock()

    @property
    def path(self) -> Path:
        """Where the labels are kept."""
        return self._file.path

    @property
    def total(self) -> int:
        """The number of items of the queue."""
        return len(self._items)

    @property
    def labelled(self) -> int:
        """The number of those that have a label."""
        return len(given(self._file.standing).keys() & self._place.keys())

    def answer(self, request: Request) -> View:
        """Do what `request` says and return what is to be shown; ValueError for what cannot be asked."""
        with self._one_by_one:
            return self._view(self._answer(request))

    def _answer(self, request: Request) -> int:
        if request.do == "open":
            return self._unlabelled(0)
        if request.do == "undo":
            undone = self._file.undo()
            return self._place.get(undone or request.item or "", 0)
        place = self._place.get(request.item or "")
        if place is None or (request.do == "label" and request.label is None):
            raise ValueError(f"found {request}, which names no item, or no label")
        self._keep(self._items[place].item, request)
        if request.do == "label":
            return self._unlabelled(place, after=True)
        if request.do == "note":
            return place
        if request.number is None:
            return self._unlabelled(place, after=True)
        return max(min(request.number, self.total), 1) - 1

    def _keep(self, item: str, request: Request) -> None:
        before = self._file.standing.get(item)
        label, note = (None, "") if before is None else (before.label, before.note)
        if request.do == "label":
            label = request.label
        self._file.set(item, label, note if request.note is None else request.note.strip())

    def _unlabelled(self, place: int, after: bool = False) -> int:
        """Return the first place from `place` on, then from the start, without a label; `place` for none."""
        labelled = given(self._file.standing)
        start = place + after
        for number in chain(range(start, self.total), range(min(start, self.total))):
            if self._items[number].item not in labelled:
                return number
        return place

    def _view(self, place: int) -> View:
        item = self._items[place]
        standing = self._file.standing.get(item.item)
        return View(
            item=item,
            number=place + 1,
            total=self.total,
            labelled=self.labelled,
            label=None if standing is None else standing.label,
            note="" if standing is None else standing.note,
            annotator=self._file.by,
            said=_anonymous(item.item, self._said.get(item.item, ())),
        )


@contextmanager
def open_queue(folder: Path, annotator: str, adjudicate: bool = False) -> Iterator[ItemQueue]:
    """Give the queue of a person over the audit in `folder`, and take the labels file of that person.

    Raises AuditError where the folder is no complete audit, or where there is nothing to adjudicate, and
    LogInUseError where another page of that person is open.
    """
    items = read_items(folder)
    names = [one.item for one in items]
    said = disputed(names, read_labels(folder, names)) if adjudicate else None
    if said is not None:
        items = [one for one in items if one.item in said]
    if not items:
        why = "no item with two labels that differ, or that cannot be told" if adjudicate else "no items"
        raise AuditError(f"{folder}: {why}")
    with LabelFile.open(folder, annotator, names, adjudicate) as file:
        yield ItemQueue(items, file, said)


def _anonymous(item: str, said: Sequence[LabelRecord]) -> tuple[Said, ...]:
    """Give each record a letter; who is A changes from item to item, and is the same each time."""
    mixed = sorted(said, key=lambda one: hashlib.sha256(f"{item}:{one.by}".encode()).digest())
    return tuple(
        Said(letter, one.label, one.note)
        for letter, one in zip(_LETTERS, mixed, strict=False)
        if one.label is not None
    )

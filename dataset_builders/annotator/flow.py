"""The way of an item: written by one, checked blind by another, and decided where the two differ.

author -> check -> agreed, or adjudicate -> settled; at each decision also: rejected
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

from dataset_builders.annotator.compare import differing
from dataset_builders.annotator.contents import Content, ErrorContent, Mode, Slot, read_content
from dataset_builders.annotator.store import Revision, Store, StoredItem
from lvqa_eval.judging.numbers import Language

Stage = Literal["author", "check", "adjudicate", "agreed", "settled", "rejected"]
STAGES: tuple[Stage, ...] = ("author", "check", "adjudicate", "agreed", "settled", "rejected")
FINAL: frozenset[Stage] = frozenset({"agreed", "settled", "rejected"})

Adjudicators = Literal["anyone", "third"]
"""Who may decide where author and check differ: anyone, or only who was neither."""

ANOTHER = "another"
"""In the place of a name: anybody else."""

_parsed = lru_cache(maxsize=8192)(read_content)


@lru_cache(maxsize=8192)
def _differing(mode: Mode, author: str, check: str, language: Language | None) -> tuple[str, ...]:
    return differing(_parsed(mode, author), _parsed(mode, check), language)


@dataclass(frozen=True)
class ItemState:
    """An item with the newest revision of each slot that was begun, and who has written in each."""

    item: StoredItem
    mode: Mode
    language: Language | None
    adjudicators: Adjudicators
    newest: Mapping[Slot, Revision]
    writers: Mapping[Slot, frozenset[str]]

    def content(self, slot: Slot) -> Content | None:
        """Return what stands in a slot, None before its first save."""
        revision = self.newest.get(slot)
        return _parsed(self.mode, revision.content) if revision else None

    def finished(self, slot: Slot) -> bool:
        """Tell whether a slot is finished."""
        return slot in self.newest and self.newest[slot].finished

    @cached_property
    def stage(self) -> Stage:
        """How far the item is."""
        author, check = self.content("author"), self.content("check")
        if "adjudicate" in self.newest:
            decided: Stage = "rejected" if _rejects(self.content("adjudicate")) else "settled"
            return decided if self.finished("adjudicate") else "adjudicate"
        if not self.finished("author"):
            return "author"
        if not self.finished("check"):
            return "rejected" if _nothing_to_check(author) else "check"
        if self.differing:
            return "adjudicate"
        return "rejected" if _rejects(author) and _rejects(check) else "agreed"

    @property
    def open_slot(self) -> Slot | None:
        """The slot in which something is to be written; None where all is said."""
        return self.stage if self.stage in ("author", "check", "adjudicate") else None

    @cached_property
    def differing(self) -> tuple[str, ...]:
        """The fields in which finished author and check differ; none before both are finished."""
        if not (self.finished("author") and self.finished("check")):
            return ()
        author, check = self.newest["author"].content, self.newest["check"].content
        return _differing(self.mode, author, check, self.language)

    def holder(self, slot: Slot) -> str | None:
        """Return who wrote last in a slot, None before the first save."""
        return self.newest[slot].annotator if slot in self.newest else None

    def waits_for(self, annotator: str) -> str | None:
        """Return whom the open slot waits for: who holds it, or ANOTHER; None where `annotator` can write."""
        slot = self.open_slot
        if slot is None:
            return None
        if slot == "check" and annotator in self.writers.get("author", ()):
            return ANOTHER
        if slot == "adjudicate" and self.adjudicators == "third" and self.was(annotator):
            return ANOTHER
        if slot in self.writers and annotator not in self.writers[slot]:
            return self.holder(slot)
        return None

    def was(self, annotator: str) -> tuple[Slot, ...]:
        """Return the slots before adjudication in which `annotator` has written."""
        sides: tuple[Slot, ...] = ("author", "check")
        return tuple(slot for slot in sides if annotator in self.writers.get(slot, ()))

    @property
    def decided(self) -> Content | None:
        """What goes out: the author's where both agree, the adjudicator's where settled; else None."""
        if self.stage == "agreed":
            return self.content("author")
        return self.content("adjudicate") if self.stage == "settled" else None

    @property
    def decided_by(self) -> tuple[str, ...]:
        """Who decided a finished item; none before."""
        if self.stage not in FINAL:
            return ()
        slots: tuple[Slot, ...] = ("adjudicate",) if "adjudicate" in self.newest else ("author", "check")
        return tuple(self.newest[slot].annotator for slot in slots if slot in self.newest)


def states(store: Store) -> list[ItemState]:
    """Return the state of every item, in their order."""
    return _states(store, store.items(), None)


def state_of(store: Store, item: str) -> ItemState | None:
    """Return the state of one item, None for an unknown one."""
    found = store.item(item)
    return _states(store, [found], item)[0] if found else None


def _states(store: Store, items: Iterable[StoredItem], only: str | None) -> list[ItemState]:
    mode, language = store.mode, store.fact("language")
    adjudicators: Adjudicators = "third" if store.fact("adjudicators") == "third" else "anyone"
    newest: dict[str, dict[Slot, Revision]] = {}
    for revision in store.standing(only):
        newest.setdefault(revision.item, {})[revision.slot] = revision
    writers: dict[str, dict[Slot, frozenset[str]]] = {}
    for (item, slot), names in store.writers(only).items():
        writers.setdefault(item, {})[slot] = names
    return [
        ItemState(
            item=one,
            mode=mode,
            language=one.subject.get("language", language),
            adjudicators=adjudicators,
            newest=newest.get(one.id, {}),
            writers=writers.get(one.id, {}),
        )
        for one in items
    ]


def work_order(found: Iterable[ItemState], annotator: str) -> list[ItemState]:
    """Return items in the order in which `annotator` should see them.

    One's own unfinished ones, checks of others' items, adjudications, new ones; then what waits for somebody
    else, and last what is finished. New ones begin at another place for each name, so that two people who
    start together do not write on the same item.
    """
    every = list(found)
    start = int.from_bytes(hashlib.sha256(annotator.encode()).digest()[:4], "big") % max(len(every), 1)
    groups = {"check": 1, "adjudicate": 2, "author": 3}

    def place(pair: tuple[int, ItemState]) -> tuple[int, int]:
        index, state = pair
        slot = state.open_slot
        if slot is None:
            return 5, index
        if state.waits_for(annotator) is not None:
            return 4, index
        if annotator in state.writers.get(slot, ()):
            return 0, index
        return groups[slot], (index - start) % len(every) if slot == "author" else index

    return [state for _, state in sorted(enumerate(every), key=place)]


def _rejects(content: Content | None) -> bool:
    return content is not None and not isinstance(content, ErrorContent) and content.decision == "reject"


def _nothing_to_check(content: Content | None) -> bool:
    """Tell whether an author gave up before there was a question."""
    if content is None or isinstance(content, ErrorContent):
        return False
    return content.decision == "reject" and not content.question.strip()

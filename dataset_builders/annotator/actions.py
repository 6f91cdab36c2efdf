"""What annotators do to an item, each checked against the flow and kept in one transaction."""

from collections.abc import Sequence
from dataclasses import dataclass

from dataset_builders.annotator.contents import (
    Content,
    Draft,
    ErrorContent,
    PageContent,
    SceneContent,
    ShardContent,
    Slot,
    read_content,
)
from dataset_builders.annotator.flow import ANOTHER, FINAL, ItemState, state_of
from dataset_builders.annotator.problems import Problem, changed_fixed, problems
from dataset_builders.annotator.scenes import depth_of, scene_of
from dataset_builders.annotator.store import Revision, StaleSaveError, Store

NOBODY = 0
"""The revision that a first save starts from."""


class RefusedError(Exception):
    """Something that the flow does not allow; `status` is HTTP's, `problems` say why."""

    def __init__(self, status: int, *found: Problem) -> None:
        super().__init__("; ".join(f"{one.field}: {one.rule}" for one in found))
        self.status = status
        self.problems = found


@dataclass(frozen=True)
class Saved:
    """A revision as it was kept, and what its content still lacks."""

    revision: Revision
    problems: Sequence[Problem]


def opened(store: Store, item: str) -> ItemState:
    """Return the state of an item; RefusedError for an unknown one."""
    state = state_of(store, item)
    if state is None:
        raise RefusedError(404, Problem("item", "known", repr(item)[:80], "an item of the queue"))
    return state


def start(store: Store, state: ItemState, slot: Slot) -> Content:
    """Return what a slot starts from.

    An author: the last draft by models, else what was imported, else nothing (a page: the machine's labels).
    A check: what it is given. An adjudication: the author's.
    """
    author = state.content("author")
    if slot == "adjudicate" and author is not None:
        return author
    if slot == "check":
        if isinstance(author, SceneContent):
            shards = tuple(ShardContent(text=one.text, span=one.span) for one in author.shards)
            return SceneContent(question=author.question, shards=shards)
        # Not the machine's labels: two people who start from the same would agree too often.
        return PageContent(question=author.question) if isinstance(author, PageContent) else ErrorContent()
    if drafts := store.drafts(state.item.id):
        return Draft.model_validate_json(drafts[-1].draft).content
    if (imported := state.item.subject.get("start")) is not None:
        return read_content(state.mode, imported)
    machine = tuple(state.item.subject.get("machine_labels", {}).get("labels", ()))
    return PageContent(labels=machine) if state.mode == "pages" else read_content(state.mode, "{}")


def save(store: Store, item: str, slot: Slot, annotator: str, started_from: int, content: Content) -> Saved:
    """Keep a content, whatever it lacks; one that was kept already, and is sent again, is not kept twice.

    Raises RefusedError, and StaleSaveError where somebody saved or finished in between.
    """
    with store.writing():
        state = _writable(store, item, slot, annotator)
        if slot == "check" and (found := changed_fixed(start(store, state, slot), content)):
            raise RefusedError(422, *found)
        text = content.model_dump_json()
        newest = state.newest.get(slot)
        if newest is not None and _repeats(newest, annotator, started_from) and newest.content == text:
            revision = newest
        else:
            revision = store.save(item, slot, annotator, started_from, text)
    return Saved(revision, problems(content, depth_of(store, state.item)))


def finish(store: Store, item: str, slot: Slot, annotator: str, started_from: int) -> ItemState:
    """Finish a slot as it was last saved, and return the item's state after it; once, if it is sent again.

    Raises RefusedError (422) with every rule that is broken, and as `save`.
    """
    with store.writing():
        done = store.newest(item, slot)
        if done is not None and done.finished and _repeats(done, annotator, started_from):
            return opened(store, item)
        state = _writable(store, item, slot, annotator)
        content = state.content(slot) or start(store, state, slot)
        newest = state.newest.get(slot)
        if (newest.number if newest else NOBODY) != started_from:
            raise StaleSaveError(newest)
        if found := problems(content, depth_of(store, state.item)):
            raise RefusedError(422, *found)
        outcome = draft_outcome(store, item, content) if slot == "author" else None
        store.save(
            *(item, slot, annotator, started_from, content.model_dump_json()),
            finished=True,
            draft_outcome=outcome,
        )
        return opened(store, item)


def reopen(store: Store, item: str, slot: Slot, annotator: str) -> ItemState:
    """Open a finished slot again: an author's until the check was begun, an adjudication at any time.

    Items that are agreed on or rejected are so given to adjudication. A check stays finished: whoever made it
    may have seen the other side since.
    """
    with store.writing():
        state = opened(store, item)
        if slot == "check":
            raise RefusedError(403, Problem("slot", "blind-check", "check", "author, adjudicate"))
        if not reopenable(state, slot, annotator):
            raise RefusedError(
                403, Problem("slot", "nobody-built-on-it", slot, f"nothing, at stage {state.stage}")
            )
        newest = state.newest.get(slot)
        content = state.content(slot) or start(store, state, slot)
        number = newest.number if newest else NOBODY
        store.save(item, slot, annotator, number, content.model_dump_json())
        return opened(store, item)


def reopenable(state: ItemState, slot: Slot, annotator: str) -> bool:
    """Tell whether `annotator` may open a slot again."""
    if slot == "author":
        begun = "check" in state.newest or "adjudicate" in state.newest
        return state.finished("author") and not begun and annotator in state.writers["author"]
    if slot != "adjudicate" or state.stage not in FINAL:
        return False
    return state.adjudicators == "anyone" or not state.was(annotator)


def take(store: Store, item: str, slot: Slot, annotator: str) -> Revision:
    """Take over an unfinished slot from who holds it; what they wrote is the start."""
    with store.writing():
        state = opened(store, item)
        newest = state.newest.get(slot)
        if newest is None or slot != state.open_slot:
            raise RefusedError(403, Problem("slot", "held", slot, "an unfinished slot that somebody holds"))
        if state.waits_for(annotator) == ANOTHER:
            raise RefusedError(403, _not_oneself(slot, annotator))
        return store.save(item, slot, annotator, newest.number, newest.content)


def new_question(store: Store, scene: str, annotator: str) -> str:
    """Add an empty question about a scene, held by who asked for it; returns the item's id."""
    with store.writing():
        drawn = scene_of(store, scene)
        if drawn is None:
            raise RefusedError(404, Problem("scene", "known", repr(scene)[:80], "a scene of /scenes"))
        taken = {one.subject["question_id"] for one in store.items()}
        number = 1
        while (item := f"{drawn.name}-q{number}") in taken:
            number += 1
        store.add_item(item, {"scene": scene, "question_id": item})
        store.save(item, "author", annotator, NOBODY, SceneContent().model_dump_json())
    return item


def draft_outcome(store: Store, item: str, content: Content) -> str | None:
    """Return what an author made of the last draft: accepted, edited, rejected; None without a draft."""
    drafts = store.drafts(item)
    if not drafts or not isinstance(content, SceneContent):
        return None
    if content.decision == "reject":
        return "rejected"
    own = {"decision", "note"}
    made = Draft.model_validate_json(drafts[-1].draft).content
    return "accepted" if made.model_dump(exclude=own) == content.model_dump(exclude=own) else "edited"


def _writable(store: Store, item: str, slot: Slot, annotator: str) -> ItemState:
    """Return the state of an item in whose slot `annotator` may write now."""
    state = opened(store, item)
    if slot != state.open_slot:
        if slot in state.newest and annotator in state.writers[slot]:
            raise StaleSaveError(state.newest[slot])
        raise RefusedError(
            403, Problem("slot", "open", slot, state.open_slot or f"none, the item is {state.stage}")
        )
    if (waits_for := state.waits_for(annotator)) is not None:
        raise RefusedError(
            403, held(annotator, waits_for) if waits_for != ANOTHER else _not_oneself(slot, annotator)
        )
    return state


def _repeats(newest: Revision, annotator: str, started_from: int) -> bool:
    """Tell whether a request may be one that was carried out, and whose answer was lost."""
    return newest.annotator == annotator and newest.number == started_from + 1


def held(annotator: str, holder: str) -> Problem:
    """Return the problem of writing, or looking, where another has begun."""
    return Problem("annotator", "held-by-another", annotator, holder)


def _not_oneself(slot: Slot, annotator: str) -> Problem:
    rule = "author-cannot-check" if slot == "check" else "third-decides"
    return Problem("annotator", rule, annotator, "somebody else")

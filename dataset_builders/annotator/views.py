"""What each annotator is shown: everything that their slot may see, and nothing else."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from dataset_builders.annotator.actions import (
    NOBODY,
    RefusedError,
    draft_outcome,
    held,
    opened,
    reopenable,
    start,
)
from dataset_builders.annotator.contents import Content, Draft, PageContent, SceneContent, Slot, read_content
from dataset_builders.annotator.flow import ANOTHER, FINAL, STAGES, ItemState, states, work_order
from dataset_builders.annotator.pictures import url_of
from dataset_builders.annotator.problems import fixed_fields, problems
from dataset_builders.annotator.scenes import DrawnScene, depth_of, scene_of
from dataset_builders.annotator.store import Revision, Store
from dataset_builders.bear_bench.records import LABELS
from dataset_builders.layered_vqa.example import CATEGORIES, MAX_SHARDS, MIN_SHARDS
from lvqa_eval.metrics.bear.error_types import ERROR_TYPES

Json = dict[str, Any]

_OF_ANSWER = (
    *("condition", "question_id", "run", "question", "reference", "reply", "model", "judge", "reasoning"),
    *("picture", "width", "height", "language"),
)


def overview(store: Store) -> Json:
    """Return what holds for all items: how many are at which stage, who annotates, what can be chosen."""
    found = states(store)
    counts = Counter(state.stage for state in found)
    names = {name for state in found for writers in state.writers.values() for name in writers}
    return {
        "mode": store.mode,
        "work": store.fact("work"),
        "title": store.fact("title") or store.folder.name,
        "counts": {stage: counts[stage] for stage in STAGES},
        "annotators": sorted(names),
        "choices": {"categories": CATEGORIES, "labels": LABELS, "tags": dict(ERROR_TYPES)},
        "limits": {"shards": [MIN_SHARDS, MAX_SHARDS]},
    }


def queue(store: Store, annotator: str) -> list[Json]:
    """Return the items in the order in which `annotator` should see them."""
    scenes = {name: DrawnScene.model_validate_json(drawn) for name, drawn in store.scenes().items()}
    return [_entry(state, scenes, annotator) for state in work_order(states(store), annotator)]


def scenes(store: Store) -> list[Json]:
    """Return the scenes, each with its questions."""
    asked: dict[str, list[str]] = {}
    for item in store.items():
        asked.setdefault(item.subject.get("scene", ""), []).append(item.id)
    drawn = map(DrawnScene.model_validate_json, store.scenes().values())
    return [
        {
            "scene": one.id,
            "picture": url_of(one.composite),
            "layers": len(one.layers),
            "questions": asked.get(one.id, []),
        }
        for one in drawn
    ]


def view(store: Store, item: str, annotator: str) -> Json:
    """Return an item as `annotator` may see it; RefusedError where another writes, or for an unknown one."""
    state = opened(store, item)
    slot = shown_slot(state, annotator)
    content = state.content(slot) or start(store, state, slot)
    revision = state.newest.get(slot)
    return {
        "item": item,
        "mode": state.mode,
        "slot": slot,
        "stage": state.stage,
        "origin": state.item.origin,
        "revision": revision.number if revision else NOBODY,
        "annotator": revision.annotator if revision else None,
        "saved_at": revision.saved_at if revision else None,
        "finished": state.finished(slot),
        "editable": slot == state.open_slot and state.waits_for(annotator) is None,
        "reopen_slot": _reopen_slot(state, slot, annotator),
        "holder": state.holder(slot),
        "was": list(state.was(annotator)) if slot == "adjudicate" else [],
        "decided_by": list(state.decided_by),
        "content": as_json(content),
        "fixed": list(fixed_fields(state.mode, slot)),
        "given": _given(content, slot),
        "problems": [one.as_json() for one in problems(content, depth_of(store, state.item))],
        "draft": _draft(store, state) if slot == "author" else None,
        "sides": _sides(state) if _sees_both(state) else None,
        **_subject(store, state, slot),
    }


def shown_slot(state: ItemState, annotator: str) -> Slot:
    """Return the slot of an item that `annotator` sees; RefusedError where it is another's."""
    slot = state.open_slot
    if slot is None:
        return "adjudicate" if "adjudicate" in state.newest else "author"
    waits_for = state.waits_for(annotator)
    if slot == "check" and waits_for == ANOTHER:
        return "author"
    if slot != "adjudicate" and waits_for is not None:
        raise RefusedError(403, held(annotator, waits_for))
    return slot


def history(store: Store, item: str, slot: Slot, annotator: str) -> list[Json]:
    """Return the revisions of a slot, oldest first; RefusedError where `annotator` must not see them."""
    state = opened(store, item)
    if not _sees_both(state) and annotator not in state.writers.get(slot, ()) and slot in state.newest:
        raise RefusedError(403, held(annotator, state.newest[slot].annotator))
    return [revision_json(store, one) for one in store.history(item, slot)]


def revision_json(store: Store, revision: Revision) -> Json:
    """Return a revision as the app is told of it."""
    return {
        "number": revision.number,
        "revision": revision.number,
        "annotator": revision.annotator,
        "saved_at": revision.saved_at,
        "finished": revision.finished,
        "content": as_json(read_content(store.mode, revision.content)),
    }


def as_json(content: Content) -> Json:
    """Return a content as JSON has it."""
    return content.model_dump(mode="json")


def _reopen_slot(state: ItemState, slot: Slot, annotator: str) -> Slot | None:
    """Return the slot that `annotator` may open again: what they see, or else the adjudication."""
    slots: tuple[Slot, ...] = (slot, "adjudicate")
    return next((one for one in slots if reopenable(state, one, annotator)), None)


def _entry(state: ItemState, scenes: Mapping[str, DrawnScene], annotator: str) -> Json:
    slot = state.open_slot
    waits_for = state.waits_for(annotator)
    return {
        "item": state.item.id,
        "stage": state.stage,
        "slot": slot if waits_for is None else None,
        "title": _title(state),
        "picture": _picture(state, scenes),
        "mine": slot is not None and annotator in state.writers.get(slot, ()),
        "waiting_for": waits_for,
    }


def _title(state: ItemState) -> str:
    """Return the question where it is the checker's to see, else what it is about."""
    subject = state.item.subject
    author = state.content("author")
    named = subject.get("title") or subject.get("scene") or state.item.id
    if isinstance(author, SceneContent | PageContent) and author.question.strip():
        # Before it is finished it may be another's half sentence, and tells what a checker will see anyway.
        return author.question.strip()
    return str(named)


def _picture(state: ItemState, scenes: Mapping[str, DrawnScene]) -> str | None:
    subject = state.item.subject
    if (scene := scenes.get(subject.get("scene", ""))) is not None:
        return url_of(scene.composite)
    return url_of(subject["sha256"]) if "sha256" in subject else subject.get("picture")


def _sees_both(state: ItemState) -> bool:
    """Tell whether nobody can still write blind: both sides are finished, or there will be no check."""
    return state.stage == "adjudicate" or state.stage in FINAL


def _given(content: Content, slot: Slot) -> Json:
    if slot != "check":
        return {}
    if isinstance(content, SceneContent):
        return {"question": content.question, "shards": [shard.text for shard in content.shards]}
    return {"question": content.question} if isinstance(content, PageContent) else {}


def _draft(store: Store, state: ItemState) -> Json | None:
    drafts = store.drafts(state.item.id)
    if not drafts:
        return None
    draft = Draft.model_validate_json(drafts[-1].draft)
    content = state.content("author")
    outcome = draft_outcome(store, state.item.id, content) if content and state.finished("author") else None
    return {**draft.model_dump(mode="json"), "made_at": drafts[-1].made_at, "outcome": outcome}


def _sides(state: ItemState) -> Json:
    author, check = state.content("author"), state.content("check")
    return {
        "author": as_json(author) if author else None,
        "check": as_json(check) if check else None,
        "names": {"author": state.holder("author"), "check": state.holder("check")},
        "differing": list(state.differing),
    }


def _subject(store: Store, state: ItemState, slot: Slot) -> Json:
    subject = state.item.subject
    if state.mode == "scenes":
        scene = scene_of(store, subject["scene"])
        return {"scene": _scene(scene)} if scene else {}
    if state.mode == "pages":
        names = ("page_id", "width", "height", "language", "document", "page", "text")
        return {"page": {**{name: subject[name] for name in names}, **_page(subject, slot)}}
    return {"answer": {name: subject.get(name) for name in _OF_ANSWER}}


def _page(subject: Mapping[str, Any], slot: Slot) -> Json:
    probabilities = () if slot == "check" else subject["machine_labels"].get("probabilities", ())
    machine = [
        {"label": label, "probability": share} for label, share in zip(LABELS, probabilities, strict=False)
    ]
    return {"id": subject["page_id"], "picture": url_of(subject["sha256"]), "machine_labels": machine}


def _scene(scene: DrawnScene) -> Json:
    return {
        "id": scene.id,
        "canvas": [scene.width, scene.height],
        "composite": url_of(scene.composite),
        "layers": [
            {"index": index, "name": layer.name, "url": url_of(layer.sha256), "keys": list(layer.keys)}
            for index, layer in enumerate(scene.layers)
        ],
    }

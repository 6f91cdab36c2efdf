"""What is settled, in the form that the next command reads; what is not is counted and named by its stage."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from dataset_builders.annotator.contents import ErrorContent, PageContent, SceneContent
from dataset_builders.annotator.flow import FINAL, STAGES, ItemState, Stage, states
from dataset_builders.annotator.problems import as_example
from dataset_builders.annotator.scenes import DrawnScene, scene_of
from dataset_builders.annotator.store import Store, StoreError
from dataset_builders.bear_bench.records import LABELS, Drop, Item, Record
from dataset_builders.bear_bench.work import ANNOTATE, Work
from lvqa_eval.files import write_whole
from lvqa_eval.metrics.bear.error_types import ERROR_TYPES
from lvqa_eval.reports.bear.tags import TagRecord
from lvqa_eval.runs.objects import encode

REJECTED = "rejected"
NOT_SETTLED = "not settled"


class Decided(Record):
    """Who decided about an item: its author, who checked it, and who settled it (None where both agreed)."""

    item: str
    stage: str
    author: str
    check: str | None
    adjudicate: str | None
    draft_outcome: str | None


@dataclass(frozen=True)
class Exported:
    """The files that were written, how many items went in, and the others by stage."""

    paths: tuple[Path, ...]
    kept: int
    left_out: Mapping[Stage, tuple[str, ...]]


def export_questions(store: Store, out: Path) -> Exported:
    """Write the settled questions about scenes as a question file, and beside it who decided."""
    kept, exported = _split(store, out, _beside(out))
    entries = [_entry(one, _scene(store, one)) for one in kept]
    text = yaml.safe_dump(entries, allow_unicode=True, sort_keys=False, width=100)
    write_whole(_beside(out), _lines(map(_decided, kept)))
    write_whole(out, text)
    return exported


def export_items(store: Store, replace: bool = False) -> Exported:
    """Write the settled questions about pages as the records of the stage, so that the next can go on.

    Raises StoreError where questions stand there that did not come from here, unless `replace`.
    """
    work = Work(store.folder)
    paths = (store.folder / "items.jsonl", store.folder / "annotators.jsonl")
    if work.has("items") and not work.has("annotators") and not replace:
        raise StoreError(f"{paths[0]}: found questions from elsewhere; --replace puts the settled ones there")
    kept, exported = _split(store, *paths)
    drops = [drop for state in states(store) if (drop := _drop(state)) is not None]
    # First, since it says that the items are from here.
    work.write("annotators", map(_decided, kept))
    work.write("items", map(_page_item, kept), drops)
    return exported


def export_tags(store: Store, out: Path) -> Exported:
    """Write the settled tags as the reports read them."""
    kept, exported = _split(store, out)
    write_whole(out, b"".join(encode(_tags(one)) for one in kept))
    return exported


def _split(store: Store, *paths: Path) -> tuple[list[ItemState], Exported]:
    found = states(store)
    kept = [one for one in found if one.decided is not None]
    if not kept:
        raise StoreError(f"{store.folder}: found no settled item, at least 1 is needed")
    left_out = {
        stage: names
        for stage in STAGES
        if (names := tuple(one.item.id for one in found if one.stage == stage and one.decided is None))
    }
    return kept, Exported(paths, len(kept), left_out)


def _entry(state: ItemState, scene: DrawnScene) -> dict[str, Any]:
    content = state.decided
    assert isinstance(content, SceneContent)
    example = as_example(content, state.item.subject["question_id"], scene.id, len(scene.layers))

    def keys(layers: Sequence[int]) -> list[str]:
        return [scene.layers[layer].keys[0] for layer in layers]

    described = {"answer_description": example.answer_description} if example.answer_description else {}
    return {
        "scene": scene.id,
        "id": example.question_id,
        "category": example.category,
        "question": example.question,
        "answer": example.answer,
        **described,
        "gold": keys(example.gold_layers),
        "minimal_sets": [keys(minimal) for minimal in example.minimal_sets],
        "dependencies": [keys(pair) for pair in example.dependencies],
        "shards": [{"text": one.text, "support": keys(one.support)} for one in example.shards],
    }


def _scene(store: Store, state: ItemState) -> DrawnScene:
    scene = scene_of(store, state.item.subject["scene"])
    if scene is None:
        raise StoreError(f"{state.item.id}: scene: found {state.item.subject['scene']!r}, which is not drawn")
    return scene


def _page_item(state: ItemState) -> Item:
    content = state.decided
    assert isinstance(content, PageContent)
    return Item(
        page_id=state.item.subject["page_id"],
        question=content.question.strip(),
        answer=content.answer.strip(),
        reasoning_steps=content.reasoning_steps,
        labels=tuple(label for label in LABELS if label in content.labels),
    )


def _drop(state: ItemState) -> Drop | None:
    if state.decided is not None:
        return None
    content = state.content("adjudicate") or state.content("author")
    note = content.note.strip() if content is not None and state.stage in FINAL else state.stage
    reason = REJECTED if state.stage == "rejected" else NOT_SETTLED
    return Drop(id=state.item.subject["page_id"], stage=ANNOTATE, reason=reason, detail=note)


def _tags(state: ItemState) -> TagRecord:
    content, subject = state.decided, state.item.subject
    assert isinstance(content, ErrorContent)
    tags = tuple(tag for tag in ERROR_TYPES if tag in content.tags)
    return TagRecord(subject["condition"], subject["question_id"], subject["run"], tags)


def _decided(state: ItemState) -> Decided:
    names = {slot: revision.annotator for slot, revision in state.newest.items()}
    return Decided(
        item=state.item.id,
        stage=state.stage,
        author=names["author"],
        check=names.get("check"),
        adjudicate=names.get("adjudicate"),
        draft_outcome=state.newest["author"].draft_outcome,
    )


def _beside(out: Path) -> Path:
    return out.with_suffix(".decisions.jsonl")


def _lines(records: Any) -> bytes:
    return b"".join(encode(record.model_dump()) for record in records)

"""From questions that wait for their author to drafts by a model, kept with the annotations."""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path

import orjson
from pydantic import JsonValue

from dataset_builders.annotator.actions import start
from dataset_builders.annotator.contents import Draft, SceneContent, ShardContent
from dataset_builders.annotator.flow import states
from dataset_builders.annotator.pictures import path_of
from dataset_builders.annotator.scenes import scene_of
from dataset_builders.annotator.store import Store, StoredItem
from dataset_builders.layered_vqa.annotation.records import Asked, CallRecord, ModelDraft
from dataset_builders.layered_vqa.annotation.run import DraftOptions, draft_all
from dataset_builders.layered_vqa.example import CATEGORIES
from lvqa_eval.errors import LvqaError

_VERDICTS: Mapping[str, str] = {"pass": "passed", "revised": "revised", "flag_for_human": "flagged"}


class DraftError(LvqaError, ValueError):
    """Questions that no draft can be made of, or drafts that were not made."""


def make_drafts(work: Path, options: DraftOptions, tell: Callable[[str], None]) -> int:
    """Draft every question that waits for its author, and return how many the serving failed.

    A draft is kept as soon as it is made. `tell` is given what came of it, in two lines, also where an error
    ends it. Raises StoreError for annotations of another kind, and as `waiting` and `draft_all`.
    """
    store = Store.open(work, "scenes")
    counts: Counter[str] = Counter()

    def keep(asked: Asked, made: ModelDraft) -> None:
        if made.verdict is not None:
            store.put_draft(asked.question_id, as_stored(asked, made).model_dump_json())
        counts[made.status.value if made.verdict is None else _VERDICTS[made.verdict]] += 1

    try:
        asked, left = waiting(store, options)
        tell(f"left alone: {_counted(left)}")
        draft_all(asked, options, partial(path_of, work), keep)
    finally:
        store.close()
        if counts:
            tell(f"drafts: {_counted(counts)}")
    return sum(count for outcome, count in counts.items() if outcome not in _VERDICTS.values())


def waiting(store: Store, options: DraftOptions) -> tuple[list[Asked], Counter[str]]:
    """Return the questions that a model is to draft, in their order, and how many are left alone, by reason.

    Raises DraftError for a question about a scene that was never drawn.
    """
    found: list[Asked] = []
    left: Counter[str] = Counter()
    for state in states(store):
        content = state.content("author") or start(store, state, "author")
        if state.stage != "author":
            left["no longer with their author"] += 1
        elif not isinstance(content, SceneContent) or (asked := _asked(store, state.item, content)) is None:
            left["without question, answer or category"] += 1
        elif _is_drafted(store, asked, options):
            left["drafted before"] += 1
        else:
            found.append(asked)
    return found, left


def as_stored(asked: Asked, made: ModelDraft) -> Draft:
    """Return a draft as annotators are shown it; where nothing whole came of it, with the shards alone."""
    flagged = [f"{one.call}: {fault}" for one in made.flags for fault in one.faults]
    said = [f"{one.field}: {one.problem}" for one in made.issues]
    return Draft(
        content=_content(asked, made),
        verdict=made.verdict or "flag_for_human",
        issues=(*said, *flagged),
        model=made.model,
        details=_details(asked, made),
    )


def _asked(store: Store, item: StoredItem, content: SceneContent) -> Asked | None:
    """Return a question as it is asked; None for one that lacks something which only its author knows."""
    scene = scene_of(store, item.subject["scene"])
    if scene is None:
        raise DraftError(f"{item.id}: scene: found {item.subject['scene']!r}, which was never drawn here")
    question, answer = content.question.strip(), content.answer.strip()
    if not question or not answer or content.category not in CATEGORIES:
        return None
    return Asked(
        question_id=item.id,
        scene_id=scene.id,
        question=question,
        answer=answer,
        answer_description=(content.answer_description or "").strip() or None,
        category=content.category,
        captions=tuple(layer.name for layer in scene.layers),
        composite=scene.composite,
        layers=tuple(layer.sha256 for layer in scene.layers),
    )


def _is_drafted(store: Store, asked: Asked, options: DraftOptions) -> bool:
    """Tell whether a draft of this very question stands there, by the same model and prompts."""
    wanted = {"asked_sha256": _fingerprint(asked), "prompts_sha256": options.prompts.sha256}
    for stored in store.drafts(asked.question_id):
        made = Draft.model_validate_json(stored.draft)
        if made.model == options.model and {name: made.details.get(name) for name in wanted} == wanted:
            return True
    return False


def _fingerprint(asked: Asked) -> str:
    return hashlib.sha256(orjson.dumps(asdict(asked))).hexdigest()


def _content(asked: Asked, made: ModelDraft) -> SceneContent:
    content = SceneContent(
        question=asked.question,
        answer=asked.answer,
        answer_description=asked.answer_description,
        category=asked.category,
        shards=tuple(ShardContent(text=text) for text in made.shards),
    )
    if made.annotation is None:
        return content
    example = made.annotation.example
    shards = tuple(
        ShardContent(text=shard.text, span=span, support=shard.support)
        for shard, span in zip(example.shards, made.annotation.spans, strict=True)
    )
    evidence = {"minimal_sets": example.minimal_sets, "dependencies": example.dependencies}
    return content.model_copy(update={**evidence, "shards": shards})


def _details(asked: Asked, made: ModelDraft) -> dict[str, JsonValue]:
    found = made.annotation
    details: dict[str, JsonValue] = {
        "asked_sha256": _fingerprint(asked),
        "prompts_sha256": made.prompts_sha256,
        "prompts": dict(made.prompts),
        "seed": made.seed,
        "flags": [{"call": one.call, "faults": list(one.faults)} for one in made.flags],
        "calls": [_call(one) for one in made.calls],
    }
    if found is not None:
        details["roles"] = [{"layer": layer, "role": role} for layer, role in found.roles]
        details |= {"confidence": found.confidence, "notes": found.notes}
    return details


def _call(one: CallRecord) -> dict[str, JsonValue]:
    return {**asdict(one), "faults": list(one.faults), "status": one.status.value}


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {what}" for what, count in sorted(counts.items())) or "none"

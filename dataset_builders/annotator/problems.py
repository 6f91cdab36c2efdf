"""What keeps an item from being finished: the rules that its content breaks."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass

from dataset_builders.annotator.contents import (
    Content,
    ErrorContent,
    PageContent,
    SceneContent,
    Slot,
)
from dataset_builders.bear_bench.records import LABELS
from dataset_builders.layered_vqa import example as layered
from lvqa_eval.metrics.bear.error_types import ERROR_TYPES

MIN_STEPS = 3
"""A question about a page takes at least so many steps, where their number is given."""

_DERIVED = frozenset({"gold_layers"})
"""Fields of an example that say again what another says."""

_SHOWN_AT = {"distractors": "minimal_sets"}
"""Where a fault is to be mended that is found in a derived field."""


@dataclass(frozen=True)
class Problem:
    """A broken rule: its field (such as "shards[2].text"), its name, what was found, what is allowed."""

    field: str
    rule: str
    found: str
    allowed: str

    def as_json(self) -> dict[str, str]:
        """Return it as the app is told of it."""
        return asdict(self)


def problems(content: Content, depth: int = 0) -> list[Problem]:
    """Return every rule that `content` breaks; a rejected item needs nothing but a note.

    `depth` is the number of layers where the content is about a scene.
    """
    if isinstance(content, ErrorContent):
        return list(_tags(content))
    if content.decision == "reject":
        return (
            [] if content.note.strip() else [Problem("note", "reason-given", "no text", "why it is rejected")]
        )
    if isinstance(content, PageContent):
        return list(_page(content))
    return list(_scene(content, depth))


def as_example(content: SceneContent, question_id: str, scene_id: str, depth: int) -> layered.Example:
    """Return a question as the builder knows it: sets sorted, texts trimmed, distractors derived."""

    def in_order(layers: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(sorted(set(layers)))

    minimal_sets = tuple(map(in_order, content.minimal_sets))
    evidence = {layer for minimal in minimal_sets for layer in minimal}
    return layered.Example(
        question_id=question_id,
        scene_id=scene_id,
        depth=depth,
        question=content.question.strip(),
        answer=content.answer.strip(),
        answer_description=(content.answer_description or "").strip() or None,
        category=content.category,
        gold_layers=minimal_sets[0] if minimal_sets else (),
        minimal_sets=minimal_sets,
        dependencies=content.dependencies,
        shards=tuple(
            layered.Shard(number, shard.text.strip(), in_order(shard.support))
            for number, shard in enumerate(content.shards, start=1)
        ),
        distractors=tuple(sorted(set(range(depth)) - evidence)),
    )


def fixed_fields(mode: str, slot: Slot) -> tuple[str, ...]:
    """Return the fields that a slot is given and may not change."""
    if slot != "check" or mode == "errors":
        return ()
    return ("question", "shards.text", "shards.span") if mode == "scenes" else ("question",)


def changed_fixed(given: Content, content: Content) -> list[Problem]:
    """Return where a check changes what it was given."""
    found = []
    if isinstance(given, ErrorContent) or isinstance(content, ErrorContent):
        return []
    if given.question != content.question:
        found.append(Problem("question", "fixed", repr(content.question)[:80], "as the author wrote it"))
    if isinstance(given, SceneContent) and isinstance(content, SceneContent):
        ours = [(shard.text, shard.span) for shard in given.shards]
        if ours != [(shard.text, shard.span) for shard in content.shards]:
            found.append(
                Problem("shards", "fixed", f"{len(content.shards)} others", "texts as the author wrote them")
            )
    return found


def _scene(content: SceneContent, depth: int) -> Iterator[Problem]:
    one = as_example(content, "-", "-", depth)
    found = {}
    for problem in layered.problems(one):
        if problem.field not in _DERIVED:
            field = _SHOWN_AT.get(problem.field, problem.field)
            found[field, problem.rule] = Problem(field, problem.rule, problem.found, problem.allowed)
    yield from found.values()
    for index, shard in enumerate(content.shards):
        length = len(content.question)
        if shard.span is not None and not 0 <= shard.span[0] < shard.span[1] <= length:
            yield Problem(
                f"shards[{index}].span", "span-in-question", str(shard.span), f"within 0 to {length}"
            )


def _page(content: PageContent) -> Iterator[Problem]:
    for field in ("question", "answer"):
        if not getattr(content, field).strip():
            yield Problem(field, "not-empty", "no text", "some text")
    yield from _names("labels", content.labels, LABELS)
    steps = content.reasoning_steps
    if steps is not None and steps < MIN_STEPS:
        yield Problem("reasoning_steps", "several-steps", str(steps), f"{MIN_STEPS} or more, or nothing")


def _tags(content: ErrorContent) -> Iterator[Problem]:
    yield from _names("tags", content.tags, tuple(ERROR_TYPES))


def _names(field: str, given: tuple[str, ...], known: tuple[str, ...]) -> Iterator[Problem]:
    for index, name in enumerate(given):
        if name not in known:
            yield Problem(f"{field}[{index}]", "known", repr(name)[:80], ", ".join(known))
    if len(set(given)) < len(given):
        yield Problem(field, "without-repeats", ", ".join(given)[:80], "each once")

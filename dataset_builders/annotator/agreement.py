"""How far authors and checkers agree, before anybody decides between them."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from dataset_builders.annotator.compare import same_answer
from dataset_builders.annotator.contents import ErrorContent, PageContent, SceneContent
from dataset_builders.annotator.flow import STAGES, ItemState, Stage, states
from dataset_builders.annotator.scenes import depth_of
from dataset_builders.annotator.store import Store
from dataset_builders.bear_bench.records import LABELS
from lvqa_eval.metrics.agreement import Agreement
from lvqa_eval.metrics.agreement import agreement as agreement_of_votes
from lvqa_eval.metrics.bear.error_types import ERROR_TYPES


@dataclass(frozen=True)
class Measure:
    """Agreement on one thing; `unit` is what is counted, `weighted` where a near miss is worth something."""

    name: str
    unit: str
    found: Agreement
    weighted: bool = False


@dataclass(frozen=True)
class Agreed:
    """What authors and checkers agree on.

    - `measures`: on items that both finished; all but the decision where both accept.
    - `stages`: items at each stage; `pairs`: checked items by (author, checker).
    - `differing`: how often each field differed; `drafts`: what authors made of drafts by models.
    """

    checked: int
    measures: tuple[Measure, ...]
    stages: Mapping[Stage, int]
    pairs: Mapping[tuple[str, str], int]
    differing: Mapping[str, int]
    drafts: Mapping[str, int]


@dataclass(frozen=True)
class ScenePair:
    """A question about a scene of `depth` layers, by its author and by who checked it."""

    author: SceneContent
    check: SceneContent
    depth: int


def measure(store: Store) -> Agreed:
    """Compare every item that author and checker have finished."""
    found = states(store)
    checked = [one for one in found if one.finished("author") and one.finished("check")]
    drafts = Counter(one.newest["author"].draft_outcome for one in found if one.finished("author"))
    stages = Counter(one.stage for one in found)
    return Agreed(
        checked=len(checked),
        measures=tuple(_measures(store, checked)),
        stages={stage: stages[stage] for stage in STAGES},
        pairs=dict(sorted(Counter(_names(one) for one in checked).items())),
        differing=dict(Counter(field for one in checked for field in one.differing).most_common()),
        drafts={outcome: count for outcome, count in sorted(drafts.items(), key=str) if outcome},
    )


def nominal(one: Sequence[str], other: Sequence[str]) -> Agreement:
    """Return raw agreement and Cohen's kappa of labels, item by item; NaN where all are one label."""
    names = sorted({*one, *other})
    places = {name: index for index, name in enumerate(names)}
    return _kappa([places[name] for name in one], [places[name] for name in other], lambda gap: gap != 0)


def squared(one: Sequence[int], other: Sequence[int]) -> Agreement:
    """Return the share of equal numbers, and Cohen's kappa with weights by the square of the difference."""
    return _kappa(one, other, lambda gap: gap**2)


def binary(one: Iterable[bool], other: Iterable[bool]) -> Agreement:
    """Return raw agreement and Cohen's kappa of yes and no."""
    return agreement_of_votes(np.array(list(one), np.int8), np.array(list(other), np.int8))


def _kappa(one: Sequence[int], other: Sequence[int], cost: Callable[[np.ndarray], np.ndarray]) -> Agreement:
    """Return 1 - n * cost of the pairs / cost of every value with every other, in whole numbers."""
    n = len(one)
    if n == 0:
        return Agreement(0, np.nan, np.nan)
    ours, theirs = np.array(one), np.array(other)
    raw = float((ours == theirs).mean())
    (values, counts), (others, other_counts) = (
        np.unique(each, return_counts=True) for each in (ours, theirs)
    )
    by_chance = int(counts @ cost(values[:, None] - others[None, :]).astype(np.int64) @ other_counts)
    if by_chance == 0:
        return Agreement(n, raw, np.nan)
    return Agreement(n, raw, 1 - n * int(cost(ours - theirs).sum()) / by_chance)


def _measures(store: Store, checked: Sequence[ItemState]) -> Iterator[Measure]:
    pairs = [(one, one.content("author"), one.content("check")) for one in checked]
    if store.mode == "errors":
        tags = [(a, b) for _, a, b in pairs if isinstance(a, ErrorContent) and isinstance(b, ErrorContent)]
        yield from _sets("tags", "answers", [(a.tags, b.tags) for a, b in tags], tuple(ERROR_TYPES))
        return
    both = [
        (one, a, b)
        for one, a, b in pairs
        if not isinstance(a, ErrorContent | None) and not isinstance(b, ErrorContent | None)
    ]
    accepts = [(a.decision == "accept", b.decision == "accept") for _, a, b in both]
    yield Measure("decision", "items", binary(*_apart(accepts)))
    kept = [(one, a, b) for one, a, b in both if a.decision == b.decision == "accept"]
    yield _share("answer", [same_answer(a.answer, b.answer, one.language) for one, a, b in kept])
    if store.mode == "scenes":
        yield from of_scenes(
            [
                ScenePair(a, b, depth_of(store, one.item))
                for one, a, b in kept
                if isinstance(a, SceneContent) and isinstance(b, SceneContent)
            ]
        )
    else:
        yield from of_pages(
            [(a, b) for _, a, b in kept if isinstance(a, PageContent) and isinstance(b, PageContent)]
        )


def of_scenes(pairs: Sequence[ScenePair]) -> Iterator[Measure]:
    """Compare categories and evidence, where both accept.

    Gold layers for each layer of each scene; support for each shard and layer; dependencies for each ordered
    pair of layers that stand in a minimal set of either.
    """
    yield Measure(
        "category",
        "items",
        nominal([one.author.category for one in pairs], [one.check.category for one in pairs]),
    )
    yield _share("minimal sets", [_all_sets(one.author) == _all_sets(one.check) for one in pairs])
    gold = [
        (layer in _gold(one.author), layer in _gold(one.check)) for one in pairs for layer in range(one.depth)
    ]
    yield Measure("gold layers", "layers", binary(*_apart(gold)))
    support = [
        (layer in ours.support, layer in theirs.support)
        for one in pairs
        for ours, theirs in zip(one.author.shards, one.check.shards, strict=True)
        for layer in range(one.depth)
    ]
    yield Measure("support", "shards and layers", binary(*_apart(support)))
    dependencies = [
        (pair in one.author.dependencies, pair in one.check.dependencies)
        for one in pairs
        for pair in _evidence_pairs(one)
    ]
    yield Measure("dependencies", "pairs of layers", binary(*_apart(dependencies)))


def of_pages(pairs: Sequence[tuple[PageContent, PageContent]]) -> Iterator[Measure]:
    """Compare labels and numbers of steps, where both accept; steps where both give a number."""
    yield from _sets("labels", "pages", [(a.labels, b.labels) for a, b in pairs], LABELS)
    steps = [
        (a.reasoning_steps, b.reasoning_steps)
        for a, b in pairs
        if a.reasoning_steps is not None and b.reasoning_steps is not None
    ]
    ours, theirs = _apart(steps)
    yield Measure("reasoning steps", "items", nominal([*map(str, ours)], [*map(str, theirs)]))
    yield Measure("reasoning steps", "items", squared(ours, theirs), weighted=True)


def _sets(
    name: str, unit: str, pairs: Sequence[tuple[Sequence[str], Sequence[str]]], known: Sequence[str]
) -> Iterator[Measure]:
    """Compare sets of names: all names at once, then each."""

    def votes(names: Sequence[str]) -> Agreement:
        return binary(*_apart([(one in ours, one in theirs) for ours, theirs in pairs for one in names]))

    yield Measure(name, f"{unit} and {name}", votes(known))
    yield from (Measure(f"{name}: {one}", unit, votes([one])) for one in known)


def _share(name: str, same: Sequence[bool]) -> Measure:
    """Return a share alone: what is free text has no agreement by chance to speak of."""
    return Measure(name, "items", Agreement(len(same), float(np.mean(same)) if same else np.nan, np.nan))


def _gold(content: SceneContent) -> tuple[int, ...]:
    return content.minimal_sets[0] if content.minimal_sets else ()


def _all_sets(content: SceneContent) -> frozenset[frozenset[int]]:
    return frozenset(map(frozenset, content.minimal_sets))


def _evidence_pairs(one: ScenePair) -> list[tuple[int, int]]:
    layers = sorted(
        {layer for side in (one.author, one.check) for each in side.minimal_sets for layer in each}
    )
    return [(before, after) for before in layers for after in layers if before != after]


def _names(state: ItemState) -> tuple[str, str]:
    return state.newest["author"].annotator, state.newest["check"].annotator


Value = TypeVar("Value")


def _apart(pairs: Sequence[tuple[Value, Value]]) -> tuple[list[Value], list[Value]]:
    return [one for one, _ in pairs], [other for _, other in pairs]

"""Patterns of evidence: how deep a scene is, what of it a question needs, and so how each delivery goes.

A pattern is an example of the dataset's own kind, with the turns that the project's own conditions give it.
The patterns are drawn once and are part of the model: for each depth and kind of question PATTERNS_EACH of
them, equally likely. So expectations over patterns are sums.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dataset_builders.layered_vqa.conditions import ConditionOptions, Schedule, schedules
from dataset_builders.layered_vqa.example import Example, Shard, problems
from lvqa_eval.benchmarks import LAYERED_VQA
from lvqa_eval.metrics.groups import BACKGROUND
from lvqa_eval.metrics.timing import complete_evidence_turn
from lvqa_eval.runs.records import TurnRecord
from lvqa_eval.statuses import Status

DEPTHS: Final = (2, 3, 4, 5, 6)
DEPTH_SHARES: Final = (0.10, 0.22, 0.28, 0.22, 0.18)
"""How likely a scene has so many layers; a choice, the paper says 2 to 6."""

PATTERNS_EACH: Final = 24
CONDITIONS: Final = LAYERED_VQA.conditions
OPTIONS: Final = ConditionOptions()

_GOLD_SIZES: Final = {False: ((1, 2), (0.65, 0.35)), True: ((1, 2, 3, 4), (0.10, 0.50, 0.30, 0.10))}
_WITH_BACKGROUND = 97 / 300
_WITH_ALTERNATIVE = 0.15
_WITH_DEPENDENCY = 0.9

Whole = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Patterns:
    """All patterns, sorted by depth, then kind; arrays are (patterns,) or (conditions, patterns).

    - `depth`, `relational`, `background` (the background is in the gold set).
    - `turns`: of the conversation. `asked`: the first in which the question can be answered at all: that
      states it, or brings its second shard, since the first states the intent alone. `evidence`: the turn of
      complete evidence.
    """

    examples: tuple[Example, ...]
    depth: Whole
    relational: NDArray[np.bool_]
    background: NDArray[np.bool_]
    turns: Whole
    asked: Whole
    evidence: Whole

    def first_of(self, depth: Whole, relational: NDArray[np.bool_]) -> Whole:
        """Return the index of the first of the patterns with this depth and kind."""
        return ((depth - DEPTHS[0]) * 2 + relational) * PATTERNS_EACH

    def shares(self, relational: float) -> NDArray[np.float64]:
        """Return how likely each pattern is, (patterns,), where this share of questions is relational."""
        of_depth = np.array(DEPTH_SHARES)[self.depth - DEPTHS[0]]
        of_kind = np.where(self.relational, relational, 1 - relational)
        return np.asarray(of_depth * of_kind / PATTERNS_EACH)


@cache
def all_patterns() -> Patterns:
    """Return the patterns, the same each time."""
    rng = np.random.default_rng(20)
    examples = tuple(
        _pattern(
            rng, f"pattern-{depth}-{'relational' if relational else 'single'}-{number}", depth, relational
        )
        for depth in DEPTHS
        for relational in (False, True)
        for number in range(PATTERNS_EACH)
    )
    planned = [schedules(example, OPTIONS) for example in examples]
    by_condition = [[plan[condition] for plan in planned] for condition in CONDITIONS]
    return Patterns(
        examples=examples,
        depth=np.array([example.depth for example in examples]),
        relational=np.array([example.category == "spatial" for example in examples]),
        background=np.array([BACKGROUND in example.gold_layers for example in examples]),
        turns=np.array([[len(one.turns) for one in row] for row in by_condition]),
        asked=np.array([[_asked(one) for one in row] for row in by_condition]),
        evidence=np.array(
            [[_evidence(*pair) for pair in zip(examples, row, strict=True)] for row in by_condition]
        ),
    )


def _pattern(rng: np.random.Generator, name: str, depth: int, relational: bool) -> Example:
    gold = _gold(rng, depth, relational)
    alternatives = _alternatives(rng, depth, gold)
    evidence = sorted({layer for minimal in (gold, *alternatives) for layer in minimal})
    example = Example(
        question_id=name,
        scene_id=f"scene of {name}",
        depth=depth,
        question="?",
        answer="!",
        answer_description=None,
        category="spatial" if relational else "direct_ask",
        gold_layers=gold,
        minimal_sets=(gold, *alternatives),
        dependencies=_dependencies(rng, evidence),
        shards=_shards(rng, evidence),
        distractors=tuple(layer for layer in range(depth) if layer not in evidence),
    )
    if found := problems(example):
        raise ValueError("\n".join(map(str, found)))
    return example


def _gold(rng: np.random.Generator, depth: int, relational: bool) -> tuple[int, ...]:
    sizes, shares = _GOLD_SIZES[relational]
    # One layer at least is a distractor.
    size = min(int(rng.choice(sizes, p=shares)), depth - 1)
    with_background = rng.random() < _WITH_BACKGROUND
    above = rng.choice(np.arange(1, depth), size - with_background, replace=False)
    return tuple(sorted([BACKGROUND] * with_background + above.tolist()))


def _alternatives(rng: np.random.Generator, depth: int, gold: tuple[int, ...]) -> list[tuple[int, ...]]:
    outside = [layer for layer in range(depth) if layer not in gold]
    if rng.random() >= _WITH_ALTERNATIVE or len(outside) < 2:
        return []
    kept = rng.choice(gold, len(gold) - 1, replace=False).tolist()
    return [tuple(sorted([*kept, int(rng.choice(outside))]))]


def _dependencies(rng: np.random.Generator, evidence: Sequence[int]) -> tuple[tuple[int, int], ...]:
    if len(evidence) < 2 or rng.random() >= _WITH_DEPENDENCY:
        return ()
    before, after = rng.choice(evidence, 2, replace=False).tolist()
    return ((before, after),)


def _shards(rng: np.random.Generator, evidence: Sequence[int]) -> tuple[Shard, ...]:
    """The first shard states the intent and has no support; each layer supports one or two of the others."""
    count = int(rng.integers(3, 7))
    support: list[set[int]] = [set() for _ in range(count)]
    for layer in evidence:
        for place in rng.choice(np.arange(1, count), 1 + (rng.random() < 0.2), replace=False):
            support[place].add(layer)
    return tuple(
        Shard(number, f"Shard {number}.", tuple(sorted(layers)))
        for number, layers in enumerate(support, start=1)
    )


def _asked(schedule: Schedule) -> int:
    seen: set[int] = set()
    for number, turn in enumerate(schedule.turns, start=1):
        seen |= set(turn.shards)
        if turn.question or len(seen) > 1:
            return number
    raise ValueError("a schedule never states its question")


def _evidence(example: Example, schedule: Schedule) -> int:
    turns = [
        TurnRecord(turn.text, turn.question, turn.shards, turn.layers, turn.composite, 0, Status.OK, None)
        for turn in schedule.turns
    ]
    found = complete_evidence_turn(example.minimal_sets, turns)
    if found is None:
        raise ValueError(f"{example.question_id}: a schedule never completes its evidence")
    return found

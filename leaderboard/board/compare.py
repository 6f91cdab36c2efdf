"""Two models on what both were asked: paired differences, and the questions that one of them gets right."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leaderboard.board.layered_figures import DELIVERY_CONDITIONS
from lvqa_eval.metrics.bear.conditions import DEFAULT
from lvqa_eval.metrics.bear.groups import by_cell, by_content, by_domain, by_language
from lvqa_eval.metrics.bootstrap import (
    Estimate,
    Floats,
    percentile_interval,
    replicates,
    scene_sums,
    scene_weights,
)
from lvqa_eval.metrics.scores import scene_clusters
from lvqa_eval.metrics.study import Mask
from lvqa_eval.reports.compare.pairing import Cells
from lvqa_eval.runs.records import PageRecord, Question, QuestionRecord

DELIVERED: Final = "delivered"


@dataclass(frozen=True, eq=False)
class Ruled:
    """Verdicts on one run: `correct` (conditions, questions, runs) is 1, 0, or NaN for what does not count.

    Questions are sorted by id.
    """

    conditions: tuple[str, ...]
    questions: tuple[Question, ...]
    correct: Floats


@dataclass(frozen=True, eq=False)
class Pair:
    """Two runs on the conditions and questions that both have; arrays (conditions, questions, runs)."""

    conditions: tuple[str, ...]
    questions: tuple[Question, ...]
    a: Floats
    b: Floats

    @classmethod
    def of(cls, a: Ruled, b: Ruled) -> "Pair":
        """Return what two runs over one dataset share, in the order of the first."""
        conditions = tuple(one for one in a.conditions if one in b.conditions)
        held = {one.question_id for one in b.questions}
        questions = tuple(one for one in a.questions if one.question_id in held)
        return cls(
            conditions, questions, _shared(a, conditions, questions), _shared(b, conditions, questions)
        )


@dataclass(frozen=True)
class Agreement:
    """On how many questions both models are right, A alone, B alone, and neither."""

    both: int
    only_a: int
    only_b: int
    neither: int


@dataclass(frozen=True, eq=False)
class Split:
    """What one row is about: the mean over `conditions`, each with the same weight, of the `asked` questions.

    `group` is empty for a condition by itself; `name` is the condition, or that of the part.
    """

    group: str
    name: str
    conditions: tuple[str, ...]
    asked: Mask


@dataclass(frozen=True, eq=False)
class PairedFigures:
    """One row: shares of both models over the pairs, and the difference A - B with its interval.

    `differ` of the `questions` are decided differently, by more than half of the conversations of a side.
    """

    split: Split
    a: Estimate
    b: Estimate
    difference: Estimate
    differ: int
    questions: int


@dataclass(frozen=True)
class Disagreement:
    """A question that one model alone gets right under a condition.

    `change`: the share of right runs of A less that of B. `runs`: for each side a run that decided as most of
    its runs did, the same where one is.
    """

    question: Question
    change: float
    runs: tuple[int, int]


def splits(pair: Pair) -> Iterator[Split]:
    """Yield what is compared: every condition, then the mean and parts of the dataset."""
    every = np.ones(len(pair.questions), dtype=np.bool_)
    for condition in pair.conditions:
        yield Split("", condition, (condition,), every)
    layered = [one for one in pair.questions if isinstance(one, QuestionRecord)]
    delivered = tuple(one for one in DELIVERY_CONDITIONS if one in pair.conditions)
    if layered and delivered:
        yield Split("overall", DELIVERED, delivered, every)
        yield from _parts("category", _by([one.category for one in layered]), delivered)
        yield from _parts("depth", _by([one.depth for one in layered]), delivered)
    pages = [one for one in pair.questions if isinstance(one, PageRecord)]
    if pages and DEFAULT in pair.conditions:
        parts = {"language": by_language(pages), "domain": by_domain(pages), "cell": by_cell(pages)}
        for group, masks in (*parts.items(), ("content", by_content(pages))):
            yield from _parts(group, masks, (DEFAULT,))


def paired_figures(pair: Pair, draws: int, seed: int) -> tuple[PairedFigures, ...]:
    """Return a row for each of `splits`; all share each draw of the scenes, or documents."""
    if not pair.questions:
        return ()
    scenes, scene_of = scene_clusters(pair.questions)
    weights = scene_weights(len(scenes), draws, seed)
    a, b = Cells(pair.a, pair.b, scene_of, len(scenes)).paired()
    values = np.stack([a, b, a - b])
    return tuple(_row(pair, split, values, scene_of, weights) for split in splits(pair))


def _row(
    pair: Pair, split: Split, values: Floats, scene_of: NDArray[np.intp], weights: Floats
) -> PairedFigures:
    """Return one row; `values` (3, conditions, questions, pairs) are A, B and A - B."""
    places = [pair.conditions.index(one) for one in split.conditions]
    own = np.where(split.asked[:, None], values[:, places], np.nan)
    sums = scene_sums(own, scene_of, weights.shape[1])
    counts = sums.counts[0].sum(axis=0)
    value, drawn = sums.value.mean(axis=1), replicates(sums, weights).mean(axis=1)
    low, high = percentile_interval(drawn)
    scenes = int(np.count_nonzero(counts))
    # Of one scene nothing can tell the spread.
    ends = [(low[row], high[row]) if scenes > 1 else (np.nan, np.nan) for row in range(3)]
    of_a, of_b, difference = (
        Estimate(
            value=float(value[row]),
            low=float(ends[row][0]),
            high=float(ends[row][1]),
            n=int(counts.sum()),
            scenes=scenes,
            dropped=dropped,
        )
        for row, dropped in enumerate(np.isnan(drawn).sum(axis=1).tolist())
    )
    decided = [_decided(side[places])[split.asked] for side in (pair.a, pair.b)]
    differ = int((decided[0] * decided[1] < 0).sum())
    questions = int(np.isfinite(own[0]).any(axis=(0, 2)).sum())
    return PairedFigures(split, of_a, of_b, difference, differ, questions)


def agreement(pair: Pair, condition: str) -> tuple[Agreement, int]:
    """Return on how many questions both, one or neither is right, and how many are not decided.

    A side decides a question by more than half of its conversations that count.
    """
    place = [pair.conditions.index(condition)]
    a, b = (_decided(side[place]) for side in (pair.a, pair.b))
    counts = [int(((a == one) & (b == other)).sum()) for one, other in ((1, 1), (1, -1), (-1, 1), (-1, -1))]
    return Agreement(*counts), int(len(pair.questions) - sum(counts))


def disagreements(pair: Pair, condition: str) -> tuple[Disagreement, ...]:
    """Return the questions that one side alone gets right, the largest change first, then by id."""
    place = pair.conditions.index(condition)
    a, b = pair.a[place], pair.b[place]
    decided = [_decided(side[None]) for side in (a, b)]
    found = []
    for at in np.flatnonzero(decided[0] * decided[1] < 0).tolist():
        change = float(np.nanmean(a[at]) - np.nanmean(b[at]))
        runs = _typical(a[at], b[at], float(decided[0][at] > 0))
        found.append(Disagreement(pair.questions[at], change, runs))
    return tuple(sorted(found, key=lambda one: -abs(one.change)))


def _typical(a: Floats, b: Floats, right: float) -> tuple[int, int]:
    """Return for each side a run (from 1) in which A is `right`, 1 or 0, and B is not."""
    of_a, of_b = np.flatnonzero(a == right), np.flatnonzero(b == 1 - right)
    together = np.intersect1d(of_a, of_b)
    first = (together[0], together[0]) if len(together) else (of_a[0], of_b[0])
    return int(first[0]) + 1, int(first[1]) + 1


def _decided(correct: Floats) -> Floats:
    """Return 1 where more than half of a question's conversations are right, -1 where wrong, else 0."""
    return np.asarray(np.sign(np.nansum(correct - 0.5, axis=(0, 2))))


def _shared(run: Ruled, conditions: Sequence[str], questions: Sequence[Question]) -> Floats:
    rows = [run.conditions.index(one) for one in conditions]
    column_of = {one.question_id: place for place, one in enumerate(run.questions)}
    return np.asarray(run.correct[rows][:, [column_of[one.question_id] for one in questions]])


def _by(values: Sequence[str] | Sequence[int]) -> Mapping[str, Mask]:
    found = np.array(values)
    return {str(one): np.asarray(found == one) for one in np.unique(found)}


def _parts(group: str, masks: Mapping[str, Mask], conditions: tuple[str, ...]) -> Iterator[Split]:
    for name, asked in masks.items():
        yield Split(group, name, conditions, asked)

"""Paired differences between two runs, B less A, by condition, family and category.

Runs of equal length are paired conversation by conversation (question and run), as all paired figures of
this project are. Where the numbers of runs differ, a run's number has no partner: the mean over the valid
runs of a question is paired with that of the other side, each question counting once.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from lvqa_eval.metrics.bootstrap import Estimate, Floats, SceneSums, bootstrap, scene_sums

Pairing = Literal["conversations", "questions"]
Kind = Literal["condition", "baseline", "all", "family", "category", "condition and category"]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Coverage:
    """How many of the planned conversations of one run count."""

    valid: int
    planned: int


@dataclass(frozen=True)
class Part:
    """What one row is about: conditions by their place, and questions by a mask over them."""

    kind: Kind
    name: str
    conditions: tuple[int, ...]
    questions: Mask
    category: str = ""


@dataclass(frozen=True)
class PairedRow:
    """One row: accuracies of A and B over the pairs, the paired difference, and what stands behind them.

    `n` of the three estimates is the number of pairs; `questions` have one. Coverages are each run's own.
    """

    part: Part
    a: Estimate
    b: Estimate
    difference: Estimate
    questions: int
    coverage_a: Coverage
    coverage_b: Coverage


@dataclass(frozen=True)
class Cells:
    """Scores of both runs on what they share, (conditions, questions, runs), NaN where one is not valid.

    `scene_of` (questions,) indexes `scenes` clusters.
    """

    a: Floats
    b: Floats
    scene_of: NDArray[np.intp]
    scenes: int

    @property
    def pairing(self) -> Pairing:
        """How they are paired."""
        return "conversations" if self.a.shape[2] == self.b.shape[2] else "questions"

    def paired(self) -> tuple[Floats, Floats]:
        """Return the paired scores, (conditions, questions, pairs): NaN in both or in neither."""
        a, b = self.a, self.b
        if self.pairing == "questions":
            a, b = _mean_over_runs(a), _mean_over_runs(b)
        both = np.isfinite(a) & np.isfinite(b)
        return np.where(both, a, np.nan), np.where(both, b, np.nan)


def paired_rows(cells: Cells, parts: Iterable[Part], weights: Floats) -> Iterator[PairedRow]:
    """Yield a row for each part; `weights` are draws of the scenes, the same for all."""
    a, b = cells.paired()
    for part in parts:
        places = list(part.conditions)
        own_a, own_b = (_within(of_side[places], part.questions) for of_side in (a, b))
        sums = scene_sums(np.stack([own_a, own_b, own_b - own_a]), cells.scene_of, cells.scenes)
        # Conditions of a part are pooled: a mean over all its pairs.
        pooled = SceneSums(sums.totals.sum(axis=1), sums.counts.sum(axis=1))
        found = bootstrap(pooled, weights)
        yield PairedRow(
            part=part,
            a=found.at(0),
            b=found.at(1),
            difference=found.at(2),
            questions=int(np.isfinite(own_a).any(axis=(0, 2)).sum()),
            coverage_a=_coverage(cells.a[places], part.questions),
            coverage_b=_coverage(cells.b[places], part.questions),
        )


def parts(
    conditions: Sequence[str],
    baselines: Sequence[str],
    families: Mapping[str, str],
    categories: Sequence[str],
) -> tuple[Part, ...]:
    """Return what to compare: each condition and baseline, then all conditions, families and categories.

    The first names are those of `conditions`, `baselines` stand behind them. `families` gives each
    condition's; `categories` are those of the questions, in their order. A family is a row of its own only
    where it has several conditions. Baselines are in no other row than their own.
    """
    every = np.ones(len(categories), dtype=np.bool_)
    of_category = {name: np.array([one == name for one in categories]) for name in sorted(set(categories))}
    places = range(len(conditions))
    found = [Part("condition", conditions[i], (i,), every) for i in places]
    found += [Part("baseline", name, (len(conditions) + i,), every) for i, name in enumerate(baselines)]
    if len(conditions) > 1:
        found.append(Part("all", "all conditions", tuple(places), every))
    for family in dict.fromkeys(families[name] for name in conditions):
        members = tuple(i for i in places if families[conditions[i]] == family)
        if 1 < len(members) < len(conditions):
            found.append(Part("family", family, members, every))
    if conditions:
        found += [Part("category", name, tuple(places), mask, name) for name, mask in of_category.items()]
    found += [
        Part("condition and category", conditions[i], (i,), mask, name)
        for i in places
        for name, mask in of_category.items()
    ]
    return tuple(found)


def _within(scores: Floats, questions: Mask) -> Floats:
    return np.where(questions[:, None], scores, np.nan)


def _coverage(scores: Floats, questions: Mask) -> Coverage:
    own = scores[:, questions]
    return Coverage(int(np.isfinite(own).sum()), own.size)


def _mean_over_runs(scores: Floats) -> Floats:
    valid = np.isfinite(scores)
    with np.errstate(invalid="ignore"):  # a question without a valid run stays NaN
        means = np.where(valid, scores, 0.0).sum(axis=2) / valid.sum(axis=2)
    return np.asarray(means[..., None])

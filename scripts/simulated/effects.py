"""What was planted in deliveries, questions and timing, and what a study finds of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from lvqa_eval.metrics.bootstrap import Estimate, Floats
from lvqa_eval.metrics.delivery import FULL, paired
from lvqa_eval.metrics.groups import kind_contrast
from lvqa_eval.metrics.replicated import Replicated, combined, replicate
from lvqa_eval.metrics.ungrounded import LAYER_DELIVERIES, UNGROUNDED_CONDITIONS, ungrounded
from lvqa_eval.reports.table import Head, Table, Value

from .draw import Drawn
from .expected import change_between_groups
from .patterns import CONDITIONS, all_patterns
from .population import CHANGED, Population, population

LOSSES: Final = (
    *(("concat-q", FULL), ("sharded-q", "concat-q"), ("recap-q", "sharded-q"), ("concat-v", FULL)),
    *(("sharded-v", "concat-v"), ("recap-v", "sharded-v"), ("oracle", FULL), ("all-layers", FULL)),
    ("evidence-last", "evidence-first"),
)
"""Condition and reference of each planted difference between deliveries."""


@dataclass(frozen=True)
class Effect:
    """A planted value, as a share of 1, and what one study finds of it."""

    name: str
    planted: float
    found: Estimate


@dataclass(frozen=True, eq=False)
class Recovered:
    """An effect in many studies: `found` (studies, 3) holds value, low and high of each."""

    name: str
    planted: float
    found: Floats

    @property
    def first(self) -> Estimate:
        """What the first study finds."""
        value, low, high = map(float, self.found[0])
        return Estimate(value, low, high, n=0, scenes=0, dropped=0)

    @property
    def mean(self) -> float:
        """The mean over studies of what they find."""
        return float(self.found[:, 0].mean())

    @property
    def se(self) -> float:
        """The Monte Carlo standard error of `mean`; NaN for one study."""
        studies = len(self.found)
        return float(self.found[:, 0].std(ddof=1) / np.sqrt(studies)) if studies > 1 else np.nan

    @property
    def same_sign(self) -> float:
        """The share of the studies that find the planted sign."""
        return float((np.sign(self.found[:, 0]) == np.sign(self.planted)).mean())

    @property
    def held(self) -> float:
        """The share of the studies whose interval holds the planted value."""
        _, low, high = self.found.T
        return float(((low <= self.planted) & (self.planted <= high)).mean())

    @property
    def shows(self) -> bool:
        """Whether the mean has the planted sign, beyond its own error."""
        beyond = 0.0 if np.isnan(self.se) else 2 * self.se
        return bool(self.mean * np.sign(self.planted) > beyond)


def recovered(studies: Sequence[Sequence[Effect]]) -> list[Recovered]:
    """Put together what several studies find of the same effects."""
    return [
        Recovered(
            one[0].name,
            one[0].planted,
            np.array([[each.found.value, each.found.low, each.found.high] for each in one]),
        )
        for one in zip(*studies, strict=True)
    ]


def effects_table(found: Sequence[Recovered]) -> Table:
    """Return the effects, what was planted beside what was found."""
    rows: list[tuple[Value, ...]] = [
        (
            one.name,
            one.planted,
            one.first,
            len(one.found),
            one.mean,
            one.se,
            one.same_sign,
            one.held,
            "yes" if one.shows else "no",
        )
        for one in found
    ]
    heads = (
        Head("Effect"),
        Head("Planted, points", "points"),
        Head("First study, points", "points"),
        Head("Studies", "count"),
        Head("Mean, points", "points"),
        Head("SE", "share"),
        Head("Same sign %", "share"),
        Head("Held %", "share"),
        Head("Shows"),
    )
    notes = (
        "First study: with the 95 % interval of the scene-cluster bootstrap. Mean, SE: over the studies. "
        "Same sign: the studies that find the planted sign. Held: those whose interval holds the planted "
        "value. Shows: the mean has the planted sign and lies two of its standard errors from nothing; of "
        "one study, the sign alone.",
        "Means over assistants; those of judges by the votes of the panel. Raw self-preference is too small, "
        "since an own cell pulls its own row and column; its intervals need not hold what was planted.",
    )
    return Table("effects", "Planted effects", heads, tuple(rows), notes)


def study_effects(drawn: Drawn, weights: Floats) -> list[Effect]:
    """Return what was planted in deliveries, questions and timing, with what the study finds."""
    return [
        *_losses(drawn, weights),
        *_kinds(drawn, weights),
        *_groups(drawn, weights),
        *_timing(drawn, weights),
    ]


def less(one: Replicated, other: Replicated) -> Estimate:
    """Return the mean over the assistants of one statistic less another, paired in each draw."""
    return combined(np.subtract, one, other).mean(axis=0).figures().at()


def _losses(drawn: Drawn, weights: Floats) -> Iterator[Effect]:
    study = drawn.study
    level = population(drawn.model).accuracy.mean(axis=0)
    sides = [[pair[side] for pair in LOSSES] for side in range(2)]
    values = study.of(sides[0]) - study.of(sides[1])
    planned = study.planned_of(sides[0]) & study.planned_of(sides[1])
    figures = replicate(values, planned, study.scene_of, weights).mean(axis=0).figures()
    for place, (condition, reference) in enumerate(LOSSES):
        planted = level[CONDITIONS.index(condition)] - level[CONDITIONS.index(reference)]
        yield Effect(f"{condition} less {reference}", float(planted), figures.at(place))


def _kinds(drawn: Drawn, weights: Floats) -> Iterator[Effect]:
    excess = population(drawn.model).excess.mean(axis=0)
    chosen = ("concat-v", "oracle")
    found = kind_contrast(drawn.study, weights, chosen).excess
    for condition in chosen:
        planted = float(excess[CHANGED.index(CONDITIONS.index(condition))])
        yield Effect(f"relational less others, lost under {condition}", planted, found.of_field(condition))


def _groups(drawn: Drawn, weights: Floats) -> Iterator[Effect]:
    study, patterns = drawn.study, all_patterns()
    deepest, shallowest = (patterns.depth == patterns.depth[place] for place in (-1, 0))
    ground = patterns.background
    groups = (
        ("change under concat-v: six layers less two", "concat-v", deepest, shallowest),
        ("change under oracle: background in gold less not", "oracle", ground, ~ground),
    )
    for name, condition, *sides in groups:
        values, planned = paired(study, [condition], FULL)
        parts = []
        for side in sides:
            asked = side[drawn.questions.pattern][:, None]
            inside = np.where(asked, values, np.nan)[:, 0]
            parts.append(replicate(inside, planned[:, 0] & asked, study.scene_of, weights))
        yield Effect(name, change_between_groups(drawn.model, condition, *sides), less(*parts))


def _timing(drawn: Drawn, weights: Floats) -> Iterator[Effect]:
    true = population(drawn.model)
    every = ungrounded(drawn.study, drawn.first_right.astype(np.float64), drawn.evidence, weights)
    planted = _early_share(true, UNGROUNDED_CONDITIONS)
    yield Effect("right answers before their evidence", planted, every.table.of_field("ungrounded"))
    stack, _, joint = LAYER_DELIVERIES
    parts = [LAYER_DELIVERIES[name] for name in (stack, joint)]
    shares = [_early_share(true, conditions) for conditions in parts]
    found = less(*(_early(drawn, conditions, weights) for conditions in parts))
    yield Effect(f"the same: {stack} less {joint}", shares[0] - shares[1], found)


def _early(drawn: Drawn, conditions: Sequence[str], weights: Floats) -> Replicated:
    study = drawn.study
    right, first, complete = (
        study.pooled(cells, conditions)
        for cells in (study.correct, drawn.first_right.astype(np.float64), drawn.evidence)
    )
    early = np.where(right == 1, first < complete, np.nan)
    return replicate(early, right == 1, study.scene_of, weights)


def _early_share(true: Population, conditions: Sequence[str]) -> float:
    columns = [UNGROUNDED_CONDITIONS.index(condition) for condition in conditions]
    right = true.accuracy[:, [CONDITIONS.index(condition) for condition in conditions]]
    return float(((true.ungrounded[:, columns] * right).sum(axis=1) / right.sum(axis=1)).mean())

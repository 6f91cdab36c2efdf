"""Aptitude and unreliability: what a model can do, and whether it does it every time (Fig. 7)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.metrics.figures import FieldTable, Unit, field_table
from lvqa_eval.metrics.replicated import replicate
from lvqa_eval.metrics.study import Mask, Study

BASELINES: Final = (
    *(("sharded-q", "full"), ("sharded-q", "concat-q")),
    *(("sharded-v", "full"), ("sharded-v", "concat-v")),
)
"""Each stream in pieces, against both streams whole and against the same pieces in one turn."""


@dataclass(frozen=True)
class Reliability:
    """Shares of the questions whose every run counts; columns are conditions, or pairs of them.

    - `accuracy`: the mean over the runs.
    - `aptitude`: right in at least one run.
    - `unreliability`: decided both ways, right in one run and wrong in another.

    Right in every run is aptitude less unreliability.
    """

    accuracy: FieldTable
    aptitude: FieldTable
    unreliability: FieldTable


def reliability(study: Study, weights: Floats, conditions: Sequence[str] | None = None) -> Reliability:
    """Return the figures of each condition; NaN for one run, and for a model with fewer than others."""
    columns = study.conditions if conditions is None else tuple(conditions)
    tables = _Tables(study, columns, "share", study.planned_of(columns), weights)
    return tables.of(_decided(study.of(columns)))


def reliability_changes(
    study: Study, weights: Floats, pairs: Sequence[tuple[str, str]] = BASELINES
) -> Reliability:
    """Return the differences "one minus other" of `pairs`, over the questions that both have."""
    ones, others = ([pair[side] for pair in pairs] for side in range(2))
    here, there = _decided(study.of(ones)), _decided(study.of(others))
    values = [one - other for one, other in zip(here, there, strict=True)]
    planned = study.planned_of(ones) & study.planned_of(others)
    columns = [f"{one} minus {other}" for one, other in pairs]
    return _Tables(study, columns, "difference", planned, weights).of(values)


def _decided(correct: Floats) -> list[Floats]:
    """Accuracy, right at least once, decided both ways: each (models, conditions, questions, 1)."""
    whole = np.isfinite(correct).all(axis=-1, keepdims=True) & (correct.shape[-1] > 1)
    share = np.where(whole, correct.mean(axis=-1, keepdims=True), np.nan)
    both = np.where(whole, (share > 0) & (share < 1), np.nan)
    return [share, np.where(whole, share > 0, np.nan), both]


@dataclass(frozen=True, eq=False)
class _Tables:
    study: Study
    columns: Sequence[str]
    unit: Unit
    planned: Mask
    weights: Floats

    def of(self, values: Sequence[Floats]) -> Reliability:
        """Make the tables of accuracy, aptitude and unreliability from their values by question."""
        return Reliability(*map(self._table, ("Accuracy", "Aptitude", "Unreliability"), values))

    def _table(self, name: str, values: Floats) -> FieldTable:
        valid = np.isfinite(values[..., 0]) * self.study.correct.shape[3]
        statistic = replicate(values, self.planned, self.study.scene_of, self.weights, valid)
        return field_table(name, self.unit, self.study.models, self.columns, statistic)

"""Figures of one run as they are collected: by column, some with the draws that comparisons are made of."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.metrics.figures import FieldTable, Figure, Figures
from lvqa_eval.metrics.groups import Groups
from lvqa_eval.metrics.replicated import Replicated, replicate
from lvqa_eval.metrics.scores import OUTCOMES
from lvqa_eval.metrics.study import NOT_PLANNED, Mask, Study
from lvqa_eval.runs.records import Question
from lvqa_eval.statuses import MODEL_FAILED, Status

FAILURES: Final = tuple(one.value for one in Status if one in MODEL_FAILED)
"""How a model may fail; each is a column."""


@dataclass(frozen=True, eq=False)
class Measured:
    """What is measured of one run.

    - `figures`: by column, those that exist. `drawn`: the draws, (draws,), of some of them.
    - `counts`: the questions of a part of the dataset, by the column of its figures.
    """

    figures: dict[str, Figure] = field(default_factory=dict)
    drawn: dict[str, Floats] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    def add(self, keys: Sequence[str], statistic: Replicated, kept: Collection[str] | None = None) -> None:
        """Take the columns of a statistic of one model, cells (1, columns).

        The draws of those in `kept` stay, of all if None.
        """
        self._add(keys, statistic.figures())
        for place, key in enumerate(keys):
            if key in self.figures and (kept is None or key in kept):
                self.drawn[key] = statistic.drawn[0, place]

    def add_table(self, keys: Mapping[str, str], table: FieldTable) -> None:
        """Take columns of a table of one model: `keys` names those of the board by those of the table."""
        self._add([keys.get(column, "") for column in table.columns], table.cells)

    def add_plain(self, key: str, value: float, n: int, planned: int, study: Study[Question]) -> None:
        """Take a count of conversations, which has no interval."""
        nan = math.nan
        self.figures[key] = Figure(value, nan, nan, n, len(study.scenes), 0, len(study.questions), planned)

    def _add(self, keys: Sequence[str], figures: Figures) -> None:
        for place, key in enumerate(keys):
            if key and math.isfinite((found := figures.at(0, place)).value):
                self.figures[key] = found


def in_groups(
    values: Floats, planned: Mask, groups: Groups, study: Study[Question], weights: Floats
) -> Replicated:
    """Return the mean in each group of questions of values of one condition, (1, 1, questions, runs)."""
    asked = np.stack(list(groups.values()))[..., None]
    return replicate(np.where(asked, values, np.nan), planned & asked, study.scene_of, weights)


def add_outcomes(measured: Measured, study: Study[Question]) -> None:
    """Take the coverage, and the share of planned conversations that the model failed in each way."""
    planned = int(study.planned.sum())
    if not planned:
        return
    valid = int(np.isfinite(study.correct).sum())
    measured.add_plain("coverage", valid / planned, valid, planned, study)
    counts = np.bincount(study.outcome[study.outcome != NOT_PLANNED], minlength=len(OUTCOMES))
    for name in FAILURES:
        count = int(counts[OUTCOMES.index(name)])
        measured.add_plain(name, count / planned, planned, planned, study)


def coverages(study: Study[Question]) -> dict[str, float]:
    """Return the coverage of each condition of a study of one model."""
    planned = study.planned[0].sum(axis=(1, 2)).tolist()
    valid = np.isfinite(study.correct[0]).sum(axis=(1, 2)).tolist()
    pairs = zip(study.conditions, valid, planned, strict=True)
    return {name: held / asked if asked else 0.0 for name, held, asked in pairs}

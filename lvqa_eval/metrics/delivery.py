"""What a delivery reaches and what it costs: accuracy by condition, differences to `full`, retained share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from lvqa_eval.metrics.accuracy import Accuracy, accuracy
from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.metrics.figures import FieldTable, field_table
from lvqa_eval.metrics.replicated import Replicated, columns_of, combined, ratio, replicate
from lvqa_eval.metrics.study import Mask, Study
from lvqa_eval.runs.records import Question

FULL: Final = "full"
"""The condition against which losses are taken."""

FAMILIES: Final[Mapping[str, tuple[str, ...]]] = {
    "question in pieces": ("concat-q", "shuffled-concat", "sharded-q", "recap-q", "snowball-q"),
    "scene in layers": ("concat-v", "sharded-v", "recap-v", "snowball-v"),
    "evidence order": ("evidence-first", "evidence-last"),
    "both at once": ("aligned-vq", "misaligned-vq"),
}
"""The conditions that change one thing, without `full`."""

MULTI_TURN: Final = (
    *("sharded-q", "recap-q", "snowball-q", "sharded-v", "recap-v", "snowball-v"),
    *("evidence-first", "evidence-last", "aligned-vq", "misaligned-vq"),
)
"""The conditions in which the assistant replies several times."""


@dataclass(frozen=True)
class RunSpread:
    """The field in each run: `by_run` (conditions, runs) is the mean over the models of a run's accuracy.

    NaN where a model has nothing valid in that run.
    """

    conditions: tuple[str, ...]
    by_run: Floats

    @property
    def mean(self) -> Floats:
        """Mean over the runs, (conditions,)."""
        return np.asarray(self.by_run.mean(axis=1))

    @property
    def sd(self) -> Floats:
        """Standard deviation over the runs (n - 1), (conditions,); NaN for one run."""
        if self.by_run.shape[1] < 2:
            return np.full(len(self.by_run), np.nan)
        return np.asarray(self.by_run.std(axis=1, ddof=1))


def levels(study: Study[Question], conditions: Sequence[str], weights: Floats) -> Replicated:
    """Return the accuracy of each model under each condition, cells (models, conditions)."""
    return replicate(study.of(conditions), study.planned_of(conditions), study.scene_of, weights)


def paired(study: Study[Question], conditions: Sequence[str], reference: str) -> tuple[Floats, Mask]:
    """Return correct under each condition less that under `reference`, and which pairs were planned.

    Both are (models, conditions, questions, runs); the first is NaN unless both sides count.
    """
    values = study.of(conditions) - study.of([reference])
    return values, study.planned_of(conditions) & study.planned_of([reference])


def accuracy_table(
    study: Study[Question], weights: Floats, conditions: Sequence[str] | None = None
) -> FieldTable:
    """Return accuracy by model and condition, pooled over the valid (question, run) of each cell.

    For cells that are compared on the same (question, run) pass `study.common(conditions)`.
    """
    columns = study.conditions if conditions is None else tuple(conditions)
    return field_table("Accuracy", "share", study.models, columns, levels(study, columns, weights))


def cell_accuracy(study: Study, model: str, condition: str) -> Accuracy:
    """Return the accuracy of one cell with its spread over the planned runs, coverage and outcomes."""
    row, column = study.models.index(model), study.conditions.index(condition)
    runs = study.planned[row, column].any(axis=0)
    return accuracy(study.correct[row, column][:, runs], study.outcome[row, column][:, runs])


def run_spread(study: Study) -> RunSpread:
    """Return the field's accuracy in each run."""
    valid = np.isfinite(study.correct)
    right = np.where(valid, study.correct, 0.0).sum(axis=2)
    return RunSpread(study.conditions, np.asarray(ratio(right, valid.sum(axis=2)).mean(axis=0)))


def cost_of_delivery(study: Study, weights: Floats, reference: str = FULL) -> FieldTable:
    """Return each condition's accuracy less that of `reference`, paired by question and run (Table 1)."""
    columns = tuple(condition for condition in study.conditions if condition != reference)
    values, planned = paired(study, columns, reference)
    statistic = replicate(values, planned, study.scene_of, weights)
    return field_table(f"Accuracy less that of {reference}", "difference", study.models, columns, statistic)


def retained(
    study: Study,
    weights: Floats,
    families: Mapping[str, Sequence[str]] = FAMILIES,
    reference: str = FULL,
) -> FieldTable:
    """Return the mean accuracy over each family's conditions in per cent of a model's own `reference`.

    A family holds no `reference`; a model that lacks one of its conditions has no value there. The field is
    the mean of the models' percentages.
    """
    base = levels(study, [reference], weights).mean(axis=1)
    parts = [
        combined(_per_cent, levels(study, conditions, weights).mean(axis=1), base)
        for conditions in families.values()
    ]
    statistic = columns_of(parts)
    return field_table(f"Retained of {reference}", "per cent", study.models, tuple(families), statistic)


def _per_cent(family: Floats, base: Floats) -> Floats:
    return 100.0 * ratio(family, base)

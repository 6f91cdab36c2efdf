"""The field in short: the mean over the models of each condition, and what the head of a page shows of it."""

import math
from dataclasses import dataclass
from typing import Final

from lvqa_eval.metrics.delivery import FULL, accuracy_table, cost_of_delivery
from lvqa_eval.metrics.figures import Figure
from lvqa_eval.reports.deliveries import DELIVERIES, FURTHER
from lvqa_eval.reports.layered.field_rows import in_paper_order
from lvqa_eval.reports.study.inputs import StudyInputs
from lvqa_eval.reports.table import Head, Table

STRIP = ("full", "concat-q", "sharded-q", "concat-v", "sharded-v")
"""The conditions whose figures stand at the head of a page."""

_HEADS: Final = (
    Head("Condition"),
    Head("Accuracy [95 %]", "share"),
    Head("To full [95 %]", "points"),
    Head("n", "count"),
    Head("Coverage", "coverage"),
)


@dataclass(frozen=True)
class FieldRow:
    """The mean over the models of one condition, and its difference to full.

    `difference` is None for full itself, and where no model ran full.
    """

    condition: str
    accuracy: Figure
    difference: Figure | None


@dataclass(frozen=True)
class Headline:
    """One figure at the head of a page; `value` is a share, or a difference to full.

    Where it is NaN, `absent` says why.
    """

    condition: str
    sends: str
    value: float
    is_difference: bool
    absent: str = ""


def field_rows(inputs: StudyInputs) -> tuple[FieldRow, ...]:
    """Return a row for each condition that some model ran, in the paper's order."""
    study, weights = inputs.study, inputs.weights
    accuracy, cost = accuracy_table(study, weights), cost_of_delivery(study, weights)
    return tuple(
        FieldRow(
            condition,
            accuracy.of_field(condition),
            None if condition == FULL or FULL not in study.conditions else cost.of_field(condition),
        )
        for condition in in_paper_order(study.conditions)
    )


def field_table(rows: tuple[FieldRow, ...], models: int) -> Table:
    """Return the rows as a table: accuracy, difference to full, conversations that count, coverage of all."""
    return Table(
        "field",
        f"Mean of {models} models" if models > 1 else "One model",
        _HEADS,
        tuple(
            (
                row.condition,
                row.accuracy,
                math.nan if row.difference is None else row.difference,
                row.accuracy.n,
                row.accuracy.coverage,
            )
            for row in rows
        ),
    )


def headlines(rows: tuple[FieldRow, ...]) -> tuple[Headline, ...]:
    """Return the figures of `STRIP`: accuracy under full, and the other conditions' differences to it."""
    found = {row.condition: row for row in rows}
    figures = []
    for condition in STRIP:
        row = found.get(condition)
        figure = None if row is None else row.difference or row.accuracy
        value = math.nan if figure is None else figure.value
        is_difference = row is not None and row.difference is not None
        sends = DELIVERIES.get(condition, FURTHER).sends
        absent = "not run" if row is None else "not run by all" if math.isnan(value) else ""
        figures.append(Headline(condition, sends, value, is_difference, absent))
    return tuple(figures)

"""The condition table as CSV: full precision, each row complete in itself, so that runs can be joined."""

import csv
import io
import math

from lvqa_eval.metrics.bootstrap import Estimate
from lvqa_eval.metrics.scores import OUTCOMES
from lvqa_eval.reports.conditions.rows import ConditionRow, Measured
from lvqa_eval.reports.conditions.table import ConditionTable

Value = str | int | float

RUN_COLUMNS = ("model", "dataset", "judge", "draws", "seed")
FIGURE_COLUMNS = (
    "accuracy",
    "accuracy_low",
    "accuracy_high",
    "strict_accuracy",
    "difference_to_full",
    "difference_low",
    "difference_high",
    "difference_n",
    "mean_over_runs",
    "sd_over_runs",
    "n",
    "planned",
    "coverage",
    "ranked",
)


def comma_separated(table: ConditionTable) -> str:
    """Return the table as CSV; shares and differences are fractions of 1, an undefined figure is empty.

    The last columns count what became of the planned conversations.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*RUN_COLUMNS, "condition", "baseline", "measured", *FIGURE_COLUMNS, *OUTCOMES])
    run = (table.model, table.dataset, table.judge, table.draws, table.seed)
    for row in table.rows:
        writer.writerow([*run, *map(_text, _values(row))])
    return text.getvalue()


def _values(row: ConditionRow) -> list[Value]:
    named: list[Value] = [row.condition, _yes(row.baseline), _yes(row.measured is not None)]
    if row.measured is None:
        return [*named, *[math.nan] * (len(FIGURE_COLUMNS) + len(OUTCOMES))]
    ranked = row.measured.accuracy.ranked and not row.baseline
    return [*named, *_figures(row.measured), _yes(ranked), *row.measured.accuracy.counts.values()]


def _figures(measured: Measured) -> list[Value]:
    """Return the columns of `FIGURE_COLUMNS` but the last."""
    accuracy, interval, difference = measured.accuracy, measured.interval, measured.difference
    return [
        accuracy.value,
        interval.low,
        interval.high,
        accuracy.strict,
        *_difference(difference),
        accuracy.run_mean,
        accuracy.run_sd,
        accuracy.valid,
        accuracy.planned,
        accuracy.coverage,
    ]


def _difference(difference: Estimate | None) -> list[Value]:
    if difference is None:
        return [math.nan] * 4
    return [difference.value, difference.low, difference.high, difference.n]


def _yes(holds: bool) -> str:
    return "yes" if holds else "no"


def _text(value: Value) -> str:
    if not isinstance(value, float):
        return str(value)
    return f"{value:.6f}" if math.isfinite(value) else ""

"""The table of accuracy by depth: one row for each condition and cut, one column for each depth."""

import csv
import io
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lvqa_eval.metrics.bootstrap import Estimate
from lvqa_eval.metrics.depth import DepthResponse
from lvqa_eval.reports.numerals import Numerals

if TYPE_CHECKING:
    from lvqa_eval.reports.conditions.table import ConditionTable

TITLE = "Accuracy by depth"
NOTE = (
    "The same pictures and questions, cut into more and more layers: per cent with 95 % interval, all cuts "
    "of a picture drawn together. Cut: what is split as the depth grows, the question's evidence, the "
    "context, or both. The last column is the accuracy at the largest depth minus that at the smallest, in "
    "points, over the pairs that count at both."
)
CSV_COLUMNS = (
    "condition",
    "cut",
    "depth",
    "accuracy",
    "accuracy_low",
    "accuracy_high",
    "n",
    "difference_to_smallest_depth",
    "difference_low",
    "difference_high",
    "difference_n",
)


def columns(responses: Sequence[DepthResponse]) -> tuple[str, ...]:
    """Return the heads of the columns; all responses have the same depths."""
    depths = responses[0].depths
    return ("Condition", "Cut", *map(str, depths), f"{depths[-1]} minus {depths[0]}")


def cells(response: DepthResponse, printed: Numerals) -> tuple[str, ...]:
    """Return the texts of one row under `columns`."""
    levels = [printed.percent_with_interval(one.value, one.low, one.high) for one in response.levels]
    last = response.differences[-1]
    change = printed.dash if last is None else printed.points_with_interval(last.value, last.low, last.high)
    return (response.condition, response.cut, *levels, change)


def comma_separated(table: "ConditionTable") -> str:
    """Return a row for each condition, cut and depth as CSV; shares and differences are fractions of 1."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["model", "dataset", "judge", "draws", "seed", *CSV_COLUMNS])
    run = (table.model, table.dataset, table.judge, table.draws, table.seed)
    for response in table.depths:
        of_depth = zip(response.depths, response.levels, response.differences, strict=True)
        for depth, level, difference in of_depth:
            figures = [*_figures(level), *_figures(difference)]
            writer.writerow([*run, response.condition, response.cut, depth, *figures])
    return text.getvalue()


def _figures(figure: Estimate | None) -> list[str]:
    if figure is None:
        return [""] * 4
    shares = (figure.value, figure.low, figure.high)
    return [*(f"{share:.6f}" if math.isfinite(share) else "" for share in shares), str(figure.n)]

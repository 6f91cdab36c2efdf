"""How often intervals hold the truth: many studies, each with its own scenes, against the population."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.metrics.delivery import accuracy_table, cost_of_delivery
from lvqa_eval.metrics.figures import FieldTable, Figures
from lvqa_eval.metrics.groups import kind_contrast
from lvqa_eval.metrics.ungrounded import COLUMNS, UNGROUNDED_CONDITIONS, ungrounded
from lvqa_eval.reports.table import Head, Table, Value

from .draw import Drawn
from .model import Model
from .population import population

LEAST, MOST = 0.93, 0.97
"""What the coverage of 95 % intervals, pooled over cells, has to lie between."""

FIELD_ROW = ", mean of assistants"
STATISTICS: Final = ("accuracy", "delta", "relational difference", "grounded accuracy")


@dataclass(frozen=True, eq=False)
class Coverage:
    """One statistic in many studies; arrays are (studies, cells).

    `covered` tells whether the interval holds the true value, `error` is the figure less that value, `width`
    that of the interval. An interval that is not defined holds nothing.
    """

    name: str
    covered: Floats
    error: Floats
    width: Floats

    @property
    def pooled(self) -> float:
        """The share of all intervals that hold the truth."""
        return float(self.covered.mean())

    @property
    def se(self) -> float:
        """Monte Carlo standard error of `pooled`: the cells of a study share its scenes."""
        studies = len(self.covered)
        spread = self.covered.mean(axis=1).std(ddof=1) if studies > 1 else np.nan
        return float(spread / np.sqrt(studies))

    @property
    def accepted(self) -> bool:
        """Whether the pooled coverage is near what the intervals promise."""
        return LEAST <= self.pooled <= MOST


def coverage(name: str, found: Floats, truth: Floats) -> Coverage:
    """Return the coverage in studies that `found` (studies, 3, cells) what `intervals` returns."""
    value, low, high = np.moveaxis(found, 1, 0)
    covered = (low <= truth) & (truth <= high)
    return Coverage(name, covered.astype(np.float64), value - truth, high - low)


def coverage_table(found: Mapping[str, Coverage]) -> Table:
    """Return the coverage of every statistic."""
    rows: list[tuple[Value, ...]] = []
    for one in found.values():
        by_cell = one.covered.mean(axis=0)
        told = ("yes" if one.accepted else "no") if one.name in STATISTICS else ""
        rows.append(
            (
                one.name,
                one.covered.shape[1],
                one.pooled,
                one.se,
                float(by_cell.min()),
                float(by_cell.max()),
                float(np.nanmedian(one.width)),
                float(np.nanmean(one.error)),
                told,
            )
        )
    heads = (
        Head("Statistic"),
        Head("Cells", "count"),
        Head("Coverage %", "share"),
        Head("SE", "share"),
        Head("Least cell %", "share"),
        Head("Greatest cell %", "share"),
        Head("Median width, points", "share"),
        Head("Mean error, points", "points"),
        Head(f"{LEAST * 100:.0f} to {MOST * 100:.0f}"),
    )
    studies = len(next(iter(found.values())).covered)
    notes = (
        f"Coverage: of the 95 % intervals of all cells in {studies} studies, those that hold the population "
        "value. SE: its Monte Carlo standard error, from the spread over studies, since the cells of a study "
        "share their scenes. Least, greatest cell: the share over studies of a single cell.",
        "Accuracy: assistants x conditions. Delta: the same less full, without full. Relational difference: "
        "what relational questions lose beyond the others, assistants x conditions without full. Grounded "
        "accuracy: assistants x (each condition that brings layers over several turns, and all of them). By "
        "the true verdicts.",
        "Mean of assistants: the same columns, one row; told, and not held to the limits.",
    )
    return Table("coverage", "Coverage of the intervals", heads, tuple(rows), notes)


def true_cells(model: Model) -> dict[str, Floats]:
    """Return the true value of each cell of each of `STATISTICS`, then those of the mean over assistants."""
    true = population(model)
    columns = dict(zip(STATISTICS, (true.accuracy, true.cost, true.excess, true.grounded), strict=True))
    return {name: cells.ravel() for name, cells in columns.items()} | {
        name + FIELD_ROW: cells.mean(axis=0) for name, cells in columns.items()
    }


def intervals(drawn: Drawn, weights: Floats) -> dict[str, Floats]:
    """Return what a study finds for `true_cells`: value, low and high, (3, cells), by name."""
    study, first = drawn.study, drawn.first_right.astype(np.float64)
    families = (*([one] for one in UNGROUNDED_CONDITIONS), UNGROUNDED_CONDITIONS)
    early = [ungrounded(study, first, drawn.evidence, weights, held).table for held in families]
    whole = slice(None)
    tables: dict[str, tuple[Sequence[FieldTable], Any]] = {
        "accuracy": ([accuracy_table(study, weights)], whole),
        "delta": ([cost_of_delivery(study, weights)], whole),
        "relational difference": ([kind_contrast(study, weights).excess], whole),
        "grounded accuracy": (early, [COLUMNS.index("grounded accuracy")]),
    }
    found = {}
    for name, (parts, columns) in tables.items():
        found[name] = _stacked([part.cells for part in parts], columns).reshape(3, -1)
        found[name + FIELD_ROW] = _stacked([part.field for part in parts], columns)
    return found


def _stacked(figures: Sequence[Figures], columns: Any) -> Floats:
    """Return value, low and high side by side, (3, ..., columns)."""
    return np.stack(
        [
            np.concatenate([getattr(one, part)[..., columns] for one in figures], axis=-1)
            for part in ("value", "low", "high")
        ]
    )

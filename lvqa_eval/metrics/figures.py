"""A figure with all that stands behind it: one, an array of them, or a table of models and their mean."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from lvqa_eval.metrics.bootstrap import LEVEL, Estimate, Estimates

if TYPE_CHECKING:
    from lvqa_eval.metrics.replicated import Replicated

Unit = Literal["share", "difference", "per cent", "characters", "words"]
"""A share is a fraction of 1, a difference is one of two shares."""


@dataclass(frozen=True)
class Figure(Estimate):
    """An estimate that also knows what it should have been made of.

    - `n`: conversations that went in, pairs of them in a paired difference; `planned`: those that should.
    - `questions`, `scenes`: how many have any.
    """

    questions: int
    planned: int

    @property
    def coverage(self) -> float:
        """`n` / `planned`; 0 where nothing was planned."""
        return self.n / self.planned if self.planned else 0.0


@dataclass(frozen=True)
class Figures(Estimates):
    """The fields of `Figure` for many cells at once; all arrays have the shape of the cells."""

    questions: NDArray[np.intp]
    planned: NDArray[np.intp]

    def at(self, *cell: int) -> Figure:
        """Return the figure of one cell; without an index, that of the only one."""
        return Figure(
            **vars(super().at(*cell)),
            questions=int(self.questions[cell]),
            planned=int(self.planned[cell]),
        )


@dataclass(frozen=True)
class FieldTable:
    """One statistic: a row for each model, and the field's, which is the mean over the models.

    `cells` has the shape (models, columns), `field` (columns,). A column that some model lacks has no field
    value, since a mean over the others could not be compared with those beside it: `lacking` names them, and
    `Study.only` makes the table of the models that have all.
    """

    name: str
    unit: Unit
    models: tuple[str, ...]
    columns: tuple[str, ...]
    cells: Figures
    field: Figures

    def at(self, model: str, column: str) -> Figure:
        """Return the figure of a model."""
        return self.cells.at(self.models.index(model), self.columns.index(column))

    def of_field(self, column: str) -> Figure:
        """Return the mean over the models."""
        return self.field.at(self.columns.index(column))

    def lacking(self, column: str) -> tuple[str, ...]:
        """Return the models that have no value in a column."""
        values = self.cells.value[:, self.columns.index(column)]
        return tuple(model for model, value in zip(self.models, values, strict=True) if np.isnan(value))


def field_table(
    name: str,
    unit: Unit,
    models: Sequence[str],
    columns: Sequence[str],
    statistic: "Replicated",
    level: float = LEVEL,
) -> FieldTable:
    """Return the table of a statistic whose cells are (models, columns)."""
    return FieldTable(
        name,
        unit,
        tuple(models),
        tuple(columns),
        statistic.figures(level),
        statistic.mean(axis=0).figures(level),
    )

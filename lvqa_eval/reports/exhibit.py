"""One numbered table or figure of a report, as data: drawn and written elsewhere."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from lvqa_eval.reports.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

Paper = Literal["layered-vqa", "bear-bench"]


@dataclass(frozen=True)
class Plot:
    """How a figure is drawn: `draw` fills an empty matplotlib figure of `size` inches, styled by the writer.

    `alt` says in words what is to be seen, for those who cannot see it.
    """

    draw: Callable[["Canvas"], None]
    size: tuple[float, float]
    alt: str


@dataclass(frozen=True)
class Exhibit:
    """One table or figure with all that has to stand beside it.

    - `name`: that of its files, such as "table-1"; `label`: what the paper calls it, such as "Table 1", empty
      for one that the paper does not have.
    - `definition`: what is shown, each denominator and each choice, a sentence or paragraph an entry.
    - `basis`: what it rests on, as pairs of a label and its text, such as n, coverage and the judge.
    - `tables`: its figures; those of a plot too. `reported`: what the paper prints, with ours beside it.
    - `missing`: for one that lacks its input what that is and which command makes it; it has no tables then.
    """

    name: str
    label: str
    title: str
    paper: Paper
    definition: tuple[str, ...]
    basis: tuple[tuple[str, str], ...] = ()
    tables: tuple[Table, ...] = ()
    plot: Plot | None = None
    reported: Table | None = None
    missing: str | None = None

    @property
    def heading(self) -> str:
        """Label and title, such as "Table 1. Cost of delivery"."""
        return f"{self.label}. {self.title}" if self.label else self.title

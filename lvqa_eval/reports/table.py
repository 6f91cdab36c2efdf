"""A table of figures, with what they mean, as text, Markdown, LaTeX and CSV."""

import csv
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from lvqa_eval.metrics.accuracy import RANKED_FROM
from lvqa_eval.metrics.bootstrap import Estimate
from lvqa_eval.metrics.figures import Figure
from lvqa_eval.reports.latex import ampersands, escape_latex
from lvqa_eval.reports.markdown import escape_markdown, pipes
from lvqa_eval.reports.numerals import ASCII, LATEX, PRINTED, Numerals

Kind = Literal["text", "count", "share", "coverage", "points", "ratio", "per cent", "number", "area"]
Value = str | int | float | Estimate

_ERROR = 1e-9  # of a quotient that is a whole number of tenths
LOW_COVERAGE = "*"
"""Stands behind a figure whose coverage is below that of a ranking."""


class Head(NamedTuple):
    """The head of a column and what its figures are.

    - share: prints in per cent; points: a difference of shares, prints in points; coverage: a share rounded
      down, 100.0 only where nothing is missing; per cent and number print with one decimal, area (one under a
      curve, and what stands beside it) with two, ratio with three.
    - `reported`: the column has figures that a paper prints, never ones of ours.
    """

    title: str
    kind: Kind = "text"
    reported: bool = False


@dataclass(frozen=True)
class Table:
    """Rows under heads; `name` is that of its file.

    A value is text, a number, or an estimate with its interval. One that is not defined is NaN, or says why
    in words. The last `summary` rows sum up those above, such as the mean over models.
    """

    name: str
    title: str
    heads: tuple[Head, ...]
    rows: tuple[tuple[Value, ...], ...]
    notes: tuple[str, ...] = ()
    summary: int = 0

    @property
    def told(self) -> tuple[str, ...]:
        """The notes, with one on low coverage where a figure is marked for it."""
        marked = any(is_low(value) for row in self.rows for value in row)
        share = f"{RANKED_FROM * 100:.0f} %"
        low = f"{LOW_COVERAGE} Coverage below {share} of what was planned: not to be ranked."
        return (*self.notes, *([low] if marked else []))


def is_low(value: Value) -> bool:
    """Tell whether a value is a figure that misses too much of what was planned."""
    return isinstance(value, Figure) and math.isfinite(value.value) and value.coverage < RANKED_FROM


def cells(table: Table, printed: Numerals = ASCII) -> list[list[str]]:
    """Return the texts of all rows."""
    return [
        [cell(value, head.kind, printed) for value, head in zip(row, table.heads, strict=True)]
        for row in table.rows
    ]


def cell(value: Value, kind: Kind, printed: Numerals = ASCII) -> str:
    """Return the text of one value; an estimate with its interval behind it."""
    figure, interval = parts(value, kind, printed)
    return f"{figure} {interval}" if interval else figure


def parts(value: Value, kind: Kind, printed: Numerals = ASCII) -> tuple[str, str]:
    """Return the text of one value, and that of its interval; the latter is empty where it has none."""
    if not isinstance(value, Estimate):
        return _plain_cell(value, kind, printed), ""
    figure = _plain_cell(value.value, kind, printed)
    mark = LOW_COVERAGE if is_low(value) else ""
    if not (math.isfinite(value.value) and math.isfinite(value.low) and math.isfinite(value.high)):
        return figure + mark, ""
    ends = ", ".join(_plain_cell(end, kind, printed) for end in (value.low, value.high))
    return figure + mark, f"[{ends}]"


def markdown(title: str, header: Sequence[tuple[str, str]], tables: Iterable[Table]) -> str:
    """Return one document of all tables, the `header` above them."""
    lines = [f"# {title}", "", *(f"- {label}: {escape_markdown(text)}" for label, text in header)]
    for table in tables:
        lines += ["", f"## {escape_markdown(table.title)}", "", *markdown_lines(table)]
    return "\n".join(lines) + "\n"


def markdown_lines(table: Table) -> list[str]:
    """Return the lines of one table with its notes below, without its title."""
    marks = ["---" if head.kind == "text" else "---:" for head in table.heads]
    lines = [pipes([escape_markdown(head.title) for head in table.heads]), pipes(marks)]
    lines += [pipes([escape_markdown(text) for text in row]) for row in cells(table, PRINTED)]
    return [*lines, "", *(f"- {escape_markdown(note)}" for note in table.told)]


def latex(table: Table, comments: Iterable[str] = ()) -> str:
    """Return a `tabular` for the package booktabs; `comments` stand above it, title and notes among them."""
    lines = [f"% {' '.join(text.split())}" for text in (table.title, *comments, *table.told)]
    columns = "".join("l" if head.kind == "text" else "r" for head in table.heads)
    lines += [rf"\begin{{tabular}}{{{columns}}}", r"\toprule"]
    lines += [ampersands(escape_latex(head.title) for head in table.heads), r"\midrule"]
    rows = [ampersands(_latex_cells(table, row)) for row in table.rows]
    body, summary = rows[: len(rows) - table.summary], rows[len(rows) - table.summary :]
    lines += [*body, *([r"\midrule", *summary] if summary else [])]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def comma_separated(table: Table) -> str:
    """Return a table as CSV; shares and differences are fractions of 1, an undefined figure is empty.

    A column with estimates has further ones behind it: low, high and n, and where figures know what was
    planned of them, coverage.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    columns = list(zip(*table.rows, strict=True)) if table.rows else [()] * len(table.heads)
    extras = [_extras(column) for column in columns]
    writer.writerow(
        name
        for head, extra in zip(table.heads, extras, strict=True)
        for name in (head.title, *(f"{head.title} {part}" for part in extra))
    )
    for row in table.rows:
        writer.writerow(
            text for value, extra in zip(row, extras, strict=True) for text in _plain(value, extra)
        )
    return text.getvalue()


def _plain_cell(value: str | int | float, kind: Kind, printed: Numerals) -> str:
    if isinstance(value, int) and kind == "count":
        return f"{value:,}" if value > 9999 else str(value)
    if not isinstance(value, float):
        return str(value)
    if kind in ("share", "points"):
        return printed.percent(value) if kind == "share" else printed.points(value)
    if not math.isfinite(value):
        return printed.dash
    if kind == "coverage":
        return f"{math.floor(value * 1000 + _ERROR) / 10:.1f}"
    decimals = {"per cent": 1, "number": 1, "area": 2}.get(kind, 3)
    return f"{value:.{decimals}f}".replace("-", printed.minus)


def _latex_cells(table: Table, row: Sequence[Value]) -> Iterable[str]:
    for value, head in zip(row, table.heads, strict=True):
        yield escape_latex(value) if isinstance(value, str) else cell(value, head.kind, LATEX)


def _extras(column: Sequence[Value]) -> tuple[str, ...]:
    if any(isinstance(value, Figure) for value in column):
        return ("low", "high", "n", "coverage")
    return ("low", "high", "n") if any(isinstance(value, Estimate) for value in column) else ()


def _plain(value: Value, extra: Sequence[str]) -> list[str]:
    if not isinstance(value, Estimate):
        return [_number(value), *[""] * len(extra)]
    return [_number(value.value), *(_number(getattr(value, part, "")) for part in extra)]


def _number(value: str | int | float) -> str:
    if not isinstance(value, float):
        return str(value)
    return f"{value:.6f}" if math.isfinite(value) else ""

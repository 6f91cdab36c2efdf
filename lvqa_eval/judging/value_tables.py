"""A table of plain values, with what its figures mean, as text, Markdown and CSV."""

import csv
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from lvqa_eval.reports.markdown import escape_markdown, pipes
from lvqa_eval.reports.numerals import ASCII, PRINTED, Numerals

Kind = Literal["text", "count", "share", "coverage", "points", "ratio"]
Value = str | int | float

_ERROR = 1e-9  # of a quotient that is a whole number of tenths


class Head(NamedTuple):
    """The head of a column and what its figures are: shares print in per cent, differences in points.

    A coverage is rounded down: it is 100.0 only where nothing is missing.
    """

    title: str
    kind: Kind = "text"


@dataclass(frozen=True)
class Table:
    """Rows under heads; `name` is that of its file. A figure without a value is NaN, or says why in words."""

    name: str
    title: str
    heads: tuple[Head, ...]
    rows: tuple[tuple[Value, ...], ...]
    notes: tuple[str, ...] = ()


def cells(table: Table, printed: Numerals = ASCII) -> list[list[str]]:
    """Return the texts of all rows."""
    return [
        [_cell(value, head.kind, printed) for value, head in zip(row, table.heads, strict=True)]
        for row in table.rows
    ]


def markdown(title: str, header: Sequence[tuple[str, str]], tables: Iterable[Table]) -> str:
    """Return one document of all tables, the `header` above them."""
    lines = [f"# {title}", "", *(f"- {label}: {escape_markdown(text)}" for label, text in header)]
    for table in tables:
        marks = ["---" if head.kind == "text" else "---:" for head in table.heads]
        lines += [
            "",
            f"## {table.title}",
            "",
            pipes([escape_markdown(head.title) for head in table.heads]),
            pipes(marks),
        ]
        lines += [pipes([escape_markdown(cell) for cell in row]) for row in cells(table, PRINTED)]
        lines += ["", *(f"- {escape_markdown(note)}" for note in table.notes)]
    return "\n".join(lines) + "\n"


def comma_separated(table: Table) -> str:
    """Return a table as CSV; shares and differences are fractions of 1, a figure without a value is empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([head.title for head in table.heads])
    writer.writerows([_plain(value) for value in row] for row in table.rows)
    return text.getvalue()


def _cell(value: Value, kind: Kind, printed: Numerals) -> str:
    if not isinstance(value, float):
        return str(value)
    if kind == "coverage" and math.isfinite(value):
        return f"{math.floor(value * 1000 + _ERROR) / 10:.1f}"
    if kind in ("share", "coverage"):
        return printed.percent(value)
    if kind == "points":
        return printed.points(value)
    if not math.isfinite(value):
        return printed.dash
    return f"{value:.3f}".replace("-", printed.minus)


def _plain(value: Value) -> str:
    if not isinstance(value, float):
        return str(value)
    return f"{value:.6f}" if math.isfinite(value) else ""

"""An exhibit as the page shows it: cells with their intervals below them, and links to its files."""

import math
import re
from dataclasses import dataclass
from typing import Final

from lvqa_eval.metrics.bootstrap import Estimate
from lvqa_eval.reports.exhibit import Exhibit
from lvqa_eval.reports.numerals import PRINTED
from lvqa_eval.reports.stems import figure_paths, file_links, stem, table_paths, table_stems
from lvqa_eval.reports.table import Head, Table, Value, parts

STEPS: Final = (0.025, 0.075, 0.15, 0.25)
"""Differences of shares at which the tint of a cell deepens, on both sides of zero."""

_UNITS: Final = ("%", "points", "characters", "words", "turns", "number", "billions", "pages")
_REFERENCE = re.compile(r'\bid="|\bhref="#|\burl\(#')
"""What names a part of a figure, or points to it: figures name theirs alike, and a page has a name once."""

_COMMAND = re.compile(r"\blvqa [a-z].*$", re.DOTALL)


@dataclass(frozen=True)
class Cell:
    """One value as text; `interval` stands below it. `tint` is a class, empty for none; `clear` is bold."""

    text: str
    interval: str = ""
    is_number: bool = False
    tint: str = ""
    clear: bool = False
    reported: bool = False


@dataclass(frozen=True)
class TableHead:
    """The head of a column; `unit` stands below it."""

    title: str
    unit: str
    is_number: bool
    reported: bool


@dataclass(frozen=True)
class TableView:
    """One table; `anchor` names its place on the page, `links` are its files by what they are."""

    anchor: str
    title: str
    heads: tuple[TableHead, ...]
    body: tuple[tuple[Cell, ...], ...]
    summary: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...]
    links: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class ExhibitView:
    """One exhibit; `svg` is its figure, with `size` in pixels; `needs` what it lacks, and the command."""

    anchor: str
    exhibit: Exhibit
    tables: tuple[TableView, ...]
    reported: TableView | None
    svg: str
    size: tuple[int, int]
    links: tuple[tuple[str, str], ...]
    needs: tuple[str, str]


def exhibit_view(exhibit: Exhibit, svg: str) -> ExhibitView:
    """Return what the page shows of an exhibit; `svg` is its drawn figure, empty for one without."""
    views = [_table_view(name, table) for name, table in table_stems(exhibit)]
    reported = views.pop() if exhibit.reported is not None else None
    width, height = exhibit.plot.size if exhibit.plot else (0, 0)
    return ExhibitView(
        anchor=stem(exhibit),
        exhibit=exhibit,
        tables=tuple(views),
        reported=reported,
        svg=_REFERENCE.sub(rf"\g<0>{stem(exhibit)}-", svg),
        size=(round(width * 96), round(height * 96)),
        links=file_links(figure_paths(exhibit)),
        needs=_needs(exhibit.missing or ""),
    )


def tint(value: Value, head: Head) -> str:
    """Return the class of a difference's cell: side of zero and distance; empty where zero is inside."""
    if head.kind != "points" or not isinstance(value, Estimate) or not _clear_of_zero(value):
        return ""
    size = abs(round(value.value, 9))
    step = sum(size >= edge for edge in STEPS)
    return f"{'below' if value.value < 0 else 'above'}-{step}" if step else ""


def _clear_of_zero(figure: Estimate) -> bool:
    return math.isfinite(figure.value) and (figure.low > 0 or figure.high < 0)


def _table_view(name: str, table: Table) -> TableView:
    rows = [tuple(map(_cell, row, table.heads)) for row in table.rows]
    edge = len(rows) - table.summary
    return TableView(
        anchor=f"table-{name}",
        title=table.title,
        heads=tuple(map(_head, table.heads)),
        body=tuple(rows[:edge]),
        summary=tuple(rows[edge:]),
        notes=table.told,
        links=file_links(table_paths(name)),
    )


def _head(head: Head) -> TableHead:
    title, comma, unit = head.title.rpartition(", ")
    split = bool(comma) and unit in _UNITS
    return TableHead(
        title=title if split else head.title,
        unit=unit if split else "",
        is_number=head.kind != "text",
        reported=head.reported,
    )


def _cell(value: Value, head: Head) -> Cell:
    text, interval = parts(value, head.kind, PRINTED)
    clear = head.kind == "points" and isinstance(value, Estimate) and _clear_of_zero(value)
    return Cell(text, interval, head.kind != "text", tint(value, head), clear, head.reported)


def _needs(missing: str) -> tuple[str, str]:
    """Split what an exhibit lacks from the command that makes it, which stands at the end."""
    found = _COMMAND.search(missing)
    return (missing[: found.start()], found[0]) if found else (missing, "")

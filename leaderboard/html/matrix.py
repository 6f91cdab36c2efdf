"""A table of tinted figures: rows by columns in groups, each cell with its number."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from leaderboard.html.cells import absent
from leaderboard.html.escape import Child, Markup, el, joined
from leaderboard.html.frame import caption, scroll, section, small
from leaderboard.html.words import Words


class HeatCell(NamedTuple):
    """A figure as text, its class, and what stands below it. `tint` is of `tints`, `abs` for none."""

    text: str
    tint: str
    below: str = ""


@dataclass(frozen=True)
class HeatColumn:
    """One column: its title, the title of its group, and what stands above and below its own."""

    key: str
    title: Child
    group: str = ""
    above: Markup | None = None
    below: str = ""


@dataclass(frozen=True)
class HeatRow:
    """One row: its title, its cells by the key of their column, and what stands below the title.

    `before` are cells before the figures. A row that sums up, or is of a paper, stands `apart` below a line.
    """

    title: Child
    cells: Mapping[str, HeatCell]
    below: str = ""
    before: tuple[Markup, ...] = ()
    apart: bool = False


@dataclass(frozen=True)
class Heat:
    """A table of tinted figures.

    - `sections`: pairs of a title, empty for none, and the rows below it.
    - `corner`: the title of the column of rows' titles; `before`: heads of the cells before the figures.
    - `fixed`: columns of one width each, so that nothing moves when other rows are shown.
    """

    title: str
    corner: Child
    columns: Sequence[HeatColumn]
    sections: Sequence[tuple[str, Sequence[HeatRow]]]
    before: tuple[Markup, ...] = ()
    fixed: bool = False


def heat_table(heat: Heat, words: Words) -> Markup:
    """Return the table inside an area that scrolls."""
    firsts = {run[0].key for _, run in _groups(heat.columns)}
    bodies = [_body(heat, title, rows, firsts, words) for title, rows in heat.sections]
    widths = None
    if heat.fixed:
        widths = el("colgroup", el("col", class_="c0"), *(el("col", class_="cg") for _ in heat.columns))
    kind = "lv-tbl lv-heat fx" if heat.fixed else "lv-tbl lv-heat"
    table = el("table", caption(heat.title), widths, _head(heat, firsts), *bodies, class_=kind)
    return scroll(heat.title, table)


def _groups(columns: Sequence[HeatColumn]) -> list[tuple[str, list[HeatColumn]]]:
    return [(name, list(run)) for name, run in groupby(columns, key=lambda column: column.group)]


def _head(heat: Heat, firsts: set[str]) -> Markup:
    families = _groups(heat.columns)
    named = any(name for name, _ in families)
    corner = el("th", heat.corner, scope="col", class_="pin", rowspan=2 if named else None)
    before = [*heat.before]
    titles = [
        el(
            "th",
            column.above,
            column.title,
            small(column.below) if column.below else None,
            scope="col",
            class_="c gl" if column.key in firsts else "c",
        )
        for column in heat.columns
    ]
    if not named:
        return el("thead", el("tr", corner, *before, *titles))
    heads = [
        el("th", el("span", name, class_="u"), colspan=len(run), scope="colgroup") for name, run in families
    ]
    return el("thead", el("tr", corner, *before, *heads, class_="fam"), el("tr", *titles))


def _body(heat: Heat, title: str, rows: Sequence[HeatRow], firsts: set[str], words: Words) -> Markup:
    lines = [_row(heat, row, firsts, words) for row in rows]
    if title:
        lines.insert(0, section(1 + len(heat.before) + len(heat.columns), title))
    return el("tbody", *lines)


def _row(heat: Heat, row: HeatRow, firsts: set[str], words: Words) -> Markup:
    name = el("th", row.title, small(row.below) if row.below else None, scope="row", class_="pin")
    cells = tuple(row.cells.get(column.key) for column in heat.columns)
    drawn = _cells(cells, tuple(column.key in firsts for column in heat.columns), words.language)
    return el("tr", name, *row.before, drawn, class_="field" if row.apart else None)


# A search draws rows that were drawn before.
@lru_cache(maxsize=4096)
def _cells(cells: tuple[HeatCell | None, ...], edges: tuple[bool, ...], language: str) -> Markup:
    words, drawn = Words(language), []
    for found, first in zip(cells, edges, strict=True):
        edge = " gl" if first else ""
        if found is None:
            drawn.append(absent(words, f"h nr{edge}"))
            continue
        below = small(found.below) if found.below else None
        drawn.append(el("td", found.text, below, class_=f"h {found.tint}{edge}"))
    return joined(drawn)

"""The ranking: a row a model, tiers from the top, and below them what is shown without a rank."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby
from typing import Final

from leaderboard.board.records import Row
from leaderboard.html.cells import figure_cell, model_lines
from leaderboard.html.columns import Column, Heads, Sorted, edges
from leaderboard.html.escape import Markup, el, joined
from leaderboard.html.frame import caption, note, part, scroll, section
from leaderboard.html.interval import axis_head, bar, share_axis
from leaderboard.html.terms import term
from leaderboard.html.words import DASH, Words
from lvqa_eval.reports.axes import Axis

_RANKED: Final = "ranked"
_AXIS: Final = 160
"""Pixels."""

_BELOW: Final = ("not ranked", "reported")


@dataclass(frozen=True)
class Ranking:
    """A ranking as it is to be shown.

    - `rows` in any order, already filtered. `lead`: the column of the tiers, `columns`: the others.
    - `sort`: the column that ranked rows stand in the order of; the other sections have no order.
    - `under`: what stands in small letters below the title of a column, by its key, such as an n.
    - `all_rows`: those that the axis is wide enough for, so that it stays when rows are filtered; none for
      `rows` alone.
    - `name`: of the part on its page; `title` and `source` are keys of texts: the table's caption, and what
      its small figures are.
    """

    rows: Sequence[Row]
    lead: Column
    columns: Sequence[Column]
    sort: Sorted
    title: str
    source: str
    name: str = "ranking"
    under: Mapping[str, str] = field(default_factory=dict)
    all_rows: Sequence[Row] = ()


def ordered(rows: Sequence[Row], sort: Sorted) -> list[Row]:
    """Return ranked rows by a column, those without a figure last either way; then the others unmoved."""
    ranked = [row for row in rows if row.entry.shown == _RANKED]
    sign = -1 if sort.descending else 1

    def place(row: Row) -> tuple[bool, float]:
        figure = row.figures.get(sort.column)
        value = math.nan if figure is None else figure.value
        return (True, 0.0) if math.isnan(value) else (False, sign * value)

    return sorted(ranked, key=place) + [row for row in rows if row.entry.shown != _RANKED]


def ranking(shown: Ranking, words: Words) -> Markup:
    """Return the table with its sections, and the note on what the small figures are."""
    rows = ordered(shown.rows, shown.sort)
    held = shown.all_rows or rows
    figures = [row.figures[shown.lead.key] for row in held if shown.lead.key in row.figures]
    look = _look(shown.lead, tuple(shown.columns), share_axis(figures, _AXIS), words.language)
    table = _Table(shown, words, look)
    ranked = [row for row in rows if row.entry.shown == _RANKED]
    bodies = [el("tbody", *table.ranked(ranked))]
    for kind in _BELOW:
        found = [row for row in rows if row.entry.shown == kind]
        if found:
            bodies.append(
                el("tbody", table.section(kind), *(table.row(row, [table.no_tier()]) for row in found))
            )
    title = words(shown.title)
    whole = el("table", caption(title), table.head(), *bodies, class_="lv-tbl lv-rank")
    return part(words, scroll(title, whole), note(words(shown.source)))


@dataclass(frozen=True)
class _Table:
    """What all rows of one ranking share."""

    shown: Ranking
    words: Words
    look: "_Look"

    def head(self) -> Markup:
        """Return both lines of heads."""
        words, shown = self.words, self.shown
        heads = Heads(words, shown.name, shown.sort, shown.under)
        upper, lower = heads.lines(shown.columns)
        rows = 2 if lower else None
        tier = el("th", term("tier", words, shown.name), scope="col", rowspan=rows, class_="pin tier")
        model = el("th", words("ranking.model"), scope="col", rowspan=rows, class_="pin model")
        lead = heads.single(shown.lead, rowspan=rows or 1)
        axis = el("td", axis_head(self.look.axis, words), rowspan=rows, class_="lv-w axis")
        lines = [el("tr", tier, model, lead, axis, *upper)] + ([el("tr", *lower)] if lower else [])
        return el("thead", *lines)

    def ranked(self, rows: Sequence[Row]) -> Iterator[Markup]:
        """Yield the rows of the ranked section; a tier's number spans its rows while these stand together."""
        if not rows:
            yield el("tr", el("td", self.words("ranking.none"), colspan=self._width(), class_="none"))
        together = self.shown.sort.column == self.shown.lead.key
        for run in _runs(rows, together):
            tier = self._tier(run[0].tier, len(run), together)
            yield self.row(run[0], [tier], class_="t0" if together else None)
            yield from (self.row(row, []) for row in run[1:])

    def row(self, row: Row, tier: Sequence[Markup], class_: str | None = None) -> Markup:
        """Return the row of one model behind the cell of its tier."""
        return el("tr", *tier, _cells(row, self.look), class_=class_)

    def section(self, name: str) -> Markup:
        """Return the line above the rows without a rank: what they are, and why they stand apart."""
        key = f"ranking.{name.replace(' ', '_')}"
        return section(self._width(), self.words(f"{key}.title"), self.words(f"{key}.why"))

    def no_tier(self) -> Markup:
        """Return the cell of a tier for a row that has none."""
        shown = el("span", DASH, aria_hidden="true")
        return el("td", shown, el("span", self.words("ranking.no_tier"), class_="vh"), class_="pin tier na")

    def _tier(self, number: int | None, rows: int, together: bool) -> Markup:
        if number is None:
            return self.no_tier()
        return el(
            "td",
            el("b", str(number)),
            rowspan=rows if rows > 1 else None,
            class_="pin tier on" if together else "pin tier",
        )

    def _width(self) -> int:
        return 4 + len(self.shown.columns)


@dataclass(frozen=True, eq=False)
class _Look:
    """What the cells of a row depend on beside the row."""

    lead: Column
    columns: tuple[Column, ...]
    axis: Axis
    words: Words
    edges: frozenset[str]


@lru_cache(maxsize=64)
def _look(lead: Column, columns: tuple[Column, ...], axis: Axis, language: str) -> _Look:
    return _Look(lead, columns, axis, Words(language), edges(columns))


# A search draws rows that were drawn before, in another choice and order.
@lru_cache(maxsize=4096)
def _cells(row: Row, look: _Look) -> Markup:
    """Return the cells of a row behind that of its tier."""
    words, lead = look.words, look.lead
    figure = row.figures.get(lead.key)
    others = (
        figure_cell(row.figures.get(one.key), one.unit, words, class_="gl" if one.key in look.edges else "")
        for one in look.columns
    )
    return joined(
        [
            el("th", model_lines(row.entry, words), scope="row", class_="pin model"),
            figure_cell(figure, lead.unit, words, "ends"),
            el("td", bar(figure, look.axis), class_="lv-w axis"),
            *others,
        ]
    )


def _runs(rows: Sequence[Row], together: bool) -> Iterator[list[Row]]:
    """Yield rows that share the cell of their tier: those of one tier that stand `together`, others alone."""
    for tier, run in groupby(rows, key=lambda row: row.tier):
        members = list(run)
        yield from [members] if together and tier is not None else ([row] for row in members)

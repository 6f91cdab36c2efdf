"""The table of every column, which is sorted by any of them: each head is a button."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from leaderboard.board.columns import Column, cell, sorted_rows
from leaderboard.board.records import Row
from leaderboard.html.cells import absent, model_name
from leaderboard.html.columns import unit
from leaderboard.html.escape import Markup, el, joined, outer
from leaderboard.html.frame import caption, part, scroll, section, small
from leaderboard.html.words import Words

BACK: Final = "-"
"""Stands before the key of a column whose worst comes first."""

_SECTIONS: Final = ("ranked", "not ranked", "reported")


@dataclass(frozen=True)
class Whole:
    """The table as it is to be shown.

    `rows` are already filtered; `by` is the key of a column, after `BACK` where its worst comes first;
    `title` is a key of the texts.
    """

    rows: Sequence[Row]
    columns: tuple[Column, ...]
    by: str
    title: str


def whole_table(shown: Whole, words: Words) -> Markup:
    """Return the table; each section is sorted alone, what is missing comes last either way.

    The buttons in its head have in `data-by` what sorts by their column, the other way where it does already.
    """
    descending = is_descending(shown)
    key = shown.by.removeprefix(BACK)
    bodies = []
    for kind in _SECTIONS:
        rows = sorted_rows([row for row in shown.rows if row.entry.shown == kind], key, descending)
        if rows:
            lines = [_line(row, shown.columns, words.language) for row in rows]
            name = f"ranking.{kind.replace(' ', '_')}.title"
            above = [section(1 + len(shown.columns), words(name))] if kind != "ranked" else []
            bodies.append(el("tbody", *above, *lines))
    title = words(shown.title)
    heads = [_head(one, shown, descending, words) for one in shown.columns]
    corner = el("th", words("ranking.model"), scope="col", class_="pin")
    table = el(
        "table",
        caption(title),
        el("thead", el("tr", corner, *heads)),
        *bodies,
        class_="lv-tbl lv-whole-table",
    )
    return part(words, scroll(title, table, class_="lv-tall"))


def is_descending(shown: Whole) -> bool:
    """Return whether the greatest value stands first: the best, text from A, unless it is turned around."""
    key = shown.by.removeprefix(BACK)
    sorting = next((one for one in shown.columns if one.key == key), None)
    best = sorting is None or (sorting.descending and sorting.numeric)
    return best != shown.by.startswith(BACK)


def _head(one: Column, shown: Whole, descending: bool, words: Words) -> Markup:
    sorting = shown.by.removeprefix(BACK) == one.key
    turned = BACK if shown.by == one.key else ""
    title = [words(one.title), unit(one.unit, words)]
    button = el("button", *title, type="button", class_="lv-sort", data_by=f"{turned}{one.key}")
    return el(
        "th",
        small(words(one.group)) if one.group else None,
        button,
        scope="col",
        class_="n" if one.numeric else None,
        aria_sort=("descending" if descending else "ascending") if sorting else None,
    )


# A search and another order show rows that were shown before.
@lru_cache(maxsize=2048)
def _line(row: Row, columns: tuple[Column, ...], language: str) -> Markup:
    words = Words(language)
    name = el("th", model_name(row.entry.model), scope="row", class_="pin")
    return el("tr", name, joined([_cell(row, one, words) for one in columns]))


def _cell(row: Row, one: Column, words: Words) -> Markup:
    value = cell(row, one.key)
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return absent(words, "" if one.numeric else "t")
    if isinstance(value, str):
        return el("td", outer(_text(value, one, words)))
    return el("td", words.figure(value, one.unit), class_="n")


def _text(value: str, one: Column, words: Words) -> str:
    if one.unit == "date":
        return words.day(value)
    if one.key == "badge":
        return words(f"badge.{value}.name")
    return words(f"model.{value}") if one.key == "weights" else value

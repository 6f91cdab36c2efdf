"""What a table needs to know of a column, and the heads that it makes of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from typing import Protocol

from leaderboard.html.escape import Markup, el
from leaderboard.html.frame import small
from leaderboard.html.terms import titled
from leaderboard.html.words import Words


class Column(Protocol):
    """A column of figures.

    - `key`: its name among a row's figures. `unit`: one of those of `Words.figure`.
    - `title`: a key of the texts; `group`: one too, the same for columns that stand together, empty for none.
    - `term`: the key of its definition.
    """

    @property
    def key(self) -> str:
        """Its name among a row's figures."""

    @property
    def title(self) -> str:
        """The key of its title."""

    @property
    def unit(self) -> str:
        """What its figures are."""

    @property
    def group(self) -> str:
        """The key of the title of its group, empty for a column of its own."""

    @property
    def term(self) -> str:
        """The key of its definition."""

    def __hash__(self) -> int:
        """Return a hash: cells that were drawn are kept by their column."""


@dataclass(frozen=True)
class Sorted:
    """The column that rows are in the order of, and whether its greatest value stands first."""

    column: str
    descending: bool = True

    def state(self, key: str) -> str | None:
        """Return what `aria-sort` says of a column; None for any other."""
        return ("descending" if self.descending else "ascending") if key == self.column else None


@dataclass(frozen=True)
class Heads:
    """How the heads of a table are written.

    `place` names the part, `under` holds what stands in small letters below a title, by the column's key.
    """

    words: Words
    place: str
    sort: Sorted
    under: Mapping[str, str] = field(default_factory=dict)

    def lines(self, columns: Sequence[Column]) -> tuple[list[Markup], list[Markup]]:
        """Return the heads of two lines: groups and columns of their own above, those in groups below."""
        upper: list[Markup] = []
        lower: list[Markup] = []
        first = edges(columns)
        for name, run in groups(columns):
            if not name:
                upper.append(self.single(run[0], edge=run[0].key in first, rowspan=2))
                continue
            shared = len({one.unit for one in run}) == 1
            title = el(
                "th",
                self.words(name),
                unit(run[0].unit, self.words) if shared else None,
                class_="grp",
                colspan=len(run),
                scope="colgroup",
            )
            upper.append(title)
            lower += [self.single(one, edge=one.key in first, bare=shared) for one in run]
        return upper, lower

    def single(self, column: Column, *, edge: bool = False, bare: bool = False, rowspan: int = 1) -> Markup:
        """Return the head of one column; `bare` leaves out its unit."""
        below = self.under.get(column.key)
        return el(
            "th",
            titled(self.words(column.title), column.term, self.words, self.place),
            None if bare else unit(column.unit, self.words),
            small(below) if below else None,
            scope="col",
            class_="n gl" if edge else "n",
            rowspan=rowspan if rowspan > 1 else None,
            aria_sort=self.sort.state(column.key),
        )


def unit(name: str, words: Words) -> Markup | None:
    """Return the sign of a unit as it stands behind a title; None for one without."""
    key = f"unit.{name}"
    return el("span", "\N{NO-BREAK SPACE}", words(key), class_="u") if words.has(key) else None


def groups(columns: Sequence[Column]) -> list[tuple[str, list[Column]]]:
    """Return group -> columns, in the order in which they come; the name is empty for a column of its own."""
    # A key is no text's, so a column of its own joins no other.
    runs = groupby(columns, key=lambda column: (column.group, "" if column.group else column.key))
    return [(name, list(run)) for (name, _), run in runs]


def edges(columns: Sequence[Column]) -> frozenset[str]:
    """Return the keys of the columns before which a line stands: where a group begins, or one has ended."""
    pairs = pairwise(columns)
    return frozenset(after.key for before, after in pairs if before.group != after.group)

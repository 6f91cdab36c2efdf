"""Which rows a view shows: by a search, by size, openness and verification. Ranks stay as they are."""

import math
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Final, TypeVar

from leaderboard.board.records import Entry, Row
from leaderboard.views import Choice, Choices, Flag, Text, View

SEARCH: Final = Text("q")
OPENNESS: Final = ("open", "closed")
OPEN: Final = Choices("open", OPENNESS)
VERIFIED: Final = Flag("verified")

SIZES: Final[Mapping[str, tuple[float, float]]] = {
    "to-10": (0.0, 10.0),
    "10-40": (10.0, 40.0),
    "from-40": (40.0, math.inf),
}
"""Parameters in billions: more than the first, and the second at most."""

ANY_SIZE: Final = "all"
NO_SIZE: Final = "unknown"
SIZE: Final = Choice("size", (ANY_SIZE, *SIZES, NO_SIZE))

FILTERS: Final = (SEARCH, SIZE, OPEN, VERIFIED)

Shown = TypeVar("Shown", Row, Entry)


def searched(name: str, view: View) -> bool:
    """Tell whether every word that is searched for is in a name, whatever the case of its letters."""
    there = _plain(name)
    return all(word in there for word in _plain(view.text(SEARCH.name)).split())


def found(rows: Iterable[Shown], view: View) -> list[Shown]:
    """Return the rows that a view shows, in their order."""
    return [row for row in rows if _shown(row.entry if isinstance(row, Row) else row, view)]


def _shown(entry: Entry, view: View) -> bool:
    chosen = view.names(OPEN.name)
    return (
        searched(f"{entry.model} {entry.revision or ''} {entry.id}", view)
        and _of_size(entry.parameters, view.text(SIZE.name))
        # All boxes set is no filter: nobody may have said whether a model is open.
        and (set(chosen) == set(OPENNESS) or entry.weights in chosen)
        and (not view.flag(VERIFIED.name) or entry.badge == "verified")
    )


def _of_size(parameters: float | None, size: str) -> bool:
    if size == ANY_SIZE:
        return True
    if parameters is None:
        return size == NO_SIZE
    low, high = SIZES.get(size, (math.inf, math.inf))
    return low < parameters <= high


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()

"""What the pages' scripts and programs are answered: made once for each view of each board, kept packed."""

import gzip
import hashlib
from collections.abc import Callable, Hashable, Mapping
from typing import TYPE_CHECKING, Final

import orjson

from leaderboard.board.downloads import Download
from leaderboard.kept import Kept
from leaderboard.live import LiveBoard
from leaderboard.views import View

if TYPE_CHECKING:
    from leaderboard.pages.shell import Page

KEPT_BYTES: Final = 48 << 20
"""Of answers, packed, that are kept for the next who asks for the same."""

_LEVEL: Final = 3


class Packed:
    """An answer as it is sent, by gzip, and the hash that it is known by."""

    __slots__ = ("content", "tag")

    def __init__(self, plain: bytes) -> None:
        # Without a time the same content has the same bytes.
        self.content = gzip.compress(plain, _LEVEL, mtime=0)
        self.tag = f'"{hashlib.sha256(plain).hexdigest()[:32]}"'

    @property
    def plain(self) -> bytes:
        """The answer unpacked."""
        return gzip.decompress(self.content)

    def __len__(self) -> int:
        return len(self.content)


class Answers:
    """The answers of all pages about the board as it is."""

    def __init__(self, live: LiveBoard) -> None:
        self._live = live
        self._kept: Kept[Packed] = Kept(KEPT_BYTES, len)

    def ready(self, page: "Page", told: Mapping[str, str], changed: frozenset[str] | None) -> Packed | None:
        """Return what `view` would, where that takes no time; None where it must be made."""
        board = self._live.fresh
        if board is None:
            return None
        return self._kept.find((board.state, page.view(board, told).key, changed))

    def view(self, page: "Page", told: Mapping[str, str], changed: frozenset[str] | None) -> Packed:
        """Return what the script of a page needs to show the view that a link tells of, as JSON."""
        view = page.view(self._live.now(), told)
        return self._made(view, changed, lambda: orjson.dumps(page.drawn(view, changed)))

    def csv(self, page: "Page", name: str, told: Mapping[str, str]) -> Packed:
        """Return a table in the view that a link tells of, as the bytes of a CSV file."""
        view = page.view(self._live.now(), told)
        return self._made(view, f"{name}.csv", lambda: page.tables[name](view).csv())

    def json(self, page: "Page", name: str, told: Mapping[str, str]) -> Packed:
        """Return the same as the bytes of a JSON file."""
        view = page.view(self._live.now(), told)
        return self._made(view, f"{name}.json", lambda: page.tables[name](view).json())

    def data(self, page: "Page", name: str, told: Mapping[str, str]) -> Packed:
        """Return the same for programs, see `as_data`; JunkError for what no field takes."""
        view = page.view(self._live.now(), told, strict=True)
        return self._made(view, name, lambda: as_data(page.tables[name](view)))

    def _made(self, view: View, what: Hashable, make: Callable[[], bytes]) -> Packed:
        key = (view.board.state, view.key, what)
        found = self._kept.find(key)
        if found is None:
            found = Packed(make())
            self._kept.keep(key, found)
        return found


def as_data(table: Download) -> bytes:
    """Return a table as JSON in one line: what it is of, its `columns`, and `rows` of values in their order.

    Figures have six decimals, and names of columns stand there once, so a large table is quick to send.
    """
    rows = [[round(cell, 6) if isinstance(cell, float) else cell for cell in row] for row in table.rows]
    return orjson.dumps({"table": table.name, **table.about, "columns": table.heads, "rows": rows})

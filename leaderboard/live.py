"""The board as it is now: computed once for each state of the store, and kept until that changes."""

import logging
import threading
import time
from collections.abc import Callable
from typing import Final, Self

from leaderboard.board.records import Board
from leaderboard.store.folder import BoardFolder

EVERY: Final = 1.0
"""Seconds for which the store is taken to be as it was."""

_log = logging.getLogger(__name__)


class LiveBoard:
    """A board that follows its store; many threads may ask for it.

    `assemble` computes the board, `state` says whether it must be computed anew; the latter is asked once a
    second at most. While one thread computes, the others get the board as it was.
    """

    def __init__(self, assemble: Callable[[], Board], state: Callable[[], str], every: float = EVERY) -> None:
        self._assemble = assemble
        self._state = state
        self._every = every
        self._lock = threading.Lock()
        self._board: Board | None = None
        self._known = ""
        self._looked = -float("inf")

    @classmethod
    def of(cls, board: Board) -> Self:
        """Return one that never changes."""
        return cls(lambda: board, lambda: board.state, float("inf"))

    @classmethod
    def of_folder(cls, folder: BoardFolder) -> Self:
        """Return the board in a folder."""
        from leaderboard.board.assemble import assemble

        return cls(lambda: assemble(folder), folder.state)

    @property
    def fresh(self) -> Board | None:
        """The board where it need not be looked at again, None otherwise."""
        return self._board if time.monotonic() - self._looked < self._every else None

    def now(self) -> Board:
        """Return the board; looks at the store where the last look is too long ago."""
        if (board := self.fresh) is not None:
            return board
        # The first board of all is waited for.
        if self._lock.acquire(blocking=self._board is None):
            try:
                return self.fresh or self._followed()
            finally:
                self._lock.release()
        return self._board or self.now()

    def refresh(self) -> Board:
        """Return the board as it is at this moment, for one who has just changed the store."""
        with self._lock:
            return self._followed()

    def _followed(self) -> Board:
        state = self._state()
        if self._board is None:
            self._board = self._assemble()
        elif state != self._known:
            try:
                self._board = self._assemble()
            except Exception:
                # A store that cannot be read for a moment must not take the pages down.
                _log.exception("the board could not be computed anew; the last one stays")
        self._known, self._looked = state, time.monotonic()
        return self._board

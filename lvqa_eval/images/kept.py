"""Finished pictures in memory, up to a budget."""

from collections import OrderedDict
from weakref import WeakValueDictionary

from lvqa_eval.images.picture import Picture


class Kept:
    """Pictures by hash; above `budget` bytes the least recently used goes.

    One that has gone and is still in use elsewhere, as in the history of a conversation, is found again, so
    that no picture is in memory twice.
    """

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._size = 0
        self._recent: OrderedDict[str, Picture] = OrderedDict()
        self._alive: WeakValueDictionary[str, Picture] = WeakValueDictionary()

    @property
    def size(self) -> int:
        """The bytes of what is kept."""
        return self._size

    def get(self, sha256: str) -> Picture | None:
        """Return the picture, now the most recently used; None where it is gone."""
        if sha256 in self._recent:
            self._recent.move_to_end(sha256)
            return self._recent[sha256]
        picture = self._alive.get(sha256)
        if picture is not None:
            self._insert(picture)
        return picture

    def add(self, picture: Picture) -> Picture:
        """Keep `picture`; returns the one that is there already where there is one."""
        there = self.get(picture.sha256)
        if there is None:
            self._alive[picture.sha256] = picture
            self._insert(picture)
        return there or picture

    def _insert(self, picture: Picture) -> None:
        self._recent[picture.sha256] = picture
        self._size += picture.size
        while self._size > self._budget:
            _, oldest = self._recent.popitem(last=False)
            self._size -= oldest.size

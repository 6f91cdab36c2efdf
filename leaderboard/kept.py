"""What was made once and may be asked for again, up to a number of bytes; the least used goes first."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Final, Generic, TypeVar

Made = TypeVar("Made")

ENTRY: Final = 1000
"""Bytes that an entry takes beside what it holds."""


class Kept(Generic[Made]):
    """A bounded memory of results by key; many threads may ask. `size` tells how many bytes one takes."""

    def __init__(self, most: int, size: Callable[[Made], int]) -> None:
        self._most = most
        self._size = size
        self._held: OrderedDict[Hashable, Made] = OrderedDict()
        self._lock = threading.Lock()
        self.bytes = 0

    def find(self, key: Hashable) -> Made | None:
        """Return what is kept under a key, None for nothing."""
        with self._lock:
            found = self._held.get(key)
            if found is not None:
                self._held.move_to_end(key)
            return found

    def keep(self, key: Hashable, made: Made) -> None:
        """Keep something under a key; one that is too large for the whole is not kept."""
        with self._lock:
            before = self._held.pop(key, None)
            if before is not None:
                self.bytes -= self._size(before) + ENTRY
            self._held[key] = made
            self.bytes += self._size(made) + ENTRY
            while self.bytes > self._most:
                _, gone = self._held.popitem(last=False)
                self.bytes -= self._size(gone) + ENTRY

    def __len__(self) -> int:
        return len(self._held)

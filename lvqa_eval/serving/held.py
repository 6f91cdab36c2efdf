"""Which pictures an endpoint is known to hold, so that they can be sent by reference."""

from collections.abc import Iterable, Sequence

from lvqa_eval.images import Picture
from lvqa_eval.serving.request import Message

MOST = 8192
"""Hashes remembered of one endpoint; a server's own cache of decoded pictures is smaller by default."""


class HeldPictures:
    """The hashes of the pictures last sent to one endpoint, as its least-recently-used cache has them.

    A wrong memory costs one more request: the server says that it misses a picture, and gets it whole.
    """

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._hashes: dict[str, None] = {}

    def __len__(self) -> int:
        return len(self._hashes)

    def among(self, hashes: Iterable[str]) -> frozenset[str]:
        """Return the hashes of those pictures that the endpoint holds."""
        return frozenset(sha256 for sha256 in hashes if sha256 in self._hashes)

    def add(self, hashes: Iterable[str]) -> None:
        """Learn that the endpoint took these pictures; those unused longest are forgotten."""
        for sha256 in hashes:
            self._hashes.pop(sha256, None)
            self._hashes[sha256] = None
        while len(self._hashes) > self._most:
            del self._hashes[next(iter(self._hashes))]

    def forget(self, hashes: Iterable[str]) -> None:
        """Learn that the endpoint has lost pictures."""
        for sha256 in hashes:
            self._hashes.pop(sha256, None)


def referable(messages: Sequence[Message]) -> list[str]:
    """Return the hashes of the pictures in `messages` that can go by reference."""
    return [
        piece.sha256
        for message in messages
        for piece in message
        if isinstance(piece, Picture) and piece.reference is not None
    ]

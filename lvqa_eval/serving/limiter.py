"""How many requests an endpoint is given at once, and which of those that wait goes next.

The limit follows the congestion control of TCP (RFC 5681). It begins small and grows by one with each
answer, so that it doubles in a round trip (slow start). The first sign of too much load halves it and ends
slow start; from then on it grows by one in a round trip, and each further sign halves it. Halving is harsh on
purpose: under a limit that is too low a run loses time, under one that is too high it loses conversations. A
round trip brings one decrease at most: signs of requests that went out before the last decrease tell nothing
new. The limit grows only while it binds, since what was not in use has proved nothing.

Nothing here reads a clock.
"""

import asyncio
import heapq
from enum import Enum, auto
from itertools import count

START = 32
"""The limit of a new endpoint."""


class Sign(Enum):
    """What the end of a request tells of the endpoint's load."""

    ROOM = auto()
    OVERLOAD = auto()
    NOTHING = auto()


class Window:
    """The limit as a number: `send` numbers the requests, `ended` learns from how each came out."""

    def __init__(self, ceiling: int, start: int = START) -> None:
        if ceiling < 1:
            raise ValueError(f"concurrency: found {ceiling}, allowed: 1 or more")
        self._ceiling = ceiling
        self._size = float(min(start, ceiling))
        self._slow_start = True
        self._sent = self._sent_at_decrease = 0

    @property
    def limit(self) -> int:
        """The number of requests that may be in flight."""
        return int(self._size)

    def send(self) -> int:
        """Return the number of a request that goes out now."""
        self._sent += 1
        return self._sent

    def ended(self, number: int, sign: Sign, *, full: bool) -> None:
        """Learn from the end of request `number`; `full` tells whether the limit was all in use."""
        if sign is Sign.ROOM and full:
            step = 1.0 if self._slow_start else 1.0 / self._size
            self._size = min(self._size + step, float(self._ceiling))
        elif sign is Sign.OVERLOAD and number > self._sent_at_decrease:
            self._size = max(self._size / 2, 1.0)
            self._slow_start = False
            self._sent_at_decrease = self._sent


class Limiter:
    """The slots of one endpoint: the lowest order first, in the order of asking among equals.

    Slots that come free are given out at the end of the event loop's turn, so that a conversation which has
    just been answered can ask for its next turn before a later one gets the slot. Where slots are short, only
    about as many conversations are begun as there are slots, and the server's caches keep their prefixes.
    """

    def __init__(self, ceiling: int, start: int = START) -> None:
        self._window = Window(ceiling, start)
        self._waiting: list[tuple[int, int, asyncio.Future[int]]] = []
        self._asked = count()
        self._in_flight = self._pauses = 0
        self._due = False

    @property
    def limit(self) -> int:
        """The number of requests that may be in flight now."""
        return self._window.limit

    async def take(self, order: int) -> int:
        """Wait for a slot; returns the request's number, with which `give` returns the slot."""
        if self._has_room() and (not self._waiting or order < self._waiting[0][0]):
            self._in_flight += 1
            return self._window.send()
        turn = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (order, next(self._asked), turn))
        try:
            number: int = await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # given a slot in the moment of being cancelled
                self.give(turn.result(), Sign.NOTHING)
            raise
        return number

    def give(self, number: int, sign: Sign) -> None:
        """Return the slot of request `number`, with what its end tells."""
        full = bool(self._waiting) or self._in_flight >= self._window.limit
        self._in_flight -= 1
        self._window.ended(number, sign, full=full)
        self._share_soon()

    def pause(self) -> None:
        """Give no slots until `resume` has been called as often as `pause`; requests in flight go on."""
        self._pauses += 1

    def resume(self) -> None:
        """End one pause."""
        self._pauses -= 1
        self._share_soon()

    def _has_room(self) -> bool:
        return not self._pauses and self._in_flight < self._window.limit

    def _share_soon(self) -> None:
        if self._waiting and not self._due:
            self._due = True
            asyncio.get_running_loop().call_soon(self._share)

    def _share(self) -> None:
        self._due = False
        while self._waiting and self._has_room():
            _, _, turn = heapq.heappop(self._waiting)
            if not turn.done():
                self._in_flight += 1
                turn.set_result(self._window.send())

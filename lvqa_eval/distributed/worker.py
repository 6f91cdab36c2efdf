"""The worker's side: does units of work, many at once, and keeps what came of them until it is fetched."""

import asyncio
import socket
import traceback
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from lvqa_eval.distributed.schedule import Unit
from lvqa_eval.errors import LvqaError


class LabourLostError(Exception):
    """What a worker works with is gone (its server, say): another, or this one started anew, must go on."""


@dataclass(frozen=True)
class Started:
    """A worker is ready. `fact` is what must be equal on all workers, `host` the machine's name."""

    fact: Any
    host: str


@dataclass(frozen=True)
class Refused:
    """A worker cannot take part: one line for each reason."""

    problems: tuple[str, ...]
    host: str


@dataclass(frozen=True)
class Came:
    """The result of one item; one that is not `settled` is worth another attempt if its worker is lost."""

    unit: int
    place: int
    result: Any
    settled: bool


@dataclass(frozen=True)
class Noted:
    """Something that a worker tells beside its results."""

    note: Any


@dataclass(frozen=True)
class Done:
    """A unit is finished."""

    unit: int


@dataclass(frozen=True)
class Lost:
    """The worker is of no more use as it is."""

    words: str


@dataclass(frozen=True)
class Failed:
    """The work cannot go on anywhere; `known` tells an error that a user can mend from a fault of ours."""

    words: str
    known: bool


Event = Came | Noted | Done | Lost | Failed

Item = TypeVar("Item")
Item_contra = TypeVar("Item_contra", contravariant=True)


class Give(Protocol):
    """Takes the result of the item at `place`."""

    def __call__(self, place: int, result: Any, *, settled: bool = True) -> None:
        """Hand over one result."""


class Note(Protocol):
    """Takes what is told beside the results."""

    def __call__(self, note: Any) -> None:
        """Hand over one note."""


class Labour(Protocol[Item_contra]):
    """What a worker does; it travels to the worker by pickle before it is started.

    LvqaError in any step means that the run cannot go on, LabourLostError that this worker cannot.
    """

    async def start(self, demand: Any, note: Note) -> Any:
        """Make ready, or check again for another demand; return what must be equal on all workers."""

    async def work(self, items: Iterator[tuple[int, Item_contra]], give: Give) -> None:
        """Do every item; `items` may end early."""

    async def stop(self) -> None:
        """Give back what was opened; called also after a start that failed."""


class Worker(Generic[Item]):
    """One worker; every method but the first is a coroutine of one event loop."""

    def __init__(self, labour: Labour[Item]) -> None:
        self._labour = labour
        self._events: list[Event] = []
        self._news = asyncio.Event()
        self._units: set[asyncio.Task[None]] = set()
        self._draining = False

    async def host(self) -> str:
        """Return the name of the machine."""
        return socket.gethostname()

    async def start(self, demand: Any) -> Started | Refused:
        """Make ready."""
        try:
            fact = await self._labour.start(demand, self._noted)
        except (LvqaError, LabourLostError) as error:
            problems = getattr(error, "problems", None) or [str(error)]
            return Refused(tuple(problems), await self.host())
        return Started(fact, await self.host())

    async def give(self, unit: Unit[Item]) -> None:
        """Begin with a unit, beside those that are under way."""
        task = asyncio.create_task(self._do(unit))
        self._units.add(task)
        task.add_done_callback(self._units.discard)

    async def events(self) -> list[Event]:
        """Wait until something has happened since the last call, and return it in order."""
        await self._news.wait()
        self._news.clear()
        events, self._events = self._events, []
        return events

    async def drain(self) -> None:
        """Begin no further item; those under way are finished."""
        self._draining = True

    async def stop(self) -> None:
        """End everything that is under way."""
        for task in list(self._units):
            task.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.gather(*self._units, return_exceptions=True)
        await self._labour.stop()

    async def _do(self, unit: Unit[Item]) -> None:
        def give(place: int, result: Any, *, settled: bool = True) -> None:
            self._tell(Came(unit.number, place, result, settled))

        try:
            await self._labour.work(self._items(unit), give)
        except LabourLostError as error:
            self._tell(Lost(str(error)))
        except LvqaError as error:
            self._tell(Failed(str(error), known=True))
        except Exception:
            # The traceback is text, since not every exception survives the way to the driver.
            self._tell(Failed(traceback.format_exc(), known=False))
        else:
            self._tell(Done(unit.number))

    def _items(self, unit: Unit[Item]) -> Iterator[tuple[int, Item]]:
        for numbered in unit.items.items():
            if self._draining:
                return
            yield numbered

    def _noted(self, note: Any) -> None:
        self._tell(Noted(note))

    def _tell(self, event: Event) -> None:
        self._events.append(event)
        self._news.set()

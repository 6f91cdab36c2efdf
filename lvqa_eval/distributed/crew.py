"""The driver's side: starts workers, hands out units, takes results in, makes good for lost workers."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, Generic, Protocol, TypeVar

from lvqa_eval.distributed.schedule import Schedule, Unit
from lvqa_eval.distributed.worker import Came, Done, Event, Failed, Lost, Noted, Refused, Started
from lvqa_eval.errors import LvqaError

Item = TypeVar("Item")

PAUSES = (10.0, 30.0, 60.0)
"""Seconds before each new start of a lost worker, in a row; a unit that it finishes begins the row anew."""

_STOP_PATIENCE = 40.0  # above the time that a server is given to end


class HandLostError(Exception):
    """A worker's process or its machine is gone."""


class RefusedError(LvqaError, RuntimeError):
    """Workers that cannot take part, or that differ; `problems` has a line for each reason."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


class CrewGoneError(LvqaError, RuntimeError):
    """No worker is left, and none can be started again; what came before is kept."""


class Hand(Protocol[Item]):
    """The driver's hold on one worker, as the methods of Worker; what is awaited raises HandLostError."""

    async def start(self, demand: Any) -> Started | Refused:
        """Make the worker ready."""

    def give(self, unit: Unit[Item]) -> None:
        """Give it a unit."""

    async def events(self) -> list[Event]:
        """Wait for what happens next."""

    def drain(self) -> None:
        """Have it begin nothing more."""

    async def stop(self) -> None:
        """End what it does."""

    def kill(self) -> None:
        """End its process, whatever state it is in."""


class Taking(Protocol):
    """What becomes of results and notes, and whether more are wanted."""

    def keep(self, result: Any) -> None:
        """Take one result."""

    def note(self, note: Any) -> None:
        """Take one note."""

    def goes_on(self) -> bool:
        """Tell whether further items are to be begun; asked after each result."""


class Crew(Generic[Item]):
    """Workers 1 to `size`; `hire` makes the hand of one, also in place of one that was lost.

    `room` is the number of unfinished items that a worker holds before it is given no more.
    """

    def __init__(
        self,
        hire: Callable[[int], Hand[Item]],
        size: int,
        room: int,
        tell: Callable[[str], None],
        pauses: Sequence[float],
    ) -> None:
        self._hire, self._room, self._tell, self._pauses = hire, room, tell, tuple(pauses)
        self._hands = {number: hire(number) for number in range(1, size + 1)}
        self._losses: dict[int, int] = defaultdict(int)
        self._demand: Any = None
        self._fact: Any = None

    async def start(self, demand: Any) -> Any:
        """Make every worker ready and return their common fact; raises RefusedError with all problems.

        It may be called again with another demand.
        """
        self._demand = demand
        numbers = list(self._hands)
        answers = await asyncio.gather(*[self._answer(number) for number in numbers])
        facts: dict[str, Any] = {}
        problems: dict[str, list[str]] = {}
        for number, answer in zip(numbers, answers, strict=True):
            name = f"worker {number} ({answer.host})" if answer.host else f"worker {number}"
            if isinstance(answer, Started):
                facts[name] = answer.fact
            else:
                for problem in answer.problems:
                    problems.setdefault(problem, []).append(name)
        if problems:
            raise RefusedError([f"{_some(names)}: {problem}" for problem, names in problems.items()])
        self._fact = next(iter(facts.values()))
        if any(fact != self._fact for fact in facts.values()):
            found = "; ".join(f"{name}: {fact}" for name, fact in facts.items())
            raise RefusedError([f"workers: they differ, and one run needs equal ones: {found}"])
        return self._fact

    async def work(self, units: Iterable[Unit[Item]], taking: Taking) -> None:
        """Have every unit done; a result that is not settled is kept once its unit is finished.

        Raises CrewGoneError where no worker is left, and what a worker says ends the work.
        """
        shift = _Shift(Schedule(units, self._room), self._hands, taking)
        if shift.schedule.over:
            return
        over = asyncio.create_task(shift.over.wait())
        serving = {asyncio.create_task(self._serve(number, shift)) for number in self._hands}
        waiting = {over, *serving}
        try:
            while not over.done() and len(waiting) > 1:
                done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()
        finally:
            for task in (over, *serving):
                task.cancel()
            await asyncio.gather(over, *serving, return_exceptions=True)
        if not shift.over.is_set():
            raise CrewGoneError(
                "no worker is left; what was done is kept: the same command goes on, with or without --ray"
            )

    async def stop(self) -> None:
        """End every worker: in order where it answers, by force where not."""
        stops = [asyncio.create_task(_stopped(hand)) for hand in self._hands.values()]
        try:
            await asyncio.wait(stops, timeout=_STOP_PATIENCE)
        finally:
            for hand in self._hands.values():
                hand.kill()

    async def _answer(self, number: int) -> Started | Refused:
        try:
            return await self._hands[number].start(self._demand)
        except HandLostError as error:
            return Refused((str(error),), host="")

    async def _serve(self, number: int, shift: "_Shift[Item]") -> None:
        """Keep one worker busy until nothing is left, starting it anew when it is lost."""
        while True:
            shift.schedule.join(number)
            shift.fill()
            try:
                while True:
                    events = await self._hands[number].events()
                    # What came in the same moment as a loss is not lost.
                    for event in sorted(events, key=lambda event: isinstance(event, Lost)):
                        if isinstance(event, Done):
                            self._losses[number] = 0
                        shift.take(number, event)
                    shift.fill()
            except HandLostError as error:
                shift.leave(number)
                if not await self._again(number, str(error)):
                    return

    async def _again(self, number: int, words: str) -> bool:
        """Start a lost worker anew; returns whether it is ready."""
        self._tell(f"worker {number} is lost, others take over what it held: {words}")
        while self._losses[number] < len(self._pauses):
            await self._end(number)
            pause = self._pauses[self._losses[number]]
            self._losses[number] += 1
            await asyncio.sleep(pause)
            self._hands[number] = self._hire(number)
            answer = await self._answer(number)
            if isinstance(answer, Started) and answer.fact == self._fact:
                self._tell(f"worker {number} is back, on {answer.host}")
                return True
            if isinstance(answer, Started):
                words = f"it differs from the others now: {answer.fact}, not {self._fact}"
            else:
                words = "\n".join(answer.problems)
        await self._end(number)
        self._tell(f"worker {number} is given up: {words}")
        return False

    async def _end(self, number: int) -> None:
        hand = self._hands[number]
        with suppress(TimeoutError):
            # A server that still holds its GPU would be in the way of the next one.
            await asyncio.wait_for(_stopped(hand), _STOP_PATIENCE)
        hand.kill()


class _Shift(Generic[Item]):
    """One piece of work that a crew does: what is given out, and what came so far."""

    def __init__(self, schedule: Schedule[Item], hands: dict[int, Hand[Item]], taking: Taking) -> None:
        self.schedule = schedule
        self.over = asyncio.Event()
        self._hands, self._taking = hands, taking
        self._unsettled: dict[tuple[int, int], list[Any]] = defaultdict(list)
        self._stopped = False

    def fill(self) -> None:
        """Give out what can be given out, or see that all is over."""
        while (given := self.schedule.next()) is not None:
            worker, unit = given
            self._hands[worker].give(unit)
        if self.schedule.over:
            self.over.set()

    def take(self, worker: int, event: Event) -> None:
        """Act on what a worker tells."""
        match event:
            case Came(unit, place, result, settled=True):
                self._taking.keep(result)
                self.schedule.came(worker, unit, place)
                self._ask()
            case Came(unit, _, result):
                self._unsettled[worker, unit].append(result)
            case Noted(note):
                self._taking.note(note)
            case Done(unit):
                for result in self._unsettled.pop((worker, unit), []):
                    self._taking.keep(result)
                self.schedule.finished(worker, unit)
            case Lost(words):
                raise HandLostError(words)
            case Failed(words, known):
                raise LvqaError(words) if known else RuntimeError(words)

    def leave(self, worker: int) -> None:
        """Give back what a lost worker held; what was not settled is done anew."""
        for held in [held for held in self._unsettled if held[0] == worker]:
            del self._unsettled[held]
        self.schedule.leave(worker)
        self.fill()

    def _ask(self) -> None:
        if not self._stopped and not self._taking.goes_on():
            self._stopped = True
            self.schedule.stop()
            for hand in self._hands.values():
                hand.drain()


async def _stopped(hand: Hand[Any]) -> None:
    with suppress(HandLostError):
        await hand.stop()


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")

"""Work on many files in processes, where a file may crash its process or keep it busy for ever."""

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import connection, get_context, parent_process
from typing import TypeVar

Unit = TypeVar("Unit")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Lost:
    """A unit that ended its process: it crashed it, or took more than `seconds`."""

    seconds: int

    @property
    def detail(self) -> str:
        """What a person should know."""
        return f"its process crashed, or took more than {self.seconds} s"


def core_count() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0))


def in_processes(
    function: Callable[[Unit], Result], units: Sequence[Unit], workers: int | None, seconds: int
) -> Iterator[tuple[int, Result | Lost]]:
    """Yield (index of the unit, result of `function` for it) in the order in which the units end.

    `function` and the units must be picklable; an exception of `function` is raised here. `workers` is the
    number of processes, None for one a core. Whatever a process was at when it died is tried again in a
    process of its own, so that one bad unit costs no other.
    """
    # Processes are forked from one that has imported what the function needs: they start in no time.
    context = get_context("forkserver")
    context.set_forkserver_preload([function.__module__])
    waiting = deque(enumerate(units))
    while waiting:
        crew = min(workers or core_count(), len(waiting))
        suspects = yield from _until_one_dies(function, waiting, crew, seconds)
        for index in suspects:
            alone = deque([(index, units[index])])
            if (yield from _until_one_dies(function, alone, 1, seconds)):
                yield index, Lost(seconds)


def _until_one_dies(
    function: Callable[[Unit], Result], waiting: "deque[tuple[int, Unit]]", workers: int, seconds: int
) -> Generator[tuple[int, Result], None, list[int]]:
    """Take units from `waiting` until there are none, or a process dies; return what was begun and lost."""
    flying: dict[Future[Result], int] = {}
    pool = ProcessPoolExecutor(workers, mp_context=get_context("forkserver"), initializer=_begin)
    try:
        while waiting or flying:
            # Few at a time: all that have been handed out are suspects when a process dies.
            while waiting and len(flying) < workers + 1:
                index, unit = waiting.popleft()
                flying[pool.submit(_timed, function, unit, seconds)] = index
            lost = []
            for future in wait(flying, return_when=FIRST_COMPLETED).done:
                index = flying.pop(future)
                try:
                    yield index, future.result()
                except BrokenProcessPool:
                    lost.append(index)
            if lost:
                return sorted([*lost, *flying.values()])
        return []
    except BrokenProcessPool:  # from submit: a process died between two looks
        waiting.appendleft((index, unit))
        return sorted(flying.values())
    finally:
        pool.shutdown(cancel_futures=True)


def _begin() -> None:
    """Prepare a process: it leaves Ctrl-C to its parent, ends with it, and uses one core."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ["OMP_THREAD_LIMIT"] = "1"
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    # A pool's process waits for ever for work from a parent that was killed.
    connection.wait([sentinel])
    os._exit(1)


def _timed(function: Callable[[Unit], Result], unit: Unit, seconds: int) -> Result:
    # The alarm's default action ends the process also where a library is at work and hears no exception.
    signal.alarm(seconds)
    try:
        return function(unit)
    finally:
        signal.alarm(0)

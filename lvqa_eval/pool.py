"""A fixed pool of workers over one ordered stream, on one thread."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

Item = TypeVar("Item")


async def for_each(items: Iterable[Item], do: Callable[[Item], Awaitable[None]], in_flight: int) -> None:
    """Call `do` on every item, at most `in_flight` at once, started in the order of `items`.

    The first exception of one ends all others and is raised as itself. Raises ValueError for an `in_flight`
    below 1.
    """
    if in_flight < 1:
        raise ValueError(f"in flight: found {in_flight}, allowed: 1 or more")
    stream = iter(items)

    async def work() -> None:
        # One iterator feeds all workers; they share a thread, so taking the next item needs no lock.
        for item in stream:
            await do(item)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(in_flight):
                group.create_task(work())
    except ExceptionGroup as failures:
        # Workers often meet the same wall (a server that is gone); one of them is enough to tell of it.
        raise _first(failures) from None


def _first(failures: ExceptionGroup[Exception]) -> Exception:
    error: Exception = failures
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return error

"""From a plan to conversations in the store: a fixed pool of workers pulls from one ordered stream."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator

from lvqa_eval.plan import Plan, Work
from lvqa_eval.runs.store import RunStore
from lvqa_eval.simulation.conversation import Assistant, Setting
from lvqa_eval.statuses import Status


async def hold(
    plan: Plan,
    setting: Setting,
    assistant: Assistant,
    store: RunStore,
    *,
    in_flight: int,
    advance: Callable[[], None] = lambda: None,
) -> Counter[Status]:
    """Hold every conversation of `plan` that the store lacks; returns how many ended with each status.

    At most `in_flight` are held at once. Each is appended when it ends, so a kill at any moment loses only
    those in flight. An error of one (a server that is gone, a full disk) ends all; what is done is kept.
    """
    finished = store.finished()
    stream = iter([work for work in plan.work() if work.key not in finished])
    counts: Counter[Status] = Counter()
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(in_flight):
                group.create_task(_work(stream, setting, assistant, store, counts, advance))
    except* Exception as failures:
        # Each worker meets the same wall; one of them is enough to tell of it.
        raise _first(failures) from None
    return counts


async def _work(
    stream: Iterator[Work],
    setting: Setting,
    assistant: Assistant,
    store: RunStore,
    counts: Counter[Status],
    advance: Callable[[], None],
) -> None:
    # One iterator feeds all workers; asyncio runs them on one thread, so `next` needs no lock.
    for work in stream:
        record = await setting.converse(work.row, work.run, assistant)
        store.append(record)
        counts[record.status] += 1
        advance()


def _first(failures: BaseExceptionGroup[BaseException]) -> BaseException:
    error: BaseException = failures
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error

"""From a plan to conversations in the store."""

from collections import Counter
from collections.abc import Callable

from lvqa_eval.plan import Plan, Work
from lvqa_eval.pool import for_each
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
    counts: Counter[Status] = Counter()

    async def one(numbered: tuple[int, Work]) -> None:
        order, work = numbered
        record = await setting.converse(work.row, work.run, assistant, order=order)
        store.append(record)
        counts[record.status] += 1
        advance()

    waiting = (work for work in plan.work() if work.key not in finished)
    await for_each(enumerate(waiting), one, in_flight)
    return counts

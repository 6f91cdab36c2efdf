"""From work to conversations, many in flight."""

from collections.abc import Callable, Iterable

from lvqa_eval.plan import Work
from lvqa_eval.pool import for_each
from lvqa_eval.runs.records import ConversationRecord
from lvqa_eval.simulation.conversation import Assistant, Setting

Keep = Callable[[ConversationRecord], None]


async def hold(
    work: Iterable[tuple[int, Work]], setting: Setting, assistant: Assistant, keep: Keep, *, in_flight: int
) -> None:
    """Hold every conversation of `work`, which numbers them in their order; `keep` is given each as it ends.

    At most `in_flight` are held at once, so a kill at any moment loses only so many. An error of one (a
    server that is gone, a full disk) ends all; what is kept is kept.
    """

    async def one(numbered: tuple[int, Work]) -> None:
        order, what = numbered
        keep(await setting.converse(what.row, what.run, assistant, order=order))

    await for_each(work, one, in_flight)

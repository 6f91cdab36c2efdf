"""One conversation: every scheduled turn is delivered, each reply appended, whatever it says.

The history only grows and its bytes never change, so a server's prefix cache holds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from lvqa_eval.benchmarks import Benchmark
from lvqa_eval.images import PictureStore
from lvqa_eval.prompts import Prompt
from lvqa_eval.runs.records import ConversationRecord, Key, TurnRecord
from lvqa_eval.scheduled import ScheduledDataset, ScheduledRow
from lvqa_eval.seeds import seed_of
from lvqa_eval.serving.request import DIRECT, Message, Route
from lvqa_eval.simulation.messages import text_message, turn_pictures, user_message
from lvqa_eval.simulation.replies import Reply
from lvqa_eval.simulation.users import Said, User
from lvqa_eval.statuses import EXCLUDED, Status


class Assistant(Protocol):
    """The model under test, as a conversation needs it."""

    async def complete(self, messages: Sequence[Message], *, seed: int, route: Route = DIRECT) -> Reply:
        """Answer `messages`."""
        ...


@dataclass(frozen=True)
class Setting:
    """What all conversations of a run share.

    `seed` is the run's; every request has its own, derived from it. `endpoints` is the number of servers:
    a conversation stays with one of them.
    """

    benchmark: Benchmark
    dataset: ScheduledDataset
    pictures: PictureStore
    user: User
    prompts: Mapping[str, Prompt]
    seed: int
    endpoints: int = 1

    async def converse(
        self, row: ScheduledRow, run: int, assistant: Assistant, *, order: int = 0
    ) -> ConversationRecord:
        """Deliver every turn of `row` to `assistant`; a transport failure or an overflow ends it at once."""
        key = Key(row.condition, row.question_id, run)
        route = Route(request_seed(0, key, 0) % self.endpoints, order)
        talk = self.user.begin(row, key, route)
        contract = self.benchmark.contract(row)
        messages = [] if contract is None else [text_message("system", self.prompts[contract].text)]
        turns: list[TurnRecord] = []
        for index in range(len(row.turns)):
            said = await talk.say(index, turns)
            seed = request_seed(self.seed, key, index + 1)
            if said.failure is None:
                messages.append(await self._message(row, index, said.text))
                reply = await assistant.complete(messages, seed=seed, route=route)
                if index == len(row.turns) - 1:
                    reply = self._held_to_its_form(row, reply)
            else:
                reply = said.failure
            turns.append(_turn_record(row, index, said, seed, reply))
            if reply.status in EXCLUDED:
                break
            messages.append(text_message("assistant", reply.text or ""))
        return ConversationRecord(*key, turns[-1].status, tuple(turns), row.misalignment)

    def _held_to_its_form(self, row: ScheduledRow, reply: Reply) -> Reply:
        breach = self.benchmark.breach(row, reply.text or "") if reply.status is Status.OK else None
        return reply if breach is None else replace(reply, status=Status.UNPARSABLE, error=breach)

    async def _message(self, row: ScheduledRow, turn: int, words: str) -> Message:
        labels = (self.prompts[name] for name in self.benchmark.labels)
        factor = self.benchmark.factor(row.condition)
        shown = await turn_pictures(self.dataset, row, turn, self.pictures, *labels, factor=factor)
        return user_message(shown, words)


def request_seed(run_seed: int, key: Key, turn: int) -> int:
    """Return the seed of one request: the first 31 bits of a SHA-256 over everything that names it."""
    return seed_of(f"{run_seed}:{key.run}:{key.question_id}:{key.condition}:{turn}")


def _turn_record(row: ScheduledRow, index: int, said: Said, seed: int, reply: Reply) -> TurnRecord:
    scheduled = row.turns[index]
    return TurnRecord(
        user=said.text,
        question=scheduled.question,
        shards=said.shards,
        layers=scheduled.layers,
        composite=scheduled.composite,
        seed=seed,
        status=reply.status,
        reply=reply.text,
        thinking=reply.thinking,
        finish_reason=reply.finish_reason,
        prompt_tokens=reply.prompt_tokens,
        completion_tokens=reply.completion_tokens,
        cached_tokens=reply.cached_tokens,
        error=reply.error,
        logprobs=reply.logprobs,
        user_fallback=said.fallback,
        user_prompt_tokens=said.prompt_tokens,
        user_completion_tokens=said.completion_tokens,
    )

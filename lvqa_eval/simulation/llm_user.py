"""The user that a model plays: it tells the shards in words of its own, in an order of its own.

It speaks in `sharded-q`, `recap-q` and `snowball-q`; everywhere else the schedule's text is said. What it
knows are the shards and the conversation so far, as text; it sees no picture and no reference answer.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from lvqa_eval.dataset import Row, Shard
from lvqa_eval.prompts import load_prompt
from lvqa_eval.runs.records import Key, TurnRecord
from lvqa_eval.scheduled import ScheduledRow
from lvqa_eval.seeds import seed_of
from lvqa_eval.serving.request import Message, RequestBody, Route, Sampling
from lvqa_eval.serving.structured import held_to
from lvqa_eval.simulation.messages import text_message
from lvqa_eval.simulation.replies import Reply
from lvqa_eval.simulation.reveals import BadReplyError, Reveal, read_reveal, reveal_schema, with_earlier
from lvqa_eval.simulation.users import Said, ScriptedTalk, Speaker, Talk
from lvqa_eval.statuses import EXCLUDED, Status

SIMULATED = ("sharded-q", "recap-q", "snowball-q")
"""The conditions in which a model speaks for the user."""

ATTEMPTS = 2
"""A bad reply is asked for once more, in other words; then the schedule's text is said."""

PROMPTS = ("user_first", "user_turn", "user_retry")

_NO_WORDS = {
    Status.TRUNCATED: "it was cut off before its end",
    Status.REFUSED: "it was a refusal",
    Status.EMPTY: "it was empty",
}


def llm_user_identity(sampling: Sampling, structured: bool) -> dict[str, Any]:
    """Return all that the words of a simulated user depend on, besides the model and the run's seed."""
    return {
        "name": "llm",
        "sampling": sampling.fields(),
        "structured": structured,
        "prompts": {name: load_prompt(name).sha256 for name in PROMPTS},
    }


class LlmUser:
    """A user whose words come from `model` by `speaker`, the client of the assistant or another.

    `seed` is the run's. With `structured` the server is asked to hold replies to the contract's JSON schema;
    without it they are only read by it. A reply that breaks the contract (see `read_reveal`), or is cut off,
    empty or refused, is bad: it is asked for once more, then the schedule's text of the next shard is said
    and the turn marked. Nothing that was bad enters the conversation. A request that fails, or does not fit
    the context, ends the conversation with its status: its answer would rest on words of another user.
    """

    def __init__(
        self, speaker: Speaker, model: str, sampling: Sampling, *, seed: int, structured: bool = True
    ) -> None:
        self._speaker = speaker
        self._model, self._sampling = model, sampling
        self._seed, self._structured = seed, structured
        self._prompts = {name: load_prompt(name) for name in PROMPTS}

    def identity(self) -> Mapping[str, Any]:
        """Return the name, the sampling, the hashes of the prompts, and whether output is structured."""
        return llm_user_identity(self._sampling, self._structured)

    def begin(self, row: ScheduledRow, key: Key, route: Route) -> Talk:
        """Return the user's side of one conversation: scripted outside `SIMULATED`, and without shards."""
        if row.condition in SIMULATED and isinstance(row, Row):
            return LlmTalk(self, row, key, route)
        return ScriptedTalk(row)

    async def ask(
        self, key: Key, route: Route, turn: int, left: Sequence[Shard], prompt: str
    ) -> tuple[Reveal | None, list[Reply]]:
        """Return what the model reveals of `left`, None after bad replies or a failure, and its replies.

        Where the last reply has an excluded status, the request failed.
        """
        replies: list[Reply] = []
        body = self._body(left)
        asked = prompt
        for attempt in range(1, ATTEMPTS + 1):
            # The seeds of the assistant's requests are derived from names that begin with a number.
            seed = seed_of(
                f"user:{attempt}:{self._seed}:{key.run}:{key.question_id}:{key.condition}:{turn + 1}"
            )
            message: Message = text_message("user", asked)
            reply = await self._speaker.complete([message], seed=seed, route=route, body=body)
            replies.append(reply)
            if reply.status in EXCLUDED:
                break
            try:
                return _read(reply, left), replies
            except BadReplyError as error:
                asked = f"{prompt}\n\n{self._prompts['user_retry'].fill(problem=error)}"
        return None, replies

    def first_prompt(self, shard: Shard) -> str:
        """Return the prompt of the first turn, which has nothing to choose."""
        return self._prompts["user_first"].fill(left=_listed([shard]))

    def next_prompt(self, told: Sequence[Shard], left: Sequence[Shard], so_far: Sequence[TurnRecord]) -> str:
        """Return the prompt of a later turn."""
        # As text and not as messages: with the roles turned round, templates that want a user's message
        # first would drop the opening, and the model would tell the first shard again.
        conversation = _json_lines(
            {"turn": number, "you": turn.user, "assistant": turn.reply or ""}
            for number, turn in enumerate(so_far, start=1)
        )
        return self._prompts["user_turn"].fill(
            conversation=conversation, told=_listed(told), left=_listed(left)
        )

    def _body(self, left: Sequence[Shard]) -> RequestBody:
        if not self._structured:
            return RequestBody(self._model, self._sampling)
        schema = reveal_schema([shard.id for shard in left], max(len(shard.text) for shard in left))
        return RequestBody(self._model, held_to(self._sampling, "user_turn", schema))


@dataclass(frozen=True)
class LlmTalk:
    """The user's side of one conversation. It keeps no state: what was said stands in the turns so far.

    The number of turns is the schedule's, and each reveals one shard, so no word of either side (such as
    "###STOP###") ends a conversation early. Such marks are not taken out of a message: they were said, and
    reveal fidelity counts them as added.
    """

    user: LlmUser
    row: Row
    key: Key
    route: Route

    async def say(self, turn: int, so_far: Sequence[TurnRecord]) -> Said:
        """Return the words of a turn: of the first shard, of one of those left, or the complete question."""
        scheduled = self.row.turns[turn]
        if not scheduled.shards:
            return Said(scheduled.text, ())
        revealed = [shard for earlier in so_far for shard in earlier.shards]
        told = [shard for shard in self.row.shards if shard.id in revealed]
        left = [shard for shard in self.row.shards if shard.id not in revealed]
        if turn == 0:
            left = left[:1]
            prompt = self.user.first_prompt(left[0])
        else:
            prompt = self.user.next_prompt(told, left, so_far)
        reveal, replies = await self.user.ask(self.key, self.route, turn, left, prompt)
        tokens = _sum(one.prompt_tokens for one in replies), _sum(one.completion_tokens for one in replies)
        if (last := replies[-1]).status in EXCLUDED:
            return Said("", (), False, Reply(last.status, error=f"user: {last.error}"), *tokens)
        said = reveal or Reveal(left[0].id, left[0].text)
        text = said.words
        shards: tuple[int, ...] = (said.shard,)
        if len(scheduled.shards) > 1:  # a snowball: all that was said before comes again
            text, shards = with_earlier(so_far[-1].user, text), (*so_far[-1].shards, said.shard)
        return Said(text, shards, reveal is None, None, *tokens)


def _read(reply: Reply, left: Sequence[Shard]) -> Reveal:
    if reply.status in _NO_WORDS:
        raise BadReplyError(_NO_WORDS[reply.status])
    return read_reveal(reply.text or "", [shard.id for shard in left])


def _listed(shards: Iterable[Shard]) -> str:
    return _json_lines({"shard_id": shard.id, "text": shard.text} for shard in shards)


def _json_lines(objects: Iterable[Mapping[str, Any]]) -> str:
    """Return one object a line; JSON keeps what was said inside its quotes, whatever it says."""
    return "\n".join(orjson.dumps(one).decode() for one in objects)


def _sum(counts: Iterable[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None

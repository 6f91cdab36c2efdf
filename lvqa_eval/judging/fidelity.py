"""Does a simulated user tell the shards that it was given? A judge model rules on each of its messages."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from lvqa_eval.errors import LvqaError
from lvqa_eval.judging.fidelity_records import FidelityLog, FidelityRecord, TurnKey
from lvqa_eval.judging.fidelity_summary import Fidelity, ToldShard, summarise
from lvqa_eval.loose_json import NoObjectError, one_object, shown, truth
from lvqa_eval.pool import for_each
from lvqa_eval.progress import progress
from lvqa_eval.prompts import Prompt, load_prompt
from lvqa_eval.runs.identity import RunIdentity
from lvqa_eval.runs.records import ConversationRecord, QuestionRecord
from lvqa_eval.runs.store import RunStore
from lvqa_eval.seeds import seed_of
from lvqa_eval.serving.request import RequestBody, Sampling
from lvqa_eval.serving.structured import held_to
from lvqa_eval.simulation.llm_user import SIMULATED
from lvqa_eval.simulation.messages import text_message
from lvqa_eval.simulation.replies import Reply
from lvqa_eval.simulation.reveals import without_earlier
from lvqa_eval.simulation.users import Speaker
from lvqa_eval.statuses import EXCLUDED, FINAL, JudgeStatus, Status

ATTEMPTS = 2
"""A reply that cannot be read is asked for once more, with another seed."""

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "reason": {"type": "string", "maxLength": 300},
        "conveyed": {"type": "boolean"},
        "added": {"type": "boolean"},
    },
    "required": ["reason", "conveyed", "added"],
    "additionalProperties": False,
}


class FidelityError(LvqaError, ValueError):
    """A run whose user cannot be measured."""


@dataclass(frozen=True)
class FidelityJudge:
    """A model that rules on single messages; with `structured` its replies are held to `SCHEMA`."""

    model: str
    sampling: Sampling = field(default_factory=lambda: Sampling(temperature=0.0))
    structured: bool = True
    prompt: Prompt = field(default_factory=lambda: load_prompt("reveal_fidelity"))

    def identity(self) -> RunIdentity:
        """Return all that a ruling depends on."""
        settings = {"model": self.model, "sampling": self.sampling.fields(), "structured": self.structured}
        return RunIdentity({**settings, "prompts": {self.prompt.name: self.prompt.sha256}})

    async def rule(self, told: ToldShard, speaker: Speaker) -> FidelityRecord:
        """Return the ruling on one message; where the judge fails, that is the status of the record."""
        material = {"earlier": told.earlier, "piece": told.shard, "message": told.words}
        # As JSON, so that nothing in a message can step out of its quotes and speak to the judge.
        shown = orjson.dumps(material).decode()
        messages = [text_message("system", self.prompt.text), text_message("user", shown)]
        record = FidelityRecord(*told.key, JudgeStatus.PARSE_ERROR)
        for attempt in range(1, ATTEMPTS + 1):
            seed = seed_of(":".join(map(str, ("fidelity", attempt, *told.key))))
            reply = await speaker.complete(messages, seed=seed, body=self._body())
            record = read_ruling(told.key, reply)
            if record.status is not JudgeStatus.PARSE_ERROR:
                break
        return record

    def _body(self) -> RequestBody:
        sampling = held_to(self.sampling, "fidelity", SCHEMA) if self.structured else self.sampling
        return RequestBody(self.model, sampling)


async def measure_fidelity(
    store: RunStore, speaker: Speaker, judge: FidelityJudge, in_flight: int
) -> dict[str, Fidelity]:
    """Let `judge` rule on every message that it has not ruled on, and return the summary by condition.

    Each ruling is kept at once; those that the transport broke are made anew. Messages that are the
    schedule's text in place of a bad reply are not judged. Raises FidelityError for a run without a
    simulated user, and IdentityChangedError where the judge had other settings.
    """
    told = told_shards(store)
    with FidelityLog(store.folder, judge.model, judge.identity()) as log:
        done = {
            key for key, ruling in log.records().items() if ruling.status is not JudgeStatus.TRANSPORT_ERROR
        }
        waiting = [one for one in told if not one.fallback and one.key not in done]
        with progress(f"fidelity: {judge.model}", len(waiting)) as advance:

            async def rule(one: ToldShard) -> None:
                log.append(await judge.rule(one, speaker))
                advance()

            await for_each(waiting, rule, in_flight)
        return summarise(told, log.records())


def told_shards(store: RunStore) -> list[ToldShard]:
    """Return every message of the run's simulated user that told a shard, in the order of the keys.

    Conversations that are still to be held again are left out. Raises FidelityError where there is no such
    user, or where the run does not keep the words of the shards.
    """
    user = store.identity.settings.get("user", {}).get("name")
    if user != "llm":
        raise FidelityError(f"{store.folder}: user: found {user!r}, needed 'llm': only its words can differ")
    questions = store.questions_of(QuestionRecord)
    if bare := sorted(name for name, question in questions.items() if not question.shards):
        raise FidelityError(
            f"{store.folder}: questions.jsonl: {len(bare)} question(s) without shards, such as {bare[0]}: "
            "the run is older than their record; hold it again"
        )
    return [
        one
        for conversation in store.conversations().values()
        if conversation.status in FINAL
        for one in _told(conversation, questions[conversation.question_id])
    ]


def read_ruling(key: TurnKey, reply: Reply) -> FidelityRecord:
    """Return what a reply rules; one that cannot be read, or can be read in two ways, is a parse error."""
    if reply.status in EXCLUDED:
        return FidelityRecord(*key, JudgeStatus.TRANSPORT_ERROR, error=f"{reply.status}: {reply.error}")
    if reply.status is not Status.OK:
        return FidelityRecord(*key, JudgeStatus.PARSE_ERROR, error=f"the reply is {reply.status}")
    try:
        found = one_object(reply.text or "", ("conveyed", "added"))
    except NoObjectError as error:
        return FidelityRecord(*key, JudgeStatus.PARSE_ERROR, error=str(error))
    conveyed, added, reason = truth(found.get("conveyed")), truth(found.get("added")), found.get("reason")
    if conveyed is None or added is None:
        name = "conveyed" if conveyed is None else "added"
        told = f"{name}: found {shown(found.get(name))}, allowed: true or false"
        return FidelityRecord(*key, JudgeStatus.PARSE_ERROR, error=told)
    words = reason if isinstance(reason, str) else None
    return FidelityRecord(*key, JudgeStatus.OK, conveyed, added, words)


def _told(conversation: ConversationRecord, question: QuestionRecord) -> Iterator[ToldShard]:
    if conversation.condition not in SIMULATED:
        return
    earlier: list[str] = []
    before = ""
    for number, turn in enumerate(conversation.turns, start=1):
        if not turn.shards:
            continue
        words = without_earlier(before, turn.user) if len(turn.shards) > 1 else turn.user
        shard = question.shards[turn.shards[-1] - 1]
        yield ToldShard(TurnKey(*conversation.key, number), shard, tuple(earlier), words, turn.user_fallback)
        earlier.append(shard)
        before = turn.user

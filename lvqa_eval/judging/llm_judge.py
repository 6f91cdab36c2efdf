"""A model that rules on conversations, by one of the protocols of `protocols.PROTOCOLS`."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from lvqa_eval.files import file_name
from lvqa_eval.judging.delimiting import delimited
from lvqa_eval.judging.protocols import PROTOCOLS, JudgeProtocol
from lvqa_eval.judging.rulings import VerdictError
from lvqa_eval.prompts import Prompt, load_prompt
from lvqa_eval.runs.records import ConversationRecord, JudgementRecord, Question
from lvqa_eval.seeds import seed_of
from lvqa_eval.serving.request import DIRECT, RequestBody, Route, Sampling
from lvqa_eval.serving.structured import held_to
from lvqa_eval.simulation.messages import text_message
from lvqa_eval.simulation.replies import Reply
from lvqa_eval.simulation.users import Speaker
from lvqa_eval.statuses import EXCLUDED, JudgeStatus, Status

ATTEMPTS = 2
"""A reply without a verdict is asked for once more, with the reason; then the verdict is withheld."""

RULES = 1
"""Version of what is shown of a conversation and of how replies are read; verdicts of two are not mixed."""

_LONGEST_NAME = 100


@dataclass(frozen=True)
class JudgeSettings:
    """How a judge model is asked.

    With `structured` the server is asked to hold verdicts to the protocol's JSON schema, if it has one; they
    are read strictly either way. `seed` enters the seed of every request. A `retest` asks everything a second
    time under a name of its own, with other seeds.
    """

    model: str
    protocol: str = "final-turn"
    sampling: Sampling = field(default_factory=lambda: Sampling(temperature=0.0, max_tokens=2048))
    structured: bool = True
    seed: int = 0
    retest: bool = False

    @property
    def name(self) -> str:
        """The judge's name in a run's folder: the model's, then what sets it apart from "final-turn"."""
        own = "" if self.protocol == "final-turn" else f".{self.protocol}"
        end = own + (".retest" if self.retest else "")
        return file_name(self.model)[: _LONGEST_NAME - len(end)] + end

    @cached_property
    def how(self) -> JudgeProtocol:
        """The protocol itself; raises ValueError for an unknown name."""
        if self.protocol not in PROTOCOLS:
            raise ValueError(f"protocol: found {self.protocol!r}, allowed: {', '.join(PROTOCOLS)}")
        return PROTOCOLS[self.protocol]

    @cached_property
    def again(self) -> Prompt:
        """What is added where a reply could not be read."""
        return load_prompt("judge_again")

    @property
    def holds_to_schema(self) -> bool:
        """Whether servers are asked to hold replies to a schema."""
        return self.structured and self.how.schema(1) is not None

    def identity(self) -> dict[str, Any]:
        """Return all that a verdict depends on, but for the model's files and its server."""
        return {
            "judge": self.model,
            "protocol": self.protocol,
            "retest": self.retest,
            "sampling": self.sampling.fields(),
            "seed": self.seed,
            "structured": self.holds_to_schema,
            "prompts": {prompt.name: prompt.sha256 for prompt in (*self.how.prompts, self.again)},
            "rules": RULES,
        }

    def body(self, turns: int, sampling: Sampling | None = None) -> RequestBody:
        """Return the body of requests on conversations of so many turns."""
        drawn = sampling or self.sampling
        schema = self.how.schema(turns) if self.structured else None
        return RequestBody(self.model, drawn if schema is None else held_to(drawn, "verdict", schema))


class LlmJudge:
    """Rules by what a model, asked through `speaker`, says of a conversation.

    A conversation with no reply that could be right is wrong without being asked about. `about` is what else
    verdicts depend on: the model's files and its server. `endpoints` is the number of the speaker's servers.
    """

    def __init__(
        self,
        speaker: Speaker,
        settings: JudgeSettings,
        *,
        about: Mapping[str, Any] | None = None,
        endpoints: int = 1,
    ) -> None:
        self.name = settings.name
        self.endpoints = endpoints
        self._speaker, self._settings, self._about = speaker, settings, dict(about or {})
        self._protocol = settings.how
        self._bodies: dict[int, RequestBody] = {}

    def identity(self) -> Mapping[str, Any]:
        """Return the settings' identity, then what the judge was told about its model."""
        return {**self._settings.identity(), **self._about}

    async def judge(
        self, question: Question, conversation: ConversationRecord, route: Route = DIRECT
    ) -> JudgementRecord:
        """Return the verdict of the model, or why there is none, as the status of the record."""
        if not self._protocol.asks(conversation):
            words = (f"not asked: the conversation is {conversation.status}",)
            return JudgementRecord(*conversation.key, JudgeStatus.OK, False, 0, flags=words)
        case = self._protocol.case(question, conversation)
        body = self._body(len(conversation.turns))
        asked, fault, spent = case, None, (0, 0)
        for attempt in range(1, ATTEMPTS + 1):
            messages = [self._protocol.system, text_message("user", asked)]
            seed = self._seed(attempt, conversation)
            reply = await self._speaker.complete(messages, seed=seed, route=route, body=body)
            spent = (spent[0] + (reply.prompt_tokens or 0), spent[1] + (reply.completion_tokens or 0))
            record = self._read(conversation, reply)
            if record.status is not JudgeStatus.PARSE_ERROR or attempt == ATTEMPTS:
                break
            fault = record.error or ""
            # The fault may quote what the judge quoted from the assistant.
            asked = f"{case}\n\n{self._settings.again.fill(fault=delimited(fault, 'fault'))}"
        flags = record.flags if fault is None else (*record.flags, f"asked again: {fault}")
        return replace(record, prompt_tokens=spent[0], completion_tokens=spent[1], flags=flags)

    def _read(self, conversation: ConversationRecord, reply: Reply) -> JudgementRecord:
        none = JudgementRecord(*conversation.key, JudgeStatus.PARSE_ERROR, None, None)
        if reply.status in EXCLUDED:
            # A prompt too long for the judge's context is no reply either: a longer one may take it.
            told = f"{reply.status}: {reply.error}"
            return replace(none, status=JudgeStatus.TRANSPORT_ERROR, error=told)
        if reply.status is not Status.OK:
            told = f"the reply is {reply.status}" + (f": {reply.error}" if reply.error else "")
            return replace(none, error=told, reply=reply.text)
        try:
            return self._protocol.read(conversation, reply.text or "")
        except VerdictError as error:
            return replace(none, error=str(error), reply=reply.text)

    def _body(self, turns: int) -> RequestBody:
        if turns not in self._bodies:
            self._bodies[turns] = self._settings.body(turns)
        return self._bodies[turns]

    def _seed(self, attempt: int, conversation: ConversationRecord) -> int:
        settings = self._settings
        which = "retest" if settings.retest else "judge"
        name = (which, settings.seed, settings.protocol, attempt, *conversation.key)
        return seed_of(":".join(map(str, name)))

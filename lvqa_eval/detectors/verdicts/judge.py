"""A model that checks responses without the reference, and what its verdicts depend on."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from lvqa_eval.detectors.verdicts.case import case, response_of
from lvqa_eval.detectors.verdicts.probability import incorrect_probability
from lvqa_eval.detectors.verdicts.record import VerdictRecord
from lvqa_eval.detectors.verdicts.ruling import parse_verdict_word
from lvqa_eval.files import file_name
from lvqa_eval.judging.rulings import VerdictError
from lvqa_eval.prompts import Prompt, load_prompt
from lvqa_eval.runs.records import ConversationRecord
from lvqa_eval.runs.sent_messages import SentConversations, SentMessage
from lvqa_eval.seeds import seed_of
from lvqa_eval.serving.request import DIRECT, Message, Route, Sampling
from lvqa_eval.simulation.messages import text_message
from lvqa_eval.simulation.replies import Reply
from lvqa_eval.simulation.users import Speaker
from lvqa_eval.statuses import Status

RULES = 1
"""Version of what is shown to the judge and of how replies are read; verdicts of two are not mixed."""


@dataclass(frozen=True)
class VerdictSettings:
    """How the judge `model` is asked; `seed` enters the seed of every request, which greedy ones ignore."""

    model: str
    sampling: Sampling
    seed: int = 0

    @property
    def name(self) -> str:
        """The judge's name in a run's folder."""
        return file_name(self.model)

    @cached_property
    def prompts(self) -> tuple[Prompt, Prompt]:
        """The rules, and what closes the case."""
        return load_prompt("model_as_judge"), load_prompt("model_as_judge_case")

    def identity(self, sent: SentConversations) -> dict[str, Any]:
        """Return what a verdict depends on besides the run, the model's files and its server."""
        labels = [sent.prompts[name] for name in sent.benchmark.labels]
        return {
            "judge": self.model,
            "sampling": self.sampling.fields(),
            "seed": self.seed,
            "prompts": {prompt.name: prompt.sha256 for prompt in (*self.prompts, *labels)},
            "rules": RULES,
        }


class VerdictJudge:
    """Gives verdicts by what a model, asked through `speaker`, replies; each is asked for once."""

    def __init__(self, speaker: Speaker, settings: VerdictSettings) -> None:
        self._speaker, self._settings = speaker, settings

    async def verdict(
        self, conversation: ConversationRecord, sent: Sequence[SentMessage], route: Route = DIRECT
    ) -> VerdictRecord:
        """Return the verdict on the final reply of a conversation, whose messages before it are `sent`."""
        rules, closing = self._settings.prompts
        messages: list[Message] = [
            text_message("system", rules.text),
            case(sent, response_of(conversation), closing),
        ]
        name = ("verdict", self._settings.seed, *conversation.key)
        seed = seed_of(":".join(map(str, name)))
        return _read(conversation, await self._speaker.complete(messages, seed=seed, route=route))


def _read(conversation: ConversationRecord, reply: Reply) -> VerdictRecord:
    found = VerdictRecord(
        *conversation.key,
        status=reply.status,
        reply=reply.text,
        error=reply.error,
        prompt_tokens=reply.prompt_tokens,
        completion_tokens=reply.completion_tokens,
    )
    if reply.status is not Status.OK:
        return found
    text = reply.text or ""
    try:
        ruling = parse_verdict_word(text)
    except VerdictError as error:
        return replace(found, status=Status.UNPARSABLE, error=str(error))
    score = incorrect_probability(reply.sent_logprobs, text, ruling)
    return replace(found, incorrect=ruling.incorrect, score=score)

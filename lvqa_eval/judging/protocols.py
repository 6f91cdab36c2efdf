"""What a judge model is shown of a conversation, and how its reply is read: three protocols.

"final-turn" rules on the last turn and "post-hoc" on every turn by itself: two prompts with one JSON schema.
"xml" rules on the last reply alone, as on an answer to a question about a page.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Protocol

import orjson

from lvqa_eval.judging.delimiting import delimited
from lvqa_eval.judging.elements import read_elements
from lvqa_eval.judging.exact_match import GROUNDING_CONDITION
from lvqa_eval.judging.grounding import grounded_answer
from lvqa_eval.judging.verdicts import consistency, parse_verdict, verdict_schema
from lvqa_eval.judging.xml_verdicts import parse_xml_ruling
from lvqa_eval.prompts import Prompt, load_prompt
from lvqa_eval.runs.records import ConversationRecord, JudgementRecord, Question, TurnRecord
from lvqa_eval.serving.request import Message
from lvqa_eval.simulation.messages import text_message
from lvqa_eval.statuses import JudgeStatus, Status


class JudgeProtocol(Protocol):
    """How one kind of judge is asked, and what its reply says."""

    @property
    def name(self) -> str:
        """What the command line calls it."""

    @property
    def prompts(self) -> tuple[Prompt, ...]:
        """Everything that its wording depends on."""

    @property
    def system(self) -> Message:
        """The message that opens every request."""

    def asks(self, conversation: ConversationRecord) -> bool:
        """Tell whether anything in the conversation can be ruled on."""

    def case(self, question: Question, conversation: ConversationRecord) -> str:
        """Return what is put before the judge, what all conversations of a question share first."""

    def schema(self, turns: int) -> Mapping[str, Any] | None:
        """Return the JSON schema of a verdict on so many turns; None where it is not JSON."""

    def read(self, conversation: ConversationRecord, text: str) -> JudgementRecord:
        """Return the ruling in a judge's reply; raises VerdictError where there is no clear one."""


@dataclass(frozen=True)
class JsonProtocol:
    """The protocols with a verdict in JSON; `task` is the prompt that tells them apart.

    A conversation whose every reply that is ruled on failed is not put before the judge.
    """

    name: str
    task: str
    every_turn: bool

    @cached_property
    def prompts(self) -> tuple[Prompt, ...]:
        """Rules, task, the form of the reply, and the case."""
        return tuple(map(load_prompt, ("judge_rules", self.task, "judge_reply", "judge_case")))

    @cached_property
    def system(self) -> Message:
        """Rules, task and form."""
        return text_message("system", "\n\n".join(prompt.text for prompt in self.prompts[:3]))

    def asks(self, conversation: ConversationRecord) -> bool:
        """Tell whether a turn that is ruled on has a reply."""
        judged = conversation.turns if self.every_turn else conversation.turns[-1:]
        return any(turn.status is Status.OK for turn in judged)

    def case(self, question: Question, conversation: ConversationRecord) -> str:
        """Return question, reference and conversation."""
        return self.prompts[-1].fill(
            question=question.question,
            reference=question.answer,
            description=question.answer_description or "nothing further",
            conversation=delimited(transcript(conversation), "conversation"),
            last=len(conversation.turns),
        )

    def schema(self, turns: int) -> Mapping[str, Any]:
        """Return the schema of a verdict."""
        return verdict_schema(turns)

    def read(self, conversation: ConversationRecord, text: str) -> JudgementRecord:
        """Return the verdict with its inconsistencies; a last turn that failed is wrong whatever it says."""
        verdict = parse_verdict(text, len(conversation.turns))
        flags = consistency(verdict, replies_shown(conversation))
        final = verdict.final_turn_correct
        if final and conversation.status is not Status.OK:
            final = False
            flags = (*flags, f"final_turn_correct is true, but the turn is {conversation.status}")
        return JudgementRecord(
            *conversation.key,
            status=JudgeStatus.OK,
            final_turn_correct=final,
            first_correct_turn=verdict.first_correct_turn,
            attempts=verdict.attempts,
            flags=flags,
            is_correct=verdict.is_correct,
            answer_span=verdict.answer_span,
            reasoning=verdict.reasoning,
        )


@dataclass(frozen=True)
class XmlProtocol:
    """The protocol with a verdict in XML tags after an explanation; it says nothing of earlier turns."""

    name: str = "xml"

    @cached_property
    def prompts(self) -> tuple[Prompt, ...]:
        """Rules and the case."""
        return load_prompt("judge_bear"), load_prompt("judge_bear_case")

    @cached_property
    def system(self) -> Message:
        """Rules and form."""
        return text_message("system", self.prompts[0].text)

    def asks(self, conversation: ConversationRecord) -> bool:
        """Tell whether the last reply is one."""
        return conversation.status is Status.OK

    def case(self, question: Question, conversation: ConversationRecord) -> str:
        """Return question, reference and answer, each between tags."""
        reference = "\n".join(filter(None, (question.answer, question.answer_description)))
        return self.prompts[1].fill(
            question=delimited(question.question, "question"),
            reference=delimited(reference, "reference"),
            answer=delimited(replies_shown(conversation)[-1], "answer"),
        )

    def schema(self, turns: int) -> None:
        """There is none: servers hold replies to JSON alone."""
        return

    def read(self, conversation: ConversationRecord, text: str) -> JudgementRecord:
        """Return the verdict with its explanation."""
        correct = parse_xml_ruling(text)
        return JudgementRecord(
            *conversation.key,
            status=JudgeStatus.OK,
            final_turn_correct=correct,
            first_correct_turn=len(conversation.turns) if correct else 0,
            is_correct=correct,
            reasoning=_explanation(text),
        )


PROTOCOLS: Final[Mapping[str, JudgeProtocol]] = {
    one.name: one
    for one in (
        JsonProtocol("final-turn", "judge_final_turn", every_turn=False),
        JsonProtocol("post-hoc", "judge_post_hoc", every_turn=True),
        XmlProtocol(),
    )
}

FINAL_PROTOCOLS = ("final-turn", "xml")
"""Those whose ruling on the last turn is what accuracy reads."""


def transcript(conversation: ConversationRecord) -> str:
    """Return a conversation as JSON lines, one a turn: what the user said, and what the assistant replied.

    As JSON, so that no reply can pass for another turn.
    """
    said = zip(conversation.turns, replies_shown(conversation), strict=True)
    return "\n".join(
        orjson.dumps({"turn": number, "user": turn.user, "assistant": reply}).decode()
        for number, (turn, reply) in enumerate(said, start=1)
    )


def replies_shown(conversation: ConversationRecord) -> Sequence[str]:
    """Return what a judge sees of each reply: its text without thinking.

    Nothing of a reply that failed, which is no attempt to answer; of one with a form of four lines only the
    answer, since numbers of layers, a confidence or a reason could be taken for one.
    """
    grounded = conversation.condition == GROUNDING_CONDITION
    return [_shown(turn, grounded) for turn in conversation.turns]


def _shown(turn: TurnRecord, grounded: bool) -> str:
    if turn.status is not Status.OK or turn.reply is None:
        return ""
    return (grounded_answer(turn.reply) or turn.reply) if grounded else turn.reply


def _explanation(text: str) -> str:
    """Return what stands in <explanation>, else what stands before the verdict."""
    elements = read_elements(text)
    for one in elements:
        if one.name == "explanation" and one.closed:
            return text[one.inner_start : one.inner_end].strip()
    first = next((one.start for one in elements if one.name == "verdict"), len(text))
    return text[:first].strip()

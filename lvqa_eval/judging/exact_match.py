"""The judge without a model: answers are compared with the reference as text."""

from collections.abc import Mapping, Sequence
from typing import Any

from lvqa_eval.judging.answers import RULES, is_question, same_answer
from lvqa_eval.judging.grounding import grounded_answer
from lvqa_eval.judging.numbers import Language
from lvqa_eval.judging.text import mixed_script_words
from lvqa_eval.runs.records import Attempt, ConversationRecord, JudgementRecord, Question, TurnRecord
from lvqa_eval.statuses import JudgeStatus, Status

GROUNDING_CONDITION = "all-layers"
"""The condition whose replies have an "Answer:" line among others; that line alone is the answer."""


class ExactMatchJudge:
    """Compares every reply of status ok with the reference by `same_answer`; the result is provisional.

    A reply that asks a question is no attempt, unless it is the reference itself. A conversation that the
    model failed has a wrong final turn, whatever it said before.
    """

    name = "exact-match"

    def __init__(self, language: Language | None = None) -> None:
        self.language = language

    def identity(self) -> Mapping[str, Any]:
        """Return the version of the comparison rules and the language of numbers."""
        return {"judge": self.name, "rules": RULES, "language": self.language}

    async def judge(self, question: Question, conversation: ConversationRecord) -> JudgementRecord:
        """Return the ruling; its status is always ok."""
        attempts = self._attempts(question.answer, conversation)
        right = [attempt.turn for attempt in attempts if attempt.correct]
        final = conversation.status is Status.OK and len(conversation.turns) in right
        return JudgementRecord(
            condition=conversation.condition,
            question_id=conversation.question_id,
            run=conversation.run,
            status=JudgeStatus.OK,
            final_turn_correct=final,
            first_correct_turn=min(right, default=0),
            attempts=tuple(attempts),
            flags=tuple(_flags(attempts)),
        )

    def _attempts(self, reference: str, conversation: ConversationRecord) -> list[Attempt]:
        grounded = conversation.condition == GROUNDING_CONDITION
        attempts = []
        for number, turn in enumerate(conversation.turns, start=1):
            answer = _answer(turn, grounded)
            if answer is None:
                continue
            correct = same_answer(reference, answer, self.language)
            if correct or not is_question(answer):
                attempts.append(Attempt(number, answer, correct))
        return attempts


def _flags(attempts: Sequence[Attempt]) -> list[str]:
    # A Latin letter that looks like a Cyrillic one makes equal answers unequal, invisibly.
    words = sorted({word for attempt in attempts for word in mixed_script_words(attempt.answer)})
    return [f"Latin and Cyrillic letters in one word: {word}" for word in words]


def _answer(turn: TurnRecord, grounded: bool) -> str | None:
    if turn.status is not Status.OK or turn.reply is None or not turn.reply.strip():
        return None
    return grounded_answer(turn.reply) if grounded else turn.reply.strip()

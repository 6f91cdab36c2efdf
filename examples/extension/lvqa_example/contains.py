"""A judge: a reply is right when the reference answer stands in it as words of its own."""

import re

from lvqa_eval.runs.records import Attempt, ConversationRecord, JudgementRecord, Question
from lvqa_eval.statuses import JudgeStatus, Status


class ContainsJudge:
    """Looks for the reference answer in each reply, whatever else the reply says."""

    name = "contains"

    def identity(self) -> dict[str, object]:
        """Return what shapes the verdicts."""
        return {"judge": self.name, "version": 1}

    async def judge(self, question: Question, conversation: ConversationRecord) -> JudgementRecord:
        """Return the verdict on every reply and on the last one."""
        pattern = re.compile(rf"\b{re.escape(question.answer)}\b", re.IGNORECASE)
        attempts = tuple(
            Attempt(number, turn.reply, bool(pattern.search(turn.reply)))
            for number, turn in enumerate(conversation.turns, start=1)
            if turn.status is Status.OK and turn.reply
        )
        right = [attempt.turn for attempt in attempts if attempt.correct]
        final = len(conversation.turns) in right
        return JudgementRecord(*conversation.key, JudgeStatus.OK, final, min(right, default=0), attempts)

"""What every judge does, and the list of known ones."""

from collections.abc import Mapping
from typing import Any, Protocol

from lvqa_eval.extensions import Registry
from lvqa_eval.runs.records import ConversationRecord, JudgementRecord, QuestionRecord


class Judge(Protocol):
    """Rules on conversations one by one.

    `name` names its file in the run folder: Latin letters, digits, '.', '_' and '-'.
    """

    name: str

    def identity(self) -> Mapping[str, Any]:
        """Return all that a ruling depends on, as nested plain settings."""

    async def judge(self, question: QuestionRecord, conversation: ConversationRecord) -> JudgementRecord:
        """Return the ruling on `conversation`, whose status is none of `statuses.EXCLUDED`.

        Only assistant turns are judged. Where the judge itself fails, that is the status of the record.
        """


JUDGES = Registry("lvqa.judges", {"exact-match": "lvqa_eval.judging.exact_match:ExactMatchJudge"})
"""Every judge class by its name, the built-in ones first."""

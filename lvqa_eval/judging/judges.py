"""What every judge does, and the list of known ones."""

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from lvqa_eval.extensions import Registry
from lvqa_eval.runs.records import ConversationRecord, JudgementRecord, Question
from lvqa_eval.serving.request import DIRECT, Route


class Judge(Protocol):
    """Rules on conversations one by one.

    `name` names its file in the run folder: Latin letters, digits, '.', '_' and '-'.
    """

    name: str

    def identity(self) -> Mapping[str, Any]:
        """Return all that a ruling depends on, as nested plain settings."""

    async def judge(self, question: Question, conversation: ConversationRecord) -> JudgementRecord:
        """Return the ruling on `conversation`, whose status is none of `statuses.EXCLUDED`.

        Only assistant turns are judged. Where the judge itself fails, that is the status of the record.
        """


@runtime_checkable
class RoutedJudge(Protocol):
    """A judge that asks servers, `endpoints` in number; conversations of a question go to one of them."""

    name: str
    endpoints: int

    def identity(self) -> Mapping[str, Any]:
        """Return all that a ruling depends on, as nested plain settings."""

    async def judge(
        self, question: Question, conversation: ConversationRecord, route: Route = DIRECT
    ) -> JudgementRecord:
        """Return the ruling, asked for by `route`."""


JUDGES = Registry("lvqa.judges", {"exact-match": "lvqa_eval.judging.exact_match:ExactMatchJudge"})
"""Every judge class by its name, the built-in ones first."""

"""The responses that a judge is asked about: final replies of runs, as they stand in their conversations."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from lvqa_eval.errors import LvqaError
from lvqa_eval.judging.cases import Case, Cases
from lvqa_eval.runs.records import ConversationRecord
from lvqa_eval.runs.sent_messages import SentConversations
from lvqa_eval.runs.store import RunStore
from lvqa_eval.statuses import Status


class ConditionsError(LvqaError, ValueError):
    """Conditions that a run does not have."""


class Responses:
    """The final replies in the runs of `folders` under `conditions`; without any, the first of a benchmark.

    Only conversations that ended well have one. `dataset` is a folder or a name on the Hub, by default what
    each run names. Raises ConditionsError; DatasetError and SentPictureError where a dataset is missing or
    another one.
    """

    def __init__(
        self, folders: Sequence[Path], conditions: Sequence[str] = (), dataset: str | None = None
    ) -> None:
        self.runs = tuple(RunStore.open(folder) for folder in folders)
        self.sent = {run.folder: SentConversations(run, dataset) for run in self.runs}
        wanted = {run.folder: self._conditions(run, conditions) for run in self.runs}
        self.cases = [
            case
            for case in Cases(self.runs).all
            if case.conversation.status is Status.OK
            and case.conversation.condition in wanted[case.store.folder]
        ]

    @cached_property
    def most_pictures(self) -> dict[str, int]:
        """How many pictures the longest conversation of each condition has."""
        most: dict[str, int] = {}
        for case in self.cases:
            condition = case.conversation.condition
            most[condition] = max(most.get(condition, 0), _pictures(case.conversation))
        return dict(sorted(most.items()))

    def of(self, run: RunStore) -> list[Case]:
        """Return those of one run."""
        return [case for case in self.cases if case.store is run]

    def _conditions(self, run: RunStore, named: Sequence[str]) -> Sequence[str]:
        settings: Any = run.identity.settings
        planned = [*settings.get("conditions", ()), *settings.get("baselines", ())]
        wanted = named or self.sent[run.folder].benchmark.conditions[:1]
        if strange := [name for name in wanted if name not in planned]:
            raise ConditionsError(
                f"{run.folder}: condition: found {', '.join(strange)}, allowed: {', '.join(planned)}"
            )
        return wanted


def _pictures(conversation: ConversationRecord) -> int:
    return sum(turn.composite + len(turn.layers) for turn in conversation.turns)

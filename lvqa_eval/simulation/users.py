"""The user of a conversation: who puts each scheduled turn into words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from lvqa_eval.runs.records import Key, TurnRecord
from lvqa_eval.scheduled import ScheduledRow
from lvqa_eval.serving.request import DIRECT, Message, RequestBody, Route
from lvqa_eval.simulation.replies import Reply


@dataclass(frozen=True)
class Said:
    """The words of one user turn.

    `shards` are the ids that they reveal. `fallback` marks the schedule's text in place of a bad reply of a
    simulated user. `failure` is set where that user could not be reached: the conversation then ends with
    its status. Token counts are those of the simulated user, over all its attempts.
    """

    text: str
    shards: tuple[int, ...]
    fallback: bool = False
    failure: Reply | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class Talk(Protocol):
    """The user's side of one conversation."""

    async def say(self, turn: int, so_far: Sequence[TurnRecord]) -> Said:
        """Return the words of turn `turn` (from 0), after the turns `so_far` and the replies to them."""
        ...


class User(Protocol):
    """Anything that can speak the turns of a row; `identity` is all that its words depend on."""

    def identity(self) -> Mapping[str, Any]:
        """Return the user's `name` and settings, for the identity of a run."""
        ...

    def begin(self, row: ScheduledRow, key: Key, route: Route) -> Talk:
        """Return the user's side of the conversation `key`; a simulated user asks its model by `route`."""
        ...


class Speaker(Protocol):
    """A model that can be asked under a body other than the assistant's."""

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        seed: int,
        route: Route = DIRECT,
        body: RequestBody | None = None,
    ) -> Reply:
        """Answer `messages`; `body` names the model and how its reply is drawn."""
        ...


class ScriptedUser:
    """Says exactly the schedule's text."""

    def identity(self) -> Mapping[str, Any]:
        """Return the name alone: the words are the dataset's."""
        return {"name": "scripted"}

    def begin(self, row: ScheduledRow, key: Key, route: Route) -> "ScriptedTalk":
        """Return the schedule of `row`."""
        return ScriptedTalk(row)


@dataclass(frozen=True)
class ScriptedTalk:
    """The schedule of one row."""

    row: ScheduledRow

    async def say(self, turn: int, so_far: Sequence[TurnRecord]) -> Said:
        """Return the text of the scheduled turn."""
        scheduled = self.row.turns[turn]
        return Said(scheduled.text, scheduled.shards)

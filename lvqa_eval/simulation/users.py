"""The user of a conversation: says each scheduled turn in words."""

from typing import Protocol

from lvqa_eval.dataset import Row


class User(Protocol):
    """Anything that can speak the turns of a row."""

    name: str

    async def say(self, row: Row, turn: int) -> str:
        """Return the words of turn `turn` (from 0) of `row`."""
        ...


class ScriptedUser:
    """Says exactly the schedule's text."""

    name = "scripted"

    async def say(self, row: Row, turn: int) -> str:
        """Return the text of the scheduled turn."""
        return row.turns[turn].text

"""One conversation as a table to take home: a line for each turn and model."""

from collections.abc import Sequence
from typing import Any, Final

from leaderboard.board.columns import Cell
from leaderboard.board.downloads import Download, Head
from leaderboard.examples.library import Example, Wanted
from leaderboard.html.exchange import SIDES, Turn

TABLE: Final = "conversation"

_NAMES: Final = (
    *("side", "model", "submission", "condition", "question_id", "run"),
    *("turn", "user", "layers", "composite", "pictures"),
    *("reply", "status", "verdict", "ungrounded", "judges"),
)


def conversation_table(example: Example, wanted: Wanted, state: str, *, reference: bool) -> Download:
    """Return every turn with the user's words, the SHA-256 of the pictures sent, and the reply of each model.

    `reference` tells that as well, with the layers that hold the evidence.
    """
    rows: list[tuple[Cell, ...]] = []
    for place, (side, name) in enumerate(zip(example.sides, (wanted.a, wanted.b), strict=False)):
        about = (SIDES[place], side.model, name, *wanted.key)
        judges = ", ".join(side.judges.names)
        for number, turn in enumerate(example.exchange.turns, start=1):
            sent = side.sent[number - 1] if number <= len(side.sent) else ()
            rows.append((*about, number, *_turn(turn, place, sent), judges))
    told: dict[str, Any] = {"state": state}
    if example.contract is not None:
        told["contract"] = example.contract.text
    if reference and example.scene is not None:
        told |= {"reference": example.scene.reference, "evidence": list(example.exchange.gold)}
    return Download(TABLE, tuple(map(Head, _NAMES)), tuple(rows), told)


def _turn(turn: Turn, place: int, sent: Sequence[str]) -> tuple[Cell, ...]:
    reply = turn.replies[place]
    layers, composite = " ".join(map(str, turn.layers)), _yes(turn.composite)
    if reply is None:
        return (turn.user, layers, composite, "", None, None, None, None)
    said = (reply.text, reply.status.value, reply.ruling, _yes(reply.ungrounded))
    return (reply.asked or turn.user, layers, composite, " ".join(sent), *said)


def _yes(value: bool) -> str:
    return "yes" if value else "no"

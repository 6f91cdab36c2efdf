"""Two models compared, as a table to take home: a line for each condition and part, or for each question."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from leaderboard.board.columns import Cell
from leaderboard.board.compare import Disagreement, disagreements
from leaderboard.board.downloads import Download, Head
from leaderboard.compare import Compared
from lvqa_eval.metrics.bootstrap import Estimate

TABLE: Final = "comparison"
QUESTIONS: Final = "differing-questions"

_ENDS: Final = ("", "_low", "_high")
_ROWS: Final = (
    *("group", "name"),
    *(f"{figure}{end}" for figure in ("a", "b", "difference") for end in _ENDS),
    *("n", "differ", "questions"),
)
_ASKED: Final = (
    *("condition", "question_id", "scene_id", "category", "question", "reference"),
    *("change", "a_run", "b_run", "a_reply", "b_reply"),
)

Replies = Callable[[Disagreement], Sequence[str]]
"""Gives what both models said last to a question."""


def pair_table(found: Compared, about: dict[str, Any]) -> Download:
    """Return every paired figure, shares and differences as fractions of 1."""
    rows = tuple(
        (
            *(one.split.group or "condition", one.split.name),
            *(end for figure in (one.a, one.b, one.difference) for end in _figure(figure)),
            *(one.difference.n, one.differ, one.questions),
        )
        for one in found.figures
    )
    return Download(TABLE, tuple(map(Head, _ROWS)), rows, {**about, "judges": list(found.judges)})


def differing_questions(found: Compared, condition: str, replies: Replies, about: dict[str, Any]) -> Download:
    """Return every question under a condition that one model alone gets right, with what both said last."""
    rows: list[tuple[Cell, ...]] = []
    for one in disagreements(found.pair, condition):
        asked = one.question
        named = (condition, asked.question_id, asked.scene_id, asked.category, asked.question, asked.answer)
        rows.append((*named, one.change, *one.runs, *replies(one)))
    return Download(QUESTIONS, tuple(map(Head, _ASKED)), tuple(rows), {**about, "judges": list(found.judges)})


def _figure(figure: Estimate) -> Sequence[Cell]:
    return figure.value, figure.low, figure.high

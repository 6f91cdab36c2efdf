"""What the board's judges make of each reply of a conversation, in the words of its pages."""

from collections.abc import Sequence

from leaderboard.html.exchange import Ruling
from lvqa_eval.runs.records import ConversationRecord, JudgementRecord
from lvqa_eval.statuses import MODEL_FAILED, JudgeStatus, Status


def final_ruling(conversation: ConversationRecord, judgement: JudgementRecord | None) -> Ruling:
    """Return what counts for accuracy: a conversation that the model failed is wrong, whatever it said."""
    if conversation.status in MODEL_FAILED:
        return "wrong"
    if conversation.status is not Status.OK or judgement is None or judgement.status is not JudgeStatus.OK:
        return "unknown"
    return _ruled(judgement.final_turn_correct)


def turn_rulings(
    conversation: ConversationRecord, final: JudgementRecord | None, by_turn: JudgementRecord | None
) -> Sequence[Ruling]:
    """Return a ruling for each turn: that of `final` for the last, of `by_turn` for those before.

    `by_turn` lists an attempt for every turn that holds an answer; a turn without one asks.
    """
    turns = conversation.turns
    if not turns:
        return ()
    if by_turn is None or by_turn.status is not JudgeStatus.OK:
        earlier: list[Ruling] = ["unknown"] * (len(turns) - 1)
    else:
        attempts = {one.turn: one.correct for one in by_turn.attempts}
        earlier = [
            "unknown" if turn.status is not Status.OK else _attempted(attempts.get(number))
            for number, turn in enumerate(turns[:-1], start=1)
        ]
    return (*earlier, final_ruling(conversation, final))


def first_right(rulings: Sequence[Ruling]) -> int | None:
    """Return the turn (from 1) of the first right answer, None for none."""
    return next((number for number, one in enumerate(rulings, start=1) if one == "right"), None)


def _ruled(correct: bool | None) -> Ruling:
    return "unknown" if correct is None else "right" if correct else "wrong"


def _attempted(correct: bool | None) -> Ruling:
    return "asks" if correct is None else "right" if correct else "wrong"

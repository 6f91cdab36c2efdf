"""What the judges make of each turn, in the words of the pages."""

from dataclasses import replace

import pytest

from leaderboard.examples.rulings import final_ruling, first_right, turn_rulings
from lvqa_eval.runs.records import Attempt
from lvqa_eval.statuses import MODEL_FAILED, JudgeStatus, Status
from tests.support.scored_runs import conversation, judgement, turn

FOUR = tuple(turn([number]) for number in range(4))


def by_turn(*attempts):
    """Return a ruling that lists these attempts, as pairs of turn and whether it is right."""
    return replace(judgement("f", "q"), attempts=tuple(Attempt(at, "x", right) for at, right in attempts))


@pytest.mark.parametrize("status", sorted(MODEL_FAILED))
def test_what_the_model_failed_is_wrong_whatever_was_ruled(status):
    assert final_ruling(conversation("f", "q", status=status), judgement("f", "q", correct=True)) == "wrong"
    assert final_ruling(conversation("f", "q", status=status), None) == "wrong"


@pytest.mark.parametrize("status", [Status.TIMEOUT, Status.SERVER_ERROR, Status.CONTEXT_OVERFLOW])
def test_what_does_not_count_is_not_judged(status):
    assert final_ruling(conversation("f", "q", status=status), judgement("f", "q")) == "unknown"


def test_a_verdict_that_is_missing_or_none_is_not_judged():
    held = conversation("f", "q")
    assert final_ruling(held, None) == "unknown"
    assert final_ruling(held, judgement("f", "q", status=JudgeStatus.NO_QUORUM)) == "unknown"
    assert [final_ruling(held, judgement("f", "q", correct=one)) for one in (True, False)] == [
        "right",
        "wrong",
    ]


def test_turns_before_the_last_have_their_attempts_and_ask_without_one():
    held = conversation("f", "q", turns=FOUR)
    final = judgement("f", "q", correct=False)
    found = turn_rulings(held, final, by_turn((2, True), (3, False), (4, True)))
    assert list(found) == ["asks", "right", "wrong", "wrong"]
    assert first_right(found) == 2


def test_without_rulings_by_turn_only_the_last_is_judged():
    held = conversation("f", "q", turns=FOUR)
    for nobody in (None, judgement("f", "q", status=JudgeStatus.PARSE_ERROR)):
        found = turn_rulings(held, judgement("f", "q"), nobody)
        assert list(found) == ["unknown", "unknown", "unknown", "right"]
        assert first_right(found) == 4


def test_a_reply_that_failed_on_the_way_neither_asks_nor_answers():
    turns = (replace(FOUR[0], status=Status.TRUNCATED), *FOUR[1:])
    assert turn_rulings(conversation("f", "q", turns=turns), None, by_turn())[0] == "unknown"


def test_a_conversation_without_turns_has_no_rulings():
    assert list(turn_rulings(conversation("f", "q", turns=()), None, None)) == []
    assert first_right([]) is None

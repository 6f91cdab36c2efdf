import pytest

from lvqa_eval.runs.records import ConversationRecord, TurnRecord
from lvqa_eval.statuses import Status
from lvqa_eval.tally import Prices, Tally, short


def conversation(status=Status.OK, **tokens):
    turn = TurnRecord("words", True, (), (), True, 1, status, "red", **tokens)
    return ConversationRecord("full", "q1", 1, status, (turn, turn))


def test_tokens_of_both_sides_are_counted_and_priced():
    tally = Tally(Prices(prompt=2.0, completion=10.0, cached=0.5))
    tally.add(
        conversation(prompt_tokens=1000, completion_tokens=50, cached_tokens=400, user_prompt_tokens=100)
    )
    assert (tally.prompt_tokens, tally.completion_tokens, tally.cached_tokens) == (2200, 100, 800)
    assert tally.cost == pytest.approx((1400 * 2.0 + 800 * 0.5 + 100 * 10.0) / 1e6)
    assert str(tally) == "2.2k + 100 tokens, cost 0.00"


def test_cached_tokens_cost_as_others_unless_a_price_says_otherwise():
    assert Prices(2.0, 10.0).cost(1000, 10, 600) == pytest.approx((1000 * 2.0 + 10 * 10.0) / 1e6)


def test_statuses_other_than_ok_are_told():
    tally = Tally().add_all([conversation(), conversation(Status.TIMEOUT), conversation(Status.EMPTY)])
    assert str(tally) == "1 empty, 1 timeout, 0 + 0 tokens"


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0"), (999, "999"), (1000, "1k"), (12_345, "12.3k"), (4_560_000, "4.56M")]
)
def test_counts_are_short(count, text):
    assert short(count) == text

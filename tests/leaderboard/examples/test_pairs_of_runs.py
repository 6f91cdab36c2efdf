"""Two runs compared: differences by hand, splits, counts, and the questions that one alone gets right."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from hypothesis.extra import numpy as arrays

from leaderboard.board.compare import Agreement, Pair, Ruled, agreement, disagreements, paired_figures, splits
from lvqa_eval.metrics.bootstrap import bootstrap, scene_sums, scene_weights
from tests.support.page_folder import SIZES, row
from tests.support.scored_runs import question

NAN = math.nan
CONDITIONS = ("full", "sharded-v", "oracle")
QUESTIONS = tuple(
    replace(question(f"q{at}", f"s{at // 2}", depth=3 + at % 2), category=("spatial", "color")[at % 2])
    for at in range(6)
)

A = [[1, 1, 1], [1, 1, 0], [0, 0, 0], [1, NAN, 0], [NAN, NAN, NAN], [1, 1, 1]]
B = [[0, 0, 1], [1, 1, 1], [1, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0]]
"""Verdicts under one condition, (questions, runs)."""


def ruled(*conditions, names=CONDITIONS, questions=QUESTIONS):
    return Ruled(names[: len(conditions)], questions, np.array(conditions, dtype=np.float64))


def rows(pair):
    return {(one.split.group, one.split.name): one for one in paired_figures(pair, 200, 0)}


def test_a_condition_is_paired_by_question_and_run():
    found = rows(Pair.of(ruled(A), ruled(B)))["", "full"]
    # 14 pairs: q3 lacks one, q4 all three.
    assert found.difference.n == 14
    assert found.a.value == pytest.approx(9 / 14)
    assert found.b.value == pytest.approx(8 / 14)
    assert found.difference.value == pytest.approx(1 / 14)
    assert (found.questions, found.difference.scenes) == (5, 3)


def test_a_row_of_one_condition_is_the_bootstrap_of_its_scenes():
    pair = Pair.of(ruled(A), ruled(B))
    found = rows(pair)["", "full"].difference
    values = np.array(A) - np.array(B)
    expected = bootstrap(scene_sums(values, np.arange(6) // 2, 3), scene_weights(3, 200, 0)).at()
    assert (found.value, found.low, found.high) == pytest.approx(
        (expected.value, expected.low, expected.high)
    )


def test_the_mean_gives_every_condition_the_same_weight():
    few = [[1, NAN, NAN], [NAN] * 3, [NAN] * 3, [NAN] * 3, [NAN] * 3, [NAN] * 3]
    found = rows(Pair.of(ruled(A, few), ruled(B, [[0] * 3] * 6)))["overall", "delivered"]
    assert found.split.conditions == ("full", "sharded-v")
    assert found.a.value == pytest.approx((9 / 14 + 1) / 2)
    assert found.difference.value == pytest.approx((1 / 14 + 1) / 2)
    assert found.difference.n == 15


def test_oracle_delivers_nothing_and_is_not_in_the_mean():
    found = rows(Pair.of(ruled(A, A, B), ruled(B, B, A)))
    assert found["overall", "delivered"].split.conditions == ("full", "sharded-v")
    assert found["", "oracle"].difference.value == pytest.approx(-1 / 14)


def test_splits_are_of_categories_and_depths_for_scenes():
    found = rows(Pair.of(ruled(A), ruled(B)))
    assert [key for key in found if key[0]] == [
        ("overall", "delivered"),
        ("category", "color"),
        ("category", "spatial"),
        ("depth", "3"),
        ("depth", "4"),
    ]
    # q0, q2, q4 are spatial: (3 + 0 - 1 - 2) of 6 pairs.
    assert found["category", "spatial"].difference.value == pytest.approx(0.0)
    assert found["depth", "3"].difference.n == found["category", "spatial"].difference.n == 6


def test_splits_of_pages_are_of_language_domain_cell_and_content():
    pages = tuple(sorted((row(name) for name in SIZES), key=lambda one: one.id))
    from lvqa_eval.scheduled_pages import ScheduledPage

    records = tuple(ScheduledPage(one, "default", ()).record() for one in pages)
    right = np.ones((1, 8, 1))
    pair = Pair.of(*(Ruled(("default",), records, right * side) for side in (1, 0)))
    groups = [(one.group, one.name, int(one.asked.sum())) for one in splits(pair)]
    assert groups[:7] == [
        ("", "default", 8),
        ("language", "ru", 4),
        ("language", "en", 4),
        ("domain", "business", 4),
        ("domain", "science", 4),
        ("cell", "ru-business", 2),
        ("cell", "en-business", 2),
    ]
    assert ("content", "tables", 8) in groups
    assert {one.difference.value for one in paired_figures(pair, 50, 0)} == {1.0}


def test_counts_are_of_questions_decided_by_most_of_their_runs():
    pair = Pair.of(ruled(A), ruled(B))
    # A: + + - 0 0 +, B: - + + - + +; q3 and q4 are not decided for both.
    assert agreement(pair, "full") == (Agreement(2, 1, 1, 0), 2)
    assert rows(pair)["", "full"].differ == 2


def test_a_question_on_which_they_differ_names_a_run_that_decided_so():
    first, second = disagreements(Pair.of(ruled(A), ruled(B)), "full")
    assert (first.question.question_id, second.question.question_id) == ("q0", "q2")
    assert (first.change, second.change) == (pytest.approx(2 / 3), pytest.approx(-2 / 3))
    assert (first.runs, second.runs) == ((1, 1), (1, 1))


def test_runs_of_different_length_are_paired_by_question():
    one = Ruled(("full",), QUESTIONS, np.array([B], dtype=np.float64)[:, :, :1])
    pair = Pair.of(ruled(A), one)
    found = rows(pair)["", "full"]
    assert found.a.value == pytest.approx((1 + 2 / 3 + 0 + 0.5 + 1) / 5)
    assert found.b.value == pytest.approx((0 + 1 + 1 + 0 + 1) / 5)
    assert found.difference.n == 5
    assert disagreements(pair, "full")[0].runs == (1, 1)


def test_only_what_both_have_is_compared():
    a = ruled(A, A, A)
    b = Ruled(("oracle", "full"), QUESTIONS[1:4], np.array([B, A], dtype=np.float64)[:, 1:4])
    pair = Pair.of(a, b)
    assert pair.conditions == ("full", "oracle")
    assert [one.question_id for one in pair.questions] == ["q1", "q2", "q3"]
    assert rows(pair)["", "full"].difference.value == 0


def test_one_scene_has_no_interval():
    alone = Pair.of(ruled(A[:2], questions=QUESTIONS[:2]), ruled(B[:2], questions=QUESTIONS[:2]))
    found = rows(alone)["", "full"].difference
    assert math.isnan(found.low)
    assert found.value == pytest.approx((2 - 1) / 6)


def test_runs_without_a_common_question_have_no_rows():
    none = Ruled(("full",), (), np.zeros((1, 0, 3)))
    assert paired_figures(Pair.of(ruled(A), none), 50, 0) == ()


VERDICTS = arrays.arrays(np.float64, (1, 6, 3), elements=some.sampled_from([0.0, 1.0, NAN]))


@given(VERDICTS, VERDICTS)
def test_swapping_the_models_turns_every_sign(a, b):
    one, other = (Ruled(("full",), QUESTIONS, values) for values in (a, b))
    there, back = rows(Pair.of(one, other)), rows(Pair.of(other, one))
    for key, found in there.items():
        swapped = back[key]
        for mine, its in ((found.a, swapped.b), (found.b, swapped.a)):
            np.testing.assert_allclose([mine.value, mine.low, mine.high], [its.value, its.low, its.high])
        np.testing.assert_allclose(found.difference.value, -swapped.difference.value, atol=1e-12)
        np.testing.assert_allclose(found.difference.low, -swapped.difference.high, atol=1e-9)
        assert found.differ == swapped.differ
    counts, left = agreement(Pair.of(one, other), "full")
    assert counts.both + counts.only_a + counts.only_b + counts.neither + left == 6
    assert (
        counts.only_a + counts.only_b
        == there["", "full"].differ
        == len(disagreements(Pair.of(one, other), "full"))
    )

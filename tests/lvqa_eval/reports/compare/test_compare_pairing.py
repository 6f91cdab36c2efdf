import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lvqa_eval.metrics.bootstrap import scene_weights
from lvqa_eval.reports.compare.pairing import Cells, Coverage, paired_rows, parts

NAN = np.nan
WEIGHTS = scene_weights(2, draws=200, seed=3)
EVERY = ("x", "y", "x")


def cells(a, b, scene_of=(0, 0, 1)):
    """Return cells of one condition from rows of one question each."""
    return Cells(np.array([a], float), np.array([b], float), np.array(scene_of), max(scene_of) + 1)


def rows(found, names=("full",), baselines=(), families=None, categories=EVERY, weights=WEIGHTS):
    wanted = parts(names, baselines, families or dict.fromkeys(names, "One"), categories)
    return {
        (row.part.kind, row.part.name, row.part.category): row for row in paired_rows(found, wanted, weights)
    }


def test_runs_of_equal_length_are_paired_conversation_by_conversation():
    found = cells([[1, 0], [1, NAN], [0, 0]], [[1, 1], [0, 1], [NAN, 1]])
    assert found.pairing == "conversations"
    row = rows(found)["condition", "full", ""]
    # Pairs: 1-1, 0-1, 1-0, 0-1; what has no partner is in neither accuracy.
    assert (row.a.value, row.b.value, row.difference.value) == (0.5, 0.75, 0.25)
    assert (row.difference.n, row.questions, row.difference.scenes) == (4, 3, 2)
    assert (row.coverage_a, row.coverage_b) == (Coverage(5, 6), Coverage(5, 6))


def test_means_are_paired_question_by_question_where_the_numbers_of_runs_differ():
    found = cells([[1, 0, 1], [1, NAN, NAN], [NAN] * 3], [[1, 1], [0, NAN], [1, 1]])
    assert found.pairing == "questions"
    row = rows(found)["condition", "full", ""]
    # Question 1: 2/3 to 1; question 2: 1 to 0, although A has a single run of it; question 3 has no A.
    assert row.a.value == pytest.approx((2 / 3 + 1) / 2)
    assert row.b.value == pytest.approx(1 / 2)
    assert row.difference.value == pytest.approx((1 / 3 - 1) / 2)
    assert (row.difference.n, row.questions) == (2, 2)
    assert (row.coverage_a, row.coverage_b) == (Coverage(4, 9), Coverage(5, 6))


def test_the_interval_is_that_of_the_difference_and_not_of_its_sides():
    a = np.random.default_rng(4).normal(size=(1, 40, 1))
    found = Cells(a, a + 1.0, np.arange(40), 40)
    row = rows(found, categories=["x"] * 40, weights=scene_weights(40))["condition", "full", ""]
    assert (row.difference.low, row.difference.high) == pytest.approx((1.0, 1.0))
    assert row.a.high - row.a.low > 0.3


def test_scenes_are_drawn_together_by_hand():
    found = cells([[0], [0], [0]], [[1], [1], [0]])
    row = rows(found)["condition", "full", ""]
    # Draws hold scene 0 twice (all right), both (two of three), or scene 1 twice.
    assert (row.difference.low, row.difference.high) == (0.0, 1.0)
    alone = rows(cells([[0], [0]], [[1], [0]], (0, 0)), categories=("x", "y"), weights=scene_weights(1, 50))
    assert np.isnan(alone["condition", "full", ""].difference.low)


@given(st.data())
def test_both_pairings_agree_where_everything_counts(data):
    scores = st.lists(st.lists(st.sampled_from([0.0, 1.0]), min_size=3, max_size=3), min_size=4, max_size=4)
    a, b = (np.array([data.draw(scores)]) for _ in range(2))
    scene_of = np.array([0, 0, 1, 1])
    categories = ("x", "y", "x", "y")
    by_run = rows(Cells(a, b, scene_of, 2), categories=categories)
    by_question = rows(Cells(a, np.concatenate([b, b], axis=2), scene_of, 2), categories=categories)
    for key, row in by_run.items():
        assert by_question[key].difference.value == pytest.approx(row.difference.value)
        assert by_question[key].difference.low == pytest.approx(row.difference.low)


def test_families_categories_and_baselines():
    a, b = np.zeros((4, 3, 1)), np.zeros((4, 3, 1))
    b[0, 0], b[1], b[2, 2], b[3] = 1, 1, 1, 1
    families = {"full": "One", "sharded-v": "Two", "recap-v": "Two"}
    found = rows(Cells(a, b, np.array([0, 0, 1]), 2), tuple(families), ("question-only",), families)
    values = {
        key[:2] if key[0] != "condition and category" else key: row.difference.value
        for key, row in found.items()
    }
    assert values["condition", "sharded-v"] == 1.0
    assert values["baseline", "question-only"] == 1.0
    # Pooled over the nine pairs of the three conditions, without the baseline.
    assert values["all", "all conditions"] == pytest.approx(5 / 9)
    assert values["family", "Two"] == pytest.approx(4 / 6)
    assert ("family", "One") not in values
    assert values["category", "x"] == pytest.approx(4 / 6)
    assert values["category", "y"] == pytest.approx(1 / 3)
    assert values["condition and category", "recap-v", "x"] == 0.5
    assert found["category", "x", "x"].questions == 2


def test_one_condition_has_no_row_of_all():
    found = rows(cells([[1], [1], [0]], [[1], [1], [0]]))
    assert {kind for kind, _, _ in found} == {"condition", "category", "condition and category"}
    assert rows(cells([[1], [1], [0]], [[1], [1], [0]]), (), ("question-only",)).keys() == {
        ("baseline", "question-only", "")
    }

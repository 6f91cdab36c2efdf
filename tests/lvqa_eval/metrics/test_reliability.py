import numpy as np
import pytest

from lvqa_eval.metrics.reliability import BASELINES, reliability, reliability_changes
from tests.support.studies import NAN, agrees, random_study, scipy_bootstrap, study_of

PAIR = ("full", "sharded-q")


def test_by_hand():
    """Three questions count: always right, once in three, never. The fourth lacks a run."""
    study = study_of([[[[1, 1, 1], [0, 1, 0], [0, 0, 0], [1, 0, NAN]]]], ["full"])
    found = reliability(study, study.weights(100))
    assert found.accuracy.at("m0", "full").value == pytest.approx(4 / 9)
    assert found.aptitude.at("m0", "full").value == pytest.approx(2 / 3)
    figure = found.unreliability.at("m0", "full")
    assert figure.value == pytest.approx(1 / 3)
    assert (figure.n, figure.questions, figure.planned) == (9, 3, 12)


def test_right_every_time_is_aptitude_less_unreliability():
    study = random_study(["full"], seed=3)
    found = reliability(study, study.weights(10))
    correct = study.correct[:, 0]
    whole = np.isfinite(correct).all(axis=-1)
    always = [(correct[row][whole[row]] == 1).all(axis=-1).mean() for row in range(2)]
    np.testing.assert_allclose(
        (found.aptitude.cells.value - found.unreliability.cells.value)[:, 0], always, atol=1e-12
    )


def test_agrees_with_scipy():
    study = random_study(["full"], seed=11)

    def unreliable(drawn):
        def share(row):
            cells = study.correct[row, 0][drawn]
            cells = cells[np.isfinite(cells).all(axis=-1)]
            return (cells.min(axis=-1) != cells.max(axis=-1)).mean()

        return (share(0) + share(1)) / 2

    weights, low, high = scipy_bootstrap(study, unreliable)
    agrees(reliability(study, weights).unreliability.of_field("full"), unreliable(list(range(18))), low, high)


def test_changes_are_over_the_questions_that_both_have():
    """The third question is whole in one condition only. Unreliable: the second before, the first after."""
    correct = [[[[1, 1], [0, 1], [1, NAN]], [[1, 0], [0, 0], [1, 1]]]]
    study = study_of(correct, PAIR)
    found = reliability_changes(study, study.weights(20), [("sharded-q", "full")])
    column = "sharded-q minus full"
    assert found.accuracy.at("m0", column).value == pytest.approx(1 / 4 - 3 / 4)
    assert found.aptitude.at("m0", column).value == pytest.approx(1 / 2 - 1)
    assert found.unreliability.at("m0", column).value == 0.0
    assert found.unreliability.at("m0", column).questions == 2
    assert found.accuracy.unit == "difference"


def test_each_stream_in_pieces_is_held_against_both_baselines():
    study = random_study(["full", "concat-q", "sharded-q", "concat-v", "sharded-v"])
    found = reliability_changes(study, study.weights(10))
    assert found.accuracy.columns == tuple(f"{one} minus {other}" for one, other in BASELINES)
    assert found.accuracy.columns == (
        *("sharded-q minus full", "sharded-q minus concat-q"),
        *("sharded-v minus full", "sharded-v minus concat-v"),
    )


def test_one_run_tells_nothing_of_reliability():
    study = random_study(["full"], runs=1)
    found = reliability(study, study.weights(10))
    assert np.isnan(found.unreliability.cells.value).all()
    assert np.isnan(found.aptitude.field.value).all()

import numpy as np
import pytest

from lvqa_eval.metrics.recomposition import STREAMS, recomposition
from tests.support.studies import NAN, agrees, random_study, scipy_bootstrap, study_of

QUESTION = STREAMS["question"]


def test_three_steps_by_hand():
    """Whole 3/4, sharded 1/4, recap 4/4; the fifth question has no verdict in recap and is in no step."""
    correct = [
        [
            [[1], [1], [1], [0], [1]],
            [[0], [1], [0], [0], [0]],
            [[1], [1], [1], [1], [NAN]],
        ]
    ]
    study = study_of(correct, QUESTION)
    found = recomposition(study, QUESTION, study.weights(50))
    assert found.columns == ("fragmenting", "restoring", "overshoot")
    assert found.cells.value[0].tolist() == [-0.5, 0.75, 0.25]
    assert (found.cells.n[0] == 4).all()


@pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS)
def test_the_two_steps_add_up_to_the_overshoot(stream):
    study = random_study(stream, seed=6)
    table = recomposition(study, stream, study.weights(40))
    for figures in (table.cells, table.field):
        np.testing.assert_allclose(
            figures.value[..., 0] + figures.value[..., 1], figures.value[..., 2], atol=1e-12
        )


def test_agrees_with_scipy():
    study = random_study(QUESTION, seed=7)
    same = study.common(QUESTION).of(QUESTION)

    def restoring(drawn):
        return np.mean([np.nanmean((same[row, 2] - same[row, 1])[drawn]) for row in range(2)])

    weights, low, high = scipy_bootstrap(study, restoring)
    found = recomposition(study, QUESTION, weights).of_field("restoring")
    agrees(found, restoring(list(range(18))), low, high)


def test_streams_are_those_of_the_question_and_of_the_scene():
    assert STREAMS["question"] == ("full", "sharded-q", "recap-q")
    assert STREAMS["scene"] == ("full", "sharded-v", "recap-v")

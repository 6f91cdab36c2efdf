import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from lvqa_eval.metrics.length_control import length_control
from lvqa_eval.metrics.study import StudyError
from tests.support.studies import NAN, agrees, random_study, scipy_bootstrap, study_of, without

PAIR = ("full", "sharded-v")


def test_a_model_that_is_right_only_where_it_writes_much_falls():
    """Both models gain one half for each doubling; model 1 writes twice as much and is no better for it.

    Lengths (log2) of model 0 are 1, 1, 2, 2 with 0, 0, 0, 1 right: slope 1/2. Model 1 has 2, 2, 3, 3 alike.
    Mean lengths lie half a doubling beside the field's 2, so 1/4 moves up and 2/4 moves down by 1/4.
    """
    correct = [[[[0], [0], [0], [1]]], [[[0], [1], [1], [1]]]]
    characters = 2.0 ** np.array([[[[1.0], [1], [2], [2]]], [[[2], [2], [3], [3]]]]) - 1
    study = study_of(correct, ["full"])
    found = length_control(study, characters, study.weights(30))
    assert found.slope.value == pytest.approx(0.5)
    assert found.table.cells.value[:, 0].tolist() == [0.25, 0.75]
    assert found.table.cells.value[:, 1] == pytest.approx([0.5, 0.5])
    assert found.ranks.tolist() == [2, 1]


def readings(seed):
    study = random_study(PAIR, seed=seed, models=3)
    characters = np.random.default_rng(seed).integers(1, 400, study.correct.shape).astype(float)
    characters[0, 0, 0] = NAN
    return study, characters


def fitted(study, characters, drawn):
    """Accuracy at equal length and the slope, by scikit-learn's least squares with a column for each cell."""
    models, conditions = study.correct.shape[:2]
    correct, length = study.correct[:, :, drawn], np.log2(1 + characters[:, :, drawn])
    known = np.isfinite(correct) & np.isfinite(length)
    cell = np.broadcast_to(np.arange(models * conditions).reshape(models, conditions, 1, 1), known.shape)
    design = np.hstack([length[known][:, None], np.eye(models * conditions)[cell[known]]])
    slope = LinearRegression(fit_intercept=False).fit(design, correct[known]).coef_[0]
    means = [[values[row][known[row]].mean() for row in range(models)] for values in (correct, length)]
    return np.array(means[0]) - slope * (np.array(means[1]) - np.mean(means[1])), slope


def test_agrees_with_scikit_learn_and_scipy():
    study, characters = readings(3)
    every = list(range(18))
    for value in (
        lambda drawn: fitted(study, characters, drawn)[0][1],
        lambda drawn: fitted(study, characters, drawn)[1],
    ):
        weights, low, high = scipy_bootstrap(study, value)
        found = length_control(study, characters, weights)
        is_slope = value(every) == fitted(study, characters, every)[1]
        figure = found.slope if is_slope else found.table.at("m1", "at equal length")
        agrees(figure, value(every), low, high)


def test_ranks_and_their_agreement():
    study, characters = readings(5)
    found = length_control(study, characters, study.weights(20))
    for column, ranks in ((0, found.ranks), (1, found.controlled_ranks)):
        best_first = np.argsort(-found.table.cells.value[:, column])
        assert ranks[best_first].tolist() == [1, 2, 3]
    assert -1 <= found.tau <= 1
    assert found.conditions == PAIR


def test_where_all_write_alike_nothing_is_controlled():
    study = random_study(PAIR)
    found = length_control(study, np.full(study.correct.shape, 20.0), study.weights(5))
    assert np.isnan(found.slope.value)
    assert np.isnan(found.table.cells.value[:, 1]).all()
    assert np.isfinite(found.table.cells.value[:, 0]).all()


def test_models_with_other_conditions_are_not_ranked():
    study = without(random_study(PAIR), "m1", "sharded-v")
    with pytest.raises(StudyError, match="m1 lacks one of full, sharded-v"):
        length_control(study, np.ones(study.correct.shape), study.weights(5))

import numpy as np
import pytest

from lvqa_eval.metrics.controls import beyond_question, control_contrast
from lvqa_eval.metrics.study import StudyError
from tests.support.studies import NAN, agrees, random_study, scipy_bootstrap, study_of, without

TRIPLE = ("full", "all-layers", "oracle")


def test_all_three_stand_on_the_same_conversations():
    """The second question has no verdict under oracle, so it is in none of the three."""
    study = study_of([[[[1], [1], [1], [0]], [[1], [0], [1], [1]], [[0], [NAN], [1], [0]]]], TRIPLE)
    found = control_contrast(study, study.weights(50))
    assert found.levels.cells.value[0] == pytest.approx([2 / 3, 1.0, 1 / 3])
    assert found.differences.columns == (
        "all-layers minus full",
        "oracle minus full",
        "oracle minus all-layers",
    )
    assert found.differences.cells.value[0] == pytest.approx([1 / 3, -1 / 3, -2 / 3])
    assert (found.differences.cells.n == 3).all()
    assert (found.differences.cells.planned == 4).all()


def test_differences_agree_with_scipy():
    study = random_study(TRIPLE, seed=8)
    same = study.common(TRIPLE).of(TRIPLE)

    def difference(drawn):
        return np.mean([np.nanmean((same[row, 2] - same[row, 1])[drawn]) for row in range(2)])

    weights, low, high = scipy_bootstrap(study, difference)
    found = control_contrast(study, weights).differences.of_field("oracle minus all-layers")
    agrees(found, difference(list(range(18))), low, high)


def test_a_control_that_was_not_run_leaves_the_contrast_empty():
    study = without(random_study(TRIPLE), "m0", "all-layers")
    found = control_contrast(study, study.weights(10))
    assert found.differences.lacking("oracle minus full") == ("m0",)
    assert np.isnan(found.levels.field.value).all()


def test_what_a_condition_has_beyond_the_question_alone():
    study = study_of([[[[1, 1], [1, 0]]], [[[1, NAN], [0, 0]]]], ["sharded-v"])
    alone = study_of([[[[1, 0], [0, 0]]], [[[0, 1], [0, 0]]]], ["question-only"])
    found = beyond_question(study, alone, study.weights(40), ["sharded-v"])
    assert found.cells.value[:, 0] == pytest.approx([0.5, 1 / 3])
    assert found.of_field("sharded-v").value == pytest.approx(5 / 12)
    assert found.cells.n[:, 0].tolist() == [4, 3]


def test_a_baseline_of_one_run_is_paired_with_the_first():
    study = study_of([[[[1, 0], [1, 0]]]], ["sharded-v"])
    alone = study_of([[[[1], [0]]]], ["question-only"])
    found = beyond_question(study, alone, study.weights(10), ["sharded-v"]).at("m0", "sharded-v")
    assert (found.value, found.n, found.planned) == (0.5, 2, 2)


def test_baselines_of_other_models_are_refused():
    study, others = random_study(["full"], models=2), random_study(["question-only"], models=3)
    with pytest.raises(StudyError, match="other models or questions"):
        beyond_question(study, others, study.weights(5), ["full"])

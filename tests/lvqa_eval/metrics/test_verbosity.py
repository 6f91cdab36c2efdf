from dataclasses import replace

import numpy as np
import pytest

from lvqa_eval.metrics.verbosity import fifths, is_multi_turn, lots, reply_characters, verbosity
from tests.support.scored_runs import conversation, question, turn
from tests.support.studies import NAN, agrees, random_study, scipy_bootstrap, study_of, without

ASKED = question("q0", "s0")


def test_only_the_final_reply_is_measured():
    turns = [turn(reply="a long first reply"), turn(reply="  red\n")]
    assert reply_characters(ASKED, conversation("sharded-v", "q0", turns=turns)) == 3
    assert is_multi_turn(ASKED, conversation("sharded-v", "q0", turns=turns)) == 1
    assert is_multi_turn(ASKED, conversation("full", "q0")) == 0


def test_of_a_grounding_reply_only_the_answer_counts():
    told = [turn(reply="Answer: dark red\nLayers: 1, 2\nConfidence: 90\nWhy: a long sentence on the circle")]
    assert reply_characters(ASKED, conversation("all-layers", "q0", turns=told)) == 8
    assert reply_characters(ASKED, conversation("full", "q0", turns=told)) > 50


@pytest.mark.parametrize("reply", [None, " \n", "Layers: 1"])
def test_nothing_said_has_no_length(reply):
    condition = "all-layers" if reply == "Layers: 1" else "full"
    assert np.isnan(reply_characters(ASKED, conversation(condition, "q0", turns=[turn(reply=reply)])))


def test_fifths_of_a_row_are_its_own():
    values = np.array([[[5.0, 4, 3, 2, 1, NAN]], [[70.0, 10, 20, 30, 40, 60]]])
    found = fifths(values, np.zeros(values.shape))
    np.testing.assert_array_equal(found[0], [[5, 4, 3, 2, 1, NAN]])
    # Six values: ranks 0 to 5 lie in fifths 1 + floor(5 r / 6).
    assert found[1].tolist() == [[5, 1, 1, 2, 3, 4]]


def test_equals_are_ranked_by_lot():
    found = fifths(np.ones((1, 5)), np.array([[0.3, 0.1, 0.5, 0.2, 0.4]]))
    assert found.tolist() == [[3, 1, 5, 2, 4]]


def test_lots_belong_to_conversations_and_to_the_seed():
    study = random_study(["full", "oracle"])
    order = np.random.default_rng(0).permutation(18)
    turned = replace(
        study,
        questions=tuple(study.questions[place] for place in order),
        correct=study.correct[:, :, order],
    )
    drawn = lots(study, 0)
    np.testing.assert_array_equal(lots(turned, 0), drawn[:, :, order])
    assert len(np.unique(drawn)) == drawn.size
    assert 0 <= drawn.min() < 0.05 < 0.95 < drawn.max() < 1
    assert (lots(study, 1) != drawn).all()


def test_accuracy_by_length_by_hand():
    """Ten single-turn replies of one model, the right ones the shortest four; two have nothing to measure."""
    right = [[[[1]] * 4 + [[0]] * 6 + [[0], [0]]]]
    study = study_of(right, ["full"])
    characters = np.array([[[[float(n)] for n in range(10)] + [[NAN], [NAN]]]])
    found = verbosity(study, characters, np.ones(characters.shape, dtype=bool), study.weights(80))
    assert found.accuracy.cells.value.tolist() == [[1.0, 1.0, 0.0, 0.0, 0.0]]
    assert found.characters.cells.value.tolist() == [[0.5, 2.5, 4.5, 6.5, 8.5]]
    assert found.without_reply == 2
    assert found.accuracy.at("m0", "1").n == 2


def test_single_and_multi_turn_are_apart():
    study = study_of([[[[1], [1], [0], [0], [1]], [[0], [0], [1], [1], [0]]]], ["full", "sharded-v"])
    characters = np.array([[[[1.0], [2], [3], [4], [5]], [[100], [200], [300], [400], [500]]]])
    multi = np.zeros(characters.shape, dtype=bool)
    multi[:, 1] = True
    weights = study.weights(20)
    assert verbosity(study, characters, ~multi, weights).accuracy.cells.value.tolist() == [[1, 1, 0, 0, 1]]
    assert verbosity(study, characters, multi, weights).accuracy.cells.value.tolist() == [[0, 0, 1, 1, 0]]


def test_agrees_with_scipy():
    study = random_study(["full"], seed=15)
    characters = np.random.default_rng(0).permutation(study.correct.size).reshape(study.correct.shape) + 1.0
    measured = np.where(np.isfinite(study.correct), characters, NAN)
    inside = np.zeros(study.correct.shape, dtype=bool)
    for row in range(2):
        ordered = np.sort(measured[row][np.isfinite(measured[row])])
        inside[row] = measured[row] >= ordered[-(-4 * len(ordered) // 5)]

    def longest(drawn):
        return study.correct[1, 0, drawn][inside[1, 0, drawn]].mean()

    weights, low, high = scipy_bootstrap(study, longest)
    found = verbosity(study, characters, np.ones(inside.shape, dtype=bool), weights).accuracy.at("m1", "5")
    agrees(found, longest(list(range(18))), low, high)


def test_a_model_that_lacks_a_condition_has_no_fifths():
    study = without(random_study(["full", "oracle"]), "m0", "oracle")
    characters = np.random.default_rng(0).random(study.correct.shape)
    every = np.ones(characters.shape, dtype=bool)
    assert verbosity(study, characters, every, study.weights(10)).accuracy.lacking("3") == ("m0",)
    found = verbosity(study, characters, every, study.weights(10), conditions=["full"]).accuracy
    assert found.lacking("3") == ()

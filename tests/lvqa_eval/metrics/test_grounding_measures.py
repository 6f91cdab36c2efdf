from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_fscore_support

from lvqa_eval.metrics.grounding import MEASURES, grounding, layer_measures, read_measures
from lvqa_eval.metrics.scores import OUTCOMES
from lvqa_eval.statuses import Status
from tests.support.scored_runs import conversation, question, turn
from tests.support.studies import NAN, agrees, random_study, scipy_bootstrap, study_of


def measured(predicted, gold, distractors=(), depth=6):
    found = layer_measures(frozenset(predicted), frozenset(gold), frozenset(distractors), depth)
    return dict(zip(MEASURES, found, strict=True))


def test_measures_by_hand():
    # P = {1, 2, 4, 9}, G = {1, 2, 3}: two hits; 4 is a distractor, and the scene has no layer 9.
    assert measured({1, 2, 4, 9}, {1, 2, 3}, {0, 4, 5}) == pytest.approx(
        {
            "precision": 2 / 4,
            "recall": 2 / 3,
            "F1": 4 / 7,
            "exact match": 0,
            "completeness": 0,
            "excess": 2 / 4,
            "distractor": 1 / 4,
            "invalid": 1 / 4,
        }
    )
    assert measured({0, 1, 2}, {1, 2})["completeness"] == 1
    assert measured({2, 1}, {1, 2}) == pytest.approx(
        dict(zip(MEASURES, (1, 1, 1, 1, 1, 0, 0, 0), strict=True))
    )


def test_no_layer_at_all_has_nothing_right_and_nothing_beside():
    assert set(measured((), {1}, {0}).values()) == {0.0}


layers = st.sets(st.integers(0, 5), min_size=1)


@settings(max_examples=40)
@given(layers, layers)
def test_agrees_with_scikit_learn(predicted, gold):
    found = measured(predicted, gold)
    truth, said = ([layer in one for layer in range(6)] for one in (gold, predicted))
    precision, recall, f1, _ = precision_recall_fscore_support(truth, said, average="binary", zero_division=0)
    assert (found["precision"], found["recall"], found["F1"]) == pytest.approx(
        (precision, recall, f1), abs=1e-9
    )
    assert found["excess"] == pytest.approx(1 - precision, abs=1e-9)


def reply(layers, status=Status.OK, answer="red"):
    text = f"Answer: {answer}\nLayers: {layers}\nConfidence: 80\nWhy: it is there"
    return conversation("all-layers", "q0", status=status, turns=[turn(composite=True, reply=text)])


def test_the_layers_of_a_reply_are_read():
    asked = question("q0", "s0", ((1, 2), (3,)), depth=5)
    found = dict(zip(MEASURES, read_measures(asked, reply("1, 2, 4")), strict=True))
    assert found["precision"] == pytest.approx(2 / 3)
    assert found["distractor"] == pytest.approx(1 / 3)
    # Layer 3 is in a minimal set, so it lies beside gold but is no distractor.
    assert read_measures(asked, reply("3"))[:3] == (0, 0, 0)
    assert read_measures(asked, reply("3"))[MEASURES.index("distractor")] == 0


def test_alternative_sets_count_where_they_are_asked_for():
    asked = question("q0", "s0", ((1, 2), (3,)), depth=5)
    assert read_measures(asked, reply("3"), alternatives=True)[:5] == (1, 1, 1, 1, 1)
    assert read_measures(asked, reply("1"), alternatives=True)[:3] == pytest.approx((1, 1 / 2, 2 / 3))


@pytest.mark.parametrize(
    "told", [reply("-1"), reply("1", Status.TRUNCATED), reply("1", Status.UNPARSABLE), reply("maybe")]
)
def test_what_cannot_be_read_has_no_measures(told):
    assert read_measures(question("q0", "s0"), told) == ()


def grounded():
    """Question 0: exact and right, then P = {1} and right. Question 1: exact and wrong, then unparsable."""
    study = study_of([[[[1, 1], [0, 0]]]], ["all-layers"])
    outcome = study.outcome.copy()
    outcome[0, 0, 1, 1] = OUTCOMES.index(Status.UNPARSABLE)
    exact = layer_measures(*map(frozenset, ((1, 2), (1, 2), (0,))), 3)
    half = layer_measures(*map(frozenset, ((1,), (1, 2), (0,))), 3)
    measures = np.array([[[exact, half], [exact, [NAN] * 8]]])
    return replace(study, outcome=outcome), measures


def test_measures_are_means_of_questions_and_joint_is_of_conversations():
    study, measures = grounded()
    found = grounding(study, measures, study.weights(200))
    # Recall: question 0 has (1 + 1/2) / 2, question 1 has 1 from its one readable reply.
    recall = found.measures.at("m0", "recall")
    assert recall.value == pytest.approx((0.75 + 1) / 2)
    assert (recall.n, recall.questions, recall.planned, recall.coverage) == (3, 2, 4, 0.75)
    assert found.measures.at("m0", "exact match").value == pytest.approx((0.5 + 1) / 2)
    # All four conversations count: two are right, one of them with the right layers.
    assert [found.joint.at("m0", column).value for column in found.joint.columns] == [0.5, 0.25, 0.25]
    assert found.joint.at("m0", "joint").n == 4
    assert found.unread == {"m0": {"truncated": 0, "refused": 0, "empty": 0, "unparsable": 1}}


def test_macro_figures_and_the_gap_agree_with_scipy():
    rng = np.random.default_rng(1)
    study = random_study(["all-layers"], seed=1)
    measures = rng.random((2, 18, 3, 8))
    measures[..., 3] = np.round(measures[..., 3])
    measures[rng.random((2, 18, 3)) < 0.2] = NAN

    def recall(drawn):
        by_question = np.nanmean(measures[..., 1], axis=-1)
        return np.nanmean(by_question[:, drawn], axis=-1).mean()

    def gap(drawn):
        joint = study.correct[:, 0] * np.nan_to_num(measures[..., 3])
        return np.mean([np.nanmean((study.correct[row, 0] - joint[row])[drawn]) for row in range(2)])

    for value, name, column in ((recall, "measures", "recall"), (gap, "joint", "gap")):
        weights, low, high = scipy_bootstrap(study, value)
        table = getattr(grounding(study, measures, weights), name)
        agrees(table.of_field(column), value(list(range(18))), low, high)


def test_a_study_without_the_condition_has_no_grounding():
    study = random_study(["full"])
    found = grounding(study, np.full((2, 18, 3, 8), NAN), study.weights(5))
    assert np.isnan(found.joint.cells.value).all()
    assert found.unread == {"m0": {}, "m1": {}}

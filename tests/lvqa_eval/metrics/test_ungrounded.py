import numpy as np
import pytest

from lvqa_eval.metrics.ungrounded import LAYER_DELIVERIES, UNGROUNDED_CONDITIONS, evidence_turn, ungrounded
from tests.support.scored_runs import conversation, question, turn
from tests.support.studies import agrees, random_study, scipy_bootstrap, study_of

PAIR = ("sharded-v", "recap-v")


def test_the_conditions_in_which_evidence_comes_in_pieces():
    assert (
        *("sharded-v", "recap-v", "snowball-v"),
        *("evidence-first", "evidence-last", "aligned-vq", "misaligned-vq"),
    ) == UNGROUNDED_CONDITIONS
    assert set(LAYER_DELIVERIES["shards with layers"]) == {"aligned-vq", "misaligned-vq"}


def test_the_turn_of_the_evidence_of_a_conversation():
    asked = question("q0", "s0", ((1, 2), (3,)))
    layers = [turn([0]), turn([1]), turn([2]), turn([3])]
    assert evidence_turn(asked, conversation("sharded-v", "q0", turns=layers)) == 3
    # The whole scene caps it.
    capped = [turn([0]), turn(composite=True), *layers[1:]]
    assert evidence_turn(asked, conversation("recap-v", "q0", turns=capped)) == 2
    assert np.isnan(evidence_turn(asked, conversation("sharded-v", "q0", turns=layers[:2])))


def by_hand():
    """Six conversations, evidence in turn 3.

    Right in the end, first right in turns 1, 3 and 5; right in the end with no right attempt listed; wrong in
    the end after an early right one; wrong.
    """
    correct = [[[[1], [1], [1], [1], [0], [0]]]]
    first = np.array([[[[1], [3], [5], [0], [1], [0]]]], dtype=float)
    return study_of(correct, ["sharded-v"]), first, np.full((1, 1, 6, 1), 3.0)


def test_shares_are_of_what_is_right_in_the_end():
    study, first, evidence = by_hand()
    found = ungrounded(study, first, evidence, study.weights(60))
    accuracy, share, grounded = (found.table.at("m0", column) for column in found.table.columns)
    assert accuracy.value == pytest.approx(4 / 6)
    assert share.value == pytest.approx(1 / 3)
    assert grounded.value == pytest.approx(4 / 6 * 2 / 3)
    assert (share.n, share.planned) == (3, 4)
    assert (grounded.n, grounded.planned) == (6, 6)
    assert found.unlocated == 1
    assert found.conditions == ("sharded-v",)


def test_where_nothing_is_right_there_is_no_share_and_nothing_grounded():
    study = study_of([[[[0], [0]]]], ["sharded-v"])
    nothing = np.zeros((1, 1, 2, 1))
    found = ungrounded(study, nothing, nothing + 2, study.weights(10))
    assert np.isnan(found.table.at("m0", "ungrounded").value)
    agrees(found.table.at("m0", "grounded accuracy"), 0.0, 0.0, 0.0)


def test_agrees_with_scipy():
    study = random_study(PAIR, seed=14)
    rng = np.random.default_rng(2)
    first = rng.integers(0, 5, study.correct.shape).astype(float)
    evidence = rng.integers(1, 5, study.correct.shape).astype(float)

    def share(drawn, row):
        right = (study.correct[row][:, drawn] == 1) & (first[row][:, drawn] > 0)
        return (first[row][:, drawn] < evidence[row][:, drawn])[right].mean()

    def grounded(drawn):
        return np.mean([np.nanmean(study.correct[row][:, drawn]) * (1 - share(drawn, row)) for row in (0, 1)])

    every = list(range(18))
    for value, column in ((grounded, "grounded accuracy"), (lambda d: share(d, 1), "ungrounded")):
        weights, low, high = scipy_bootstrap(study, value)
        table = ungrounded(study, first, evidence, weights).table
        figure = table.of_field(column) if column == "grounded accuracy" else table.at("m1", column)
        agrees(figure, value(every), low, high)

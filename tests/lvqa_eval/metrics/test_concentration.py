import numpy as np
import pytest

from lvqa_eval.metrics.concentration import concentration, loss_curve, worst_share
from tests.support.studies import NAN, random_study, study_of, without

PAIR = ("full", "concat-v")


def test_shares_by_hand():
    """Ten questions: one loses 1, one 1/2, one gains 1/2, seven nothing."""
    losses = np.array([0, 0, 1, 0, -0.5, 0, 0.5, 0, 0, 0])
    assert worst_share(losses, 0.1) == pytest.approx([1 / 1.5])
    assert worst_share(losses, 0.2) == pytest.approx([1.0])
    assert worst_share(losses, 0.1, net=True) == pytest.approx([1.0])
    assert worst_share(losses, 0.2, net=True) == pytest.approx([1.5])


def test_a_part_of_a_question_counts_in_part():
    """The worst tenth of five questions is half of the worst one."""
    assert worst_share(np.array([0.8, 0.2, 0, 0, 0]), 0.1) == pytest.approx([0.4])


def test_equal_losses_are_not_concentrated():
    assert worst_share(np.full(30, 0.2), 0.1) == pytest.approx([0.1])
    assert worst_share(np.full(30, 0.2), 0.2) == pytest.approx([0.2])


def test_the_curve_is_the_share_of_each_part():
    rng = np.random.default_rng(4)
    losses, parts = rng.normal(0.1, 0.5, (3, 17)), np.arange(21) / 20
    losses[2] = -1
    shares = np.stack([worst_share(losses, part) for part in parts], axis=1)
    np.testing.assert_allclose(loss_curve(losses, parts), shares, atol=1e-12)
    assert np.isnan(shares[2]).all()


def test_weights_are_copies():
    losses, weights = np.array([0.5, 1.0, 0.0, -0.5]), np.array([[2.0, 1, 1, 1], [0, 0, 3, 2]])
    copies = [np.repeat(losses, row.astype(int)) for row in weights]
    found = worst_share(losses, 0.2, weights)
    assert found[0] == pytest.approx(worst_share(copies[0], 0.2)[0], abs=1e-12)
    assert np.isnan(found[1])
    assert np.isnan(worst_share(copies[1], 0.2)[0])


def test_nothing_lost_is_no_share():
    assert np.isnan(worst_share(np.zeros(5), 0.1)).all()
    assert np.isnan(worst_share(np.array([1.0, -1, -1]), 0.1, net=True)).all()


def by_hand():
    """Two models of one run: losses of 1, 1/2, 0 and -1/2; the fifth question has one pair, a loss of 1."""
    full = [[[1], [1], [0], [0], [1]], [[1], [0], [1], [0], [NAN]]]
    layers = [[[0], [0], [0], [1], [0]], [[0], [0], [1], [0], [1]]]
    return study_of(np.stack([full, layers], axis=1), PAIR)


def test_losses_are_means_over_models_and_runs():
    study = by_hand()
    found = concentration(study, "concat-v", study.weights(100))
    assert found.questions == ("q00", "q04", "q01", "q02", "q03")
    assert found.losses.tolist() == [1, 1, 0.5, 0, -0.5]
    assert (found.no_loss, found.pairs, found.scenes) == (2, 9, 5)
    tenth, fifth = found.shares
    assert (tenth.part, tenth.value) == ("worst tenth", pytest.approx(0.5 / 2.5))
    assert (fifth.part, fifth.value) == ("worst fifth", pytest.approx(1 / 2.5))
    assert fifth.of_net == pytest.approx(1 / 2)
    curve = found.curve
    assert curve.carried[[0, 2, 4, 20]] == pytest.approx([0, tenth.value, fifth.value, 1])
    assert curve.null_mean[[2, 4]] == pytest.approx([tenth.null.mean, fifth.null.mean])
    assert curve.null_high[4] == pytest.approx(fifth.null.high)
    assert fifth.low <= fifth.value <= fifth.high


def test_redrawn_scenes_bring_all_of_their_questions():
    study = study_of([[[[1], [1], [1], [1]], [[0], [1], [0], [1]]]], PAIR, scenes=[0, 0, 1, 1])
    found = concentration(study, "concat-v", np.array([[2.0, 0.0], [1.0, 1.0]]))
    # Either way half of the questions lose all: the worst fifth carries 0.2 / 0.5.
    assert (found.shares[1].value, found.shares[1].low, found.shares[1].high) == pytest.approx(
        (0.4, 0.4, 0.4)
    )


def test_chance_alone_concentrates_a_uniform_loss():
    """At 33 pairs a question and the levels of the publication chance gives 21 % and 37 %."""
    rng = np.random.default_rng(0)
    levels = np.array([0.6, 0.413])[None, :, None, None]
    study = study_of((rng.random((11, 2, 300, 3)) < levels).astype(float), PAIR, [i % 93 for i in range(300)])
    found = concentration(study, "concat-v", study.weights(50))
    tenth, fifth = (one.null for one in found.shares)
    assert tenth.mean == pytest.approx(0.21, abs=0.01)
    assert fifth.mean == pytest.approx(0.37, abs=0.01)
    # This loss is uniform, so it lies inside its own null.
    for share in found.shares:
        assert share.null.low < share.value < share.null.high
    assert found.no_loss_null.low <= found.no_loss <= found.no_loss_null.high


def test_a_loss_in_few_questions_lies_far_outside_the_null():
    rng = np.random.default_rng(1)
    full = (rng.random((4, 200, 3)) < 0.7).astype(float)
    layers = np.where(np.arange(200)[:, None] < 20, 0.0, full)
    study = study_of(np.stack([full, layers], axis=1), PAIR, [i % 50 for i in range(200)])
    found = concentration(study, "concat-v", study.weights(50))
    assert found.shares[0].value == pytest.approx(1.0)
    assert found.shares[0].null.high < 0.6


def test_only_models_with_both_conditions_have_a_loss():
    study = without(random_study(PAIR), "m0", "concat-v")
    found = concentration(study, "concat-v", study.weights(20))
    assert found.models == ("m1",)
    alone = concentration(study.only(["m1"]), "concat-v", study.weights(20))
    np.testing.assert_array_equal(found.losses, alone.losses)
    assert found.shares == alone.shares


def test_one_scene_has_no_interval_and_nothing_run_has_no_share():
    study = random_study(PAIR, scenes=1)
    share = concentration(study, "concat-v", study.weights(5)).shares[0]
    assert np.isnan([share.low, share.high]).all()
    nothing = concentration(study, "oracle", study.weights(5))
    assert nothing.questions == ()
    assert np.isnan(nothing.shares[0].value)
    assert np.isnan(nothing.shares[0].null.mean)

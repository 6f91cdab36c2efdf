import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import cohen_kappa_score

from lvqa_eval.metrics.agreement import (
    against_humans,
    agreement,
    best_judge,
    krippendorff_alpha,
    pairwise_agreement,
    proportion,
    retest,
)

NAN = np.nan
VOTES = arrays(np.int8, st.tuples(st.integers(2, 5), st.integers(1, 30)), elements=st.integers(-1, 1))


def votes(*judges):
    return np.array(judges, dtype=np.int8)


def test_kappa_by_hand():
    # Eight of ten votes are the same; by chance half would be: (0.8 - 0.5) / (1 - 0.5).
    found = agreement(votes(1, 1, 1, 1, 1, 0, 0, 0, 0, 0), votes(1, 1, 1, 1, 0, 1, 0, 0, 0, 0))
    assert (found.n, found.raw, found.kappa) == (10, 0.8, pytest.approx(0.6))
    assert found.note is None


def test_kappa_of_judges_who_always_say_the_same_word_is_undefined():
    found = agreement(votes(1, 1, 1), votes(1, 1, 1))
    assert np.isnan(found.kappa)
    assert (found.raw, found.note) == (1.0, "undefined (one label)")


def test_kappa_of_one_constant_judge_is_zero():
    assert agreement(votes(1, 1, 1, 1), votes(1, 1, 0, 1)).kappa == 0.0
    assert agreement(votes(1, 1), votes(0, 0)).kappa == 0.0


def test_judges_without_a_common_item():
    found = agreement(votes(1, -1), votes(-1, 0))
    assert (found.n, found.note) == (0, "undefined (no common item)")
    assert np.isnan([found.raw, found.kappa]).all()


@given(VOTES)
def test_all_pairs_agree_with_sklearn(panel):
    found = pairwise_agreement(panel)
    assert list(found.pairs) == [(i, j) for i in range(len(panel)) for j in range(i + 1, len(panel))]
    for (i, j), pair in found.pairs.items():
        both = (panel[i] >= 0) & (panel[j] >= 0)
        ours, theirs = panel[i][both], panel[j][both]
        assert pair.n == both.sum()
        if not both.any():
            continue
        assert pair.raw == pytest.approx((ours == theirs).mean())
        if len(set(ours) | set(theirs)) == 1:
            assert pair.note == "undefined (one label)"
        else:
            assert pair.kappa == pytest.approx(cohen_kappa_score(ours, theirs), abs=1e-12)


@given(VOTES, st.randoms(use_true_random=False))
def test_the_order_of_judges_and_items_changes_nothing(panel, random):
    judges, items = (random.sample(range(size), size) for size in panel.shape)
    here, there = pairwise_agreement(panel), pairwise_agreement(panel[judges][:, items])
    for field in ("n", "raw", "kappa"):
        np.testing.assert_array_equal(getattr(here, field)[np.ix_(judges, judges)], getattr(there, field))


def test_one_label_but_for_one_vote_in_many_is_defined():
    one, other = np.ones((2, 158_400), dtype=np.int8)
    one[0] = other[0] = 0
    assert agreement(one, other).kappa == pytest.approx(1.0)
    other[0] = 1
    assert agreement(one, other).kappa == 0.0


def test_alpha_of_two_judges_by_hand():
    # Twenty paired votes, 14 of them 0 and 6 of them 1; four of ten items differ.
    # Observed disagreement 8 / 20, by chance 2 * 14 * 6 / (20 * 19): alpha = 1 - 19 * 8 / (2 * 14 * 6).
    panel = votes([0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0])
    assert krippendorff_alpha(panel) == pytest.approx(1 - 152 / 168)
    # What one judge alone voted on says nothing.
    alone = votes([1, -1, 1], [-1, 0, -1])
    assert krippendorff_alpha(np.hstack([panel, alone])) == pytest.approx(1 - 152 / 168)


def test_alpha_with_missing_votes_by_hand():
    # Pairs of an item weigh 1 / (votes - 1). Items (1,1,-), (1,0,0), (0,0,-): seven votes, three of them 1.
    # Observed: the second item has two pairs that differ, both ways, over 2: 2 of 7.
    # By chance 2 * 3 * 4 / (7 * 6).
    panel = votes([1, 1, 0], [1, 0, 0], [-1, 0, -1])
    assert krippendorff_alpha(panel) == pytest.approx(1 - (2 / 7) / (24 / 42))


def test_alpha_is_undefined_for_one_label_and_without_pairs():
    assert np.isnan(krippendorff_alpha(votes([1, 1, 0], [1, 1, -1])))
    assert np.isnan(krippendorff_alpha(votes([1, -1], [-1, 0])))


def test_wilson_interval_by_hand():
    # z = 1.959964, n = 10, p = 0.8: centre (p + z^2 / 2n) / (1 + z^2 / n), half width by its formula.
    z2 = 1.959963984540054**2
    centre = (0.8 + z2 / 20) / (1 + z2 / 10)
    half = np.sqrt(z2 * (0.8 * 0.2 / 10 + z2 / 400)) / (1 + z2 / 10)
    found = proportion(8, 10)
    assert (found.n, found.value) == (10, 0.8)
    assert (found.low, found.high) == (pytest.approx(centre - half), pytest.approx(centre + half))
    assert proportion(10, 10).low == pytest.approx(10 / (10 + z2))
    assert np.isnan([proportion(0, 0).value, proportion(0, 0).low]).all()


def test_consensus_against_people():
    verdicts = votes(1, 0, 1, 1, -1, 0)
    labels = votes(1, 0, 0, 1, 1, -1)
    found = against_humans(verdicts, labels)
    assert (found.accuracy.n, found.accuracy.value) == (4, 0.75)
    assert (found.agreement.raw, found.agreement.kappa) == (0.75, pytest.approx(0.5))
    assert (found.verdicts.n, found.verdicts.scored, found.verdicts.coverage) == (5, 4, 0.8)
    split = against_humans(verdicts, np.where([True, True, False, False, False, False], labels, -1))
    assert (split.accuracy.n, split.accuracy.value) == (2, 1.0)


def test_the_best_single_judge():
    labels = votes(*[1, 0] * 100)
    right = labels.copy()
    almost, half = labels.copy(), labels.copy()
    almost[:10] = 1 - almost[:10]
    half[2:] = -1  # right wherever it votes, but it hardly does
    judges = [against_humans(one, labels) for one in (almost, half, right, right)]
    assert best_judge(judges) == 2
    assert best_judge(judges[:2]) == 0
    assert best_judge(judges[1:2]) is None


def test_a_judge_twice_over_the_same_items():
    found = retest(votes(1, 1, 0, 0, 1, -1, -1), votes(1, 0, 0, 0, -1, 1, -1))
    assert (found.agreement.n, found.agreement.raw, found.agreement.kappa) == (4, 0.75, pytest.approx(0.5))
    assert (found.flips.n, found.flips.value) == (4, 0.25)
    assert (found.lost, found.gained) == (1, 1)

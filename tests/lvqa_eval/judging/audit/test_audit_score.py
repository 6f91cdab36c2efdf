"""Agreement of people, what they settled, and judges against it: by hand, and by scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from lvqa_eval.judging.audit.labels import Label
from lvqa_eval.judging.audit.score import all_pairs, pair_of_annotators, score_judges, settle

WORDS = {"+": Label.RIGHT, "-": Label.WRONG, "?": Label.CANNOT_TELL}
ITEMS = [f"{i:04}" for i in range(1, 11)]


def labels(written):
    """Read one letter an item: + right, - wrong, ? cannot tell, . no label."""
    return {item: WORDS[letter] for item, letter in zip(ITEMS, written, strict=True) if letter != "."}


ANN = labels("+++++---?.")
BO = labels("++++-+---+")


def test_two_annotators_by_hand():
    pair = pair_of_annotators(("ann", "bo"), ANN, BO)
    # Both ruled on the first eight: 6 the same; 5 and 5 right, so by chance (25 + 9) / 64.
    assert (pair.raw.n, pair.raw.value) == (8, 0.75)
    assert pair.agreement.raw == 0.75
    assert pair.agreement.kappa == pytest.approx((0.75 - 34 / 64) / (1 - 34 / 64))
    assert (pair.raw.low, pair.raw.high) == pytest.approx((0.4093, 0.9285), abs=5e-5)
    assert pair.cannot_tell == 1


def test_kappa_is_undefined_where_both_say_the_same_of_everything():
    pair = pair_of_annotators(("ann", "bo"), labels("++++++++++"), labels("++++++++++"))
    assert (pair.raw.value, pair.agreement.note) == (1.0, "undefined (one label)")


def test_every_two_of_three_annotators_are_compared():
    pairs = all_pairs({"bo": BO, "ann": ANN, "eve": {}})
    assert [pair.names for pair in pairs] == [("ann", "bo"), ("ann", "eve"), ("bo", "eve")]
    assert pairs[1].agreement.note == "undefined (no common item)"


@given(st.lists(st.tuples(st.sampled_from("+-?."), st.sampled_from("+-?.")), min_size=10, max_size=10))
def test_kappa_is_that_of_scikit_learn(pairs):
    one, other = (labels("".join(letters)) for letters in zip(*pairs, strict=True))
    found = pair_of_annotators(("a", "b"), one, other).agreement
    ruled = [(a, b) for a, b in pairs if a in "+-" and b in "+-"]
    assert found.n == len(ruled)
    if len({letter for pair in ruled for letter in pair}) == 2:
        assert found.kappa == pytest.approx(cohen_kappa_score(*zip(*ruled, strict=True)))
    else:
        assert np.isnan(found.kappa)


def test_what_is_settled_item_by_item():
    third = labels("----+?....")
    found = settle(ITEMS, {"ann": ANN, "bo": BO}, third)
    # Agreed: 1-4, 7, 8. The fifth and sixth disagree; of the ninth one cannot tell; the tenth has one label.
    assert found.labels.tolist() == [1, 1, 1, 1, 1, -1, 0, 0, -1, -1]
    counts = (found.agreed, found.adjudicated, found.cannot_tell, found.open, found.unlabelled)
    assert counts == (6, 1, 1, 1, 1)


def test_the_third_person_does_not_overrule_two_who_agree_later():
    found = settle(["a"], {"ann": {"a": Label.RIGHT}, "bo": {"a": Label.RIGHT}}, {"a": Label.WRONG})
    assert (found.labels.tolist(), found.agreed, found.adjudicated) == ([1], 1, 0)


@given(st.data())
def test_every_item_is_counted_once(data):
    letters = st.text("+-?.", min_size=10, max_size=10).map(labels)
    people = {name: data.draw(letters) for name in ("ann", "bo", "eve")}
    found = settle(ITEMS, people, data.draw(letters))
    counts = (found.agreed, found.adjudicated, found.cannot_tell, found.open, found.unlabelled)
    assert sum(counts) == 10
    assert (found.labels >= 0).sum() == found.agreed + found.adjudicated


def votes(*written):
    return np.array([[{"+": 1, "-": 0, ".": -1}[letter] for letter in one] for one in written], dtype=np.int8)


PEOPLE = votes("++++--.-")[0]
GROUPS = ["full"] * 4 + ["oracle"] * 4
JUDGES = ["able", "consensus", "late", "lenient"]
VERDICTS = votes("+++---+-", "+++--++-", "++......", "++++++++")


def test_judges_by_hand_in_all_parts():
    found = {
        one.judge: one for one in score_judges(JUDGES, VERDICTS, ["able", "late", "lenient"], PEOPLE, GROUPS)
    }
    # Able errs on the fourth alone; the seventh has no label of people.
    assert (found["able"].all.accuracy.n, found["able"].all.accuracy.value) == (7, pytest.approx(6 / 7))
    assert found["able"].all.accuracy.low == pytest.approx(0.4869, abs=5e-5)
    # The panel of three is unanimous on the first two, and on the third and seventh by a quorum of two.
    parts = {
        judge: [(part.accuracy.n, part.accuracy.value) for part in (one.unanimous, one.divided)]
        for judge, one in found.items()
    }
    assert parts["able"] == [(3, 1.0), (4, 0.75)]
    assert parts["lenient"] == [(3, 1.0), (4, 0.25)]
    assert parts["consensus"] == [(3, 1.0), (4, 0.5)]
    assert (found["late"].unanimous.accuracy.n, found["late"].unanimous.verdicts.n) == (2, 3)
    assert (found["late"].divided.accuracy.n, found["late"].divided.verdicts.scored) == (0, 0)
    groups = {group: (part.accuracy.n, part.accuracy.value) for group, part in found["able"].groups.items()}
    assert groups == {"full": (4, 0.75), "oracle": (3, 1.0)}
    assert (found["late"].all.verdicts.n, found["late"].all.verdicts.scored) == (7, 2)


def test_one_judge_is_never_divided():
    (one,) = score_judges(["able"], VERDICTS[:1], ["able"], PEOPLE, GROUPS)
    assert (one.unanimous, one.divided) == (None, None)


def test_the_consensus_has_no_vote_of_its_own_in_the_panel():
    flipped = VERDICTS.copy()
    flipped[1] = 1 - flipped[1]
    panel = ["able", "lenient"]
    first, second = (score_judges(JUDGES, votes, panel, PEOPLE, GROUPS) for votes in (VERDICTS, flipped))
    assert first[0].unanimous.accuracy == second[0].unanimous.accuracy
    assert first[1].all.accuracy.value + second[1].all.accuracy.value == pytest.approx(1)

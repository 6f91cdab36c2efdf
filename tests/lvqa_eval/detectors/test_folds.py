import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lvqa_eval.detectors.folds import FoldsError, assign_folds


@settings(max_examples=30)
@given(st.data())
def test_folds_part_answers_and_never_a_document(data):
    count = data.draw(st.integers(4, 40))
    clusters = np.array(data.draw(st.lists(st.integers(0, 12), min_size=count, max_size=count)))
    wrong = np.array(data.draw(st.lists(st.booleans(), min_size=count, max_size=count)))
    wanted = data.draw(st.integers(2, 6))
    documents = len(set(clusters.tolist()))
    if documents < 2:
        return
    folds = assign_folds(wrong, clusters, wanted)
    assert folds.count == min(wanted, documents, max(wrong.sum(), (~wrong).sum()))
    seen = []
    for train, test in folds.parts():
        assert len(test) > 0
        assert not set(clusters[train]) & set(clusters[test])
        assert sorted([*train, *test]) == list(range(count))
        seen.extend(test)
    assert sorted(seen) == list(range(count))


def test_folds_have_like_shares_of_both_classes_and_like_sizes():
    rng = np.random.default_rng(0)
    clusters, wrong = np.repeat(np.arange(250), 4), rng.random(1000) < 0.35
    folds = assign_folds(wrong, clusters)
    sizes = [len(test) for _, test in folds.parts()]
    shares = [wrong[test].mean() for _, test in folds.parts()]
    assert folds.count == 5
    assert max(sizes) - min(sizes) <= 12
    assert max(shares) - min(shares) < 0.02


def test_the_seed_decides_and_is_kept():
    wrong, clusters = np.arange(60) % 3 == 0, np.repeat(np.arange(20), 3)
    one, same, other = (assign_folds(wrong, clusters, 5, seed) for seed in (0, 0, 1))
    assert one.of.tolist() == same.of.tolist() != other.of.tolist()
    assert (one.seed, other.seed, one.wanted) == (0, 1, 5)


def test_there_are_no_more_folds_than_documents_nor_than_answers_of_the_commoner_class():
    folds = assign_folds(np.arange(30) % 2 == 0, np.repeat([0, 1, 2], 10))
    assert (folds.count, folds.wanted) == (3, 5)
    assert assign_folds(np.array([True, True, True, False, False]), np.arange(5)).count == 3


def test_a_class_rarer_than_folds_is_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        folds = assign_folds(np.arange(20) == 3, np.arange(20))
    assert folds.count == 5


@pytest.mark.parametrize(
    ("clusters", "wrong", "found"),
    [
        (
            [7, 7, 7],
            [True, False, True],
            "found 3 answers about 1 documents or pictures, 2 of them incorrect",
        ),
        ([0, 1], [True, False], "found 2 answers about 2 documents or pictures, 1 of them incorrect"),
    ],
)
def test_answers_that_cannot_be_parted_are_refused(clusters, wrong, found):
    with pytest.raises(FoldsError, match=f"{found}; needed at least 2 documents or pictures"):
        assign_folds(np.array(wrong), np.array(clusters))


def test_one_fold_is_none():
    with pytest.raises(FoldsError, match="found 1, allowed: 2 or more"):
        assign_folds(np.array([True, False]), np.array([0, 1]), 1)

"""How far annotators agree: by hand, and against scikit-learn."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dataset_builders.annotator.agreement import (
    ScenePair,
    binary,
    measure,
    nominal,
    of_pages,
    of_scenes,
    squared,
)
from dataset_builders.annotator.agreement_text import as_data, show
from dataset_builders.annotator.contents import ErrorContent, PageContent
from tests.support.annotations import (
    QUESTION,
    checked_like,
    error_store,
    scene_store,
    supported,
    write,
)

LABELS = st.sampled_from(["spatial", "counting", "occlusion"])


def by_name(measures):
    return {(one.name, one.weighted): one.found for one in measures}


def test_kappa_of_labels_by_hand():
    # 3 of 4 equal; by chance 2/4 * 1/4 + 2/4 * 3/4 = 1/2; (3/4 - 1/2) / (1 - 1/2) = 1/2.
    found = nominal(["a", "a", "b", "b"], ["a", "b", "b", "b"])
    assert (found.n, found.raw, found.kappa) == (4, 0.75, 0.5)


def test_squared_kappa_by_hand():
    # Costs 0, 1, 0 sum to 1; every value with every other: (3,3)=0 (3,4)=1 (3,6)=9, (3,·) twice, (6,·)=9+4+0.
    found = squared([3, 3, 6], [3, 4, 6])
    assert found.raw == pytest.approx(2 / 3)
    assert found.kappa == pytest.approx(1 - 3 * 1 / (10 + 10 + 13))


@pytest.mark.parametrize("kappa", [nominal, binary, squared])
def test_kappa_is_undefined_without_items_and_with_one_label(kappa):
    assert kappa([], []).n == 0
    assert math.isnan(kappa([], []).raw)
    values = ["x", "x"] if kappa is nominal else [1, 1]
    assert kappa(values, values).raw == 1
    assert math.isnan(kappa(values, values).kappa)


@given(st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=30))
@settings(max_examples=40, deadline=None)
def test_kappa_of_labels_is_scikit_learns(pairs):
    sklearn = pytest.importorskip("sklearn.metrics")
    one, other = map(list, zip(*pairs, strict=True))
    if len({*one, *other}) > 1:
        expected = sklearn.cohen_kappa_score(one, other)
        assert nominal(one, other).kappa == pytest.approx(expected, nan_ok=True)


@given(st.lists(st.tuples(st.integers(3, 7), st.integers(3, 7)), min_size=2, max_size=30))
@settings(max_examples=40, deadline=None)
def test_squared_kappa_is_scikit_learns(pairs):
    sklearn = pytest.importorskip("sklearn.metrics")
    one, other = map(list, zip(*pairs, strict=True))
    if len({*one, *other}) > 1:
        expected = sklearn.cohen_kappa_score(one, other, weights="quadratic", labels=range(3, 8))
        assert squared(one, other).kappa == pytest.approx(expected, nan_ok=True)


def test_evidence_of_scenes_by_hand():
    theirs = checked_like(
        supported(QUESTION, (), (1,), (1, 3)),
        category="counting",
        minimal_sets=((1, 3),),
        dependencies=((3, 1),),
    )
    found = by_name(of_scenes([ScenePair(QUESTION, theirs, 5)]))
    assert (found["category", False].n, found["category", False].raw) == (1, 0)
    assert found["minimal sets", False].raw == 0
    # Five layers: both take 1, neither 0 and 4; they differ in 2 and 3. Agreed 3/5, by chance (2*2 + 3*3)/25.
    gold = found["gold layers", False]
    assert (gold.n, gold.raw) == (5, 0.6)
    assert gold.kappa == pytest.approx((3 / 5 - 13 / 25) / (1 - 13 / 25))
    # Three shards of five layers; both have 1 twice, they differ in 2 and 3 of the last shard.
    support = found["support", False]
    assert (support.n, support.raw) == (15, 13 / 15)
    # Layers 1, 2 and 3 give six ordered pairs; theirs is 3 before 1, ours 2 before 1.
    dependencies = found["dependencies", False]
    assert (dependencies.n, dependencies.raw) == (6, 4 / 6)
    assert dependencies.kappa == pytest.approx((4 / 6 - (1 + 25) / 36) / (1 - (1 + 25) / 36))


def test_labels_and_steps_of_pages_by_hand():
    pairs = [
        (
            PageContent(labels=("tables", "code"), reasoning_steps=3),
            PageContent(labels=("tables",), reasoning_steps=4),
        ),
        (PageContent(labels=(), reasoning_steps=5), PageContent(labels=(), reasoning_steps=5)),
        (PageContent(labels=(), reasoning_steps=None), PageContent(labels=(), reasoning_steps=5)),
    ]
    found = by_name(of_pages(pairs))
    assert (found["labels", False].n, found["labels", False].raw) == (18, 17 / 18)
    assert (found["labels: code", False].n, found["labels: code", False].raw) == (3, 2 / 3)
    assert found["labels: tables", False].kappa == 1
    assert (found["reasoning steps", False].n, found["reasoning steps", False].raw) == (2, 0.5)
    # Costs 1 and 0; with every other: 1 + 4 + 1 + 0.
    assert found["reasoning steps", True].kappa == pytest.approx(1 - 2 * 1 / 6)


def test_decisions_and_answers_are_compared_as_they_were_before_adjudication(tmp_path, capsys):
    store = scene_store(tmp_path, scenes=4)
    answers = {1: "Red", 2: "blue", 3: "red", 4: "red"}
    for number, answer in answers.items():
        changes = {"decision": "reject", "note": "no"} if number == 4 else {"answer": answer}
        write(store, f"s{number}-q1", "author", "Ann", QUESTION)
        write(
            store, f"s{number}-q1", "check", "Bob" if number < 3 else "Eve", checked_like(QUESTION, **changes)
        )
    write(store, "s2-q1", "adjudicate", "Ann", QUESTION)
    found = measure(store)
    named = by_name(found.measures)
    assert found.checked == 4
    assert (named["decision", False].n, named["decision", False].raw) == (4, 0.75)
    assert named["decision", False].kappa == 0
    assert (named["answer", False].n, named["answer", False].raw) == (3, 2 / 3)
    assert named["gold layers", False].kappa == 1
    assert found.pairs == {("Ann", "Bob"): 2, ("Ann", "Eve"): 2}
    assert found.differing == {"answer": 1, "decision": 1}
    assert found.stages == {
        **{"author": 0, "check": 0, "adjudicate": 1},
        **{"agreed": 2, "settled": 1, "rejected": 0},
    }
    data = as_data(found)
    assert data["measures"][1] == {
        **{"name": "answer", "unit": "items", "weighted": False},
        **{"n": 3, "agreement": 2 / 3, "kappa": None},
    }
    show(found)
    printed = capsys.readouterr().out
    assert "gold layers" in printed
    assert "66.7" in printed
    store.close()


def test_tags_are_compared_by_answer_and_tag(tmp_path):
    store = error_store(tmp_path, answers=3)
    for number, (ours, theirs) in enumerate([("C1 C2", "C1"), ("C5", "C5"), ("", "")], start=1):
        for slot, name, tags in (("author", "Ann", ours), ("check", "Bob", theirs)):
            write(store, f"full.p{number}.1", slot, name, ErrorContent(tags=tuple(tags.split())))
    named = by_name(measure(store).measures)
    assert (named["tags", False].n, named["tags", False].raw) == (15, 14 / 15)
    # Ann gives three tags, Bob two of them: by chance (3 * 2 + 12 * 13) / 15**2.
    chance = (3 * 2 + 12 * 13) / 15**2
    assert named["tags", False].kappa == pytest.approx((14 / 15 - chance) / (1 - chance))
    assert named["tags: C2", False].raw == pytest.approx(2 / 3)
    assert np.isnan(named["tags: C3", False].kappa)
    store.close()

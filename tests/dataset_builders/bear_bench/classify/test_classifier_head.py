"""The classifier over vectors: fitting, what is held out, the report by hand, the file."""

import json
import math

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.multioutput import MultiOutputClassifier

from dataset_builders.bear_bench.classify.head import Head, HeadError, fit, held_out, read, report, write
from dataset_builders.bear_bench.records import LABELS

ENCODER = {"encoder": "layout", "version": 1}


def data(pages=80, size=5, seed=0):
    """Return vectors, and targets that the first columns decide; code and handwriting are nowhere."""
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(pages, size)).astype(np.float32)
    targets = np.zeros((pages, len(LABELS)), dtype=bool)
    for place, column in enumerate((0, 1, 2, None, 3, None)):
        if column is not None:
            targets[:, place] = vectors[:, column] > 0.3
    return vectors, targets


def test_probabilities_are_those_of_scikit_learn():
    vectors, targets = data()
    learnt = [0, 1, 2, 4]
    oracle = MultiOutputClassifier(LogisticRegression(class_weight="balanced", max_iter=2000))
    oracle.fit(vectors.astype(np.float64), targets[:, learnt])
    expected = np.stack([one[:, 1] for one in oracle.predict_proba(vectors.astype(np.float64))], axis=1)
    found = fit(vectors, targets, raw=False).probabilities(vectors)
    np.testing.assert_allclose(found[:, learnt], expected, atol=1e-12)
    # Of what no page has, nothing can be learnt.
    assert (found[:, [3, 5]] == 0).all()


def test_raw_vectors_are_scaled_so_that_their_units_do_not_count():
    vectors, targets = data()
    scales = np.array([1, 1000, 0.001, 7, 50], dtype=np.float32)
    one = fit(vectors, targets, raw=True).probabilities(vectors)
    other = fit(vectors * scales + 5, targets, raw=True).probabilities(vectors * scales + 5)
    np.testing.assert_allclose(one, other, atol=1e-3)
    constant = np.column_stack([vectors, np.full(len(vectors), 3, dtype=np.float32)])
    assert np.isfinite(fit(constant, targets, raw=True).probabilities(constant)).all()


def test_a_label_that_all_pages_have_is_certain():
    vectors, targets = data()
    targets[:, 3] = True
    assert (fit(vectors, targets, raw=False).probabilities(vectors)[:, 3] == 1).all()


def test_labels_that_never_differ_teach_nothing():
    vectors, targets = data()
    with pytest.raises(HeadError, match="80 pages to learn from all have the same labels"):
        fit(vectors, np.zeros_like(targets), raw=False)


def test_whole_documents_are_held_out():
    documents = [f"d{number % 10}" for number in range(80)]
    test = held_out(documents)
    inside = {name for name, out in zip(documents, test, strict=True) if out}
    assert len(inside) == 2
    assert all((name in inside) == out for name, out in zip(documents, test, strict=True))
    assert (held_out(documents) == test).all()
    assert any((held_out(documents, seed) != test).any() for seed in range(5))
    with pytest.raises(HeadError, match="found pages of 1 documents"):
        held_out(["d1"] * 5)


def fixed_head():
    """Return a classifier whose first label has the vector's number as its log-odds, all others none."""
    weights = np.zeros((len(LABELS), 1))
    weights[0] = 1
    fixed = np.full(len(LABELS), 0.0)
    fixed[0] = np.nan
    return Head(np.zeros(1), np.ones(1), weights, np.zeros(len(LABELS)), fixed)


def test_the_report_by_hand():
    vectors = np.array([[9], [9], [2], [1], [-1], [-2], [0.5]], dtype=np.float32)
    targets = np.zeros((7, len(LABELS)), dtype=bool)
    targets[:, 0] = [True, False, True, False, True, False, True]
    documents = ["a", "a", "b", "b", "b", "c", "c"]
    test = np.array([False, False, True, True, True, True, True])
    found = report(fixed_head(), vectors, targets, documents, test, 0.5)
    assert (found.pages, found.documents, found.held_out_pages, found.held_out_documents) == (2, 1, 5, 2)
    first, second = found.labels[:2]
    # Held out, by probability: 2 yes, 1 no, 0.5 yes, -1 yes, -2 no; above one half are the first three.
    assert (first.label, first.trained, first.support, first.predicted) == ("diagrams", 1, 3, 3)
    assert (first.precision, first.recall, first.f1) == pytest.approx((2 / 3, 2 / 3, 2 / 3))
    assert first.average_precision == pytest.approx((1 + 2 / 3 + 3 / 4) / 3)
    assert first.average_precision == pytest.approx(
        average_precision_score([1, 0, 1, 0, 1], [2, 1, -1, -2, 0.5])
    )
    assert (second.support, second.predicted) == (0, 0)
    assert all(map(math.isnan, (second.precision, second.recall, second.average_precision)))


def test_a_stricter_threshold_gives_a_label_less_often():
    vectors, targets = data()
    test = held_out([str(number // 4) for number in range(80)])
    head = fit(vectors[~test], targets[~test], raw=False)
    documents = [str(number // 4) for number in range(80)]
    loose, strict = (report(head, vectors, targets, documents, test, one) for one in (0.5, 0.9))
    assert strict.labels[0].predicted < loose.labels[0].predicted
    assert strict.labels[0].average_precision == loose.labels[0].average_precision


def test_the_file_gives_the_same_probabilities_and_is_plain_json(tmp_path):
    vectors, targets = data()
    head = fit(vectors, targets, raw=True)
    found = report(head, vectors, targets, ["a", "b"] * 40, held_out(["a", "b"] * 40), 0.5)
    path = tmp_path / "classifier.json"
    write(path, head, found, {"encoder": ENCODER, "seed": 42})
    assert (read(path, ENCODER).probabilities(vectors) == head.probabilities(vectors)).all()
    stored = json.loads(path.read_text())
    assert stored["labels"] == list(LABELS)
    assert stored["report"]["labels"][3]["recall"] is None
    assert stored["head"]["fixed"][3] == 0.0
    assert "NaN" not in path.read_text()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("no json", "no classifier: JSONDecodeError"),
        ("{}", "no classifier: KeyError"),
        ('{"head": {}, "labels": [], "about": {"encoder": {}}}', "no classifier: KeyError"),
    ],
)
def test_a_file_that_is_no_classifier_is_told(tmp_path, content, told):
    path = tmp_path / "classifier.json"
    path.write_text(content)
    with pytest.raises(HeadError, match=told):
        read(path, ENCODER)


def test_a_classifier_of_other_vectors_is_refused(tmp_path):
    vectors, targets = data()
    head = fit(vectors, targets, raw=True)
    found = report(head, vectors, targets, ["a", "b"] * 40, held_out(["a", "b"] * 40), 0.5)
    write(tmp_path / "c.json", head, found, {"encoder": ENCODER})
    with pytest.raises(HeadError, match=r"encoder: found \{'encoder': 'layout', 'version': 1\}, needed"):
        read(tmp_path / "c.json", {**ENCODER, "version": 2})
    with pytest.raises(HeadError, match="cannot be read"):
        read(tmp_path / "none.json", ENCODER)

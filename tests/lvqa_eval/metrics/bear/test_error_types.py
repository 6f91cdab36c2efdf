"""Types of errors that people tagged."""

from dataclasses import replace

import numpy as np
import pytest

from lvqa_eval.metrics.bear.conditions import DEFAULT
from lvqa_eval.metrics.bear.error_types import ErrorTagError, error_types
from lvqa_eval.metrics.scores import OUTCOMES
from lvqa_eval.runs.records import Key
from tests.support.page_studies import page, page_study, random_page_study
from tests.support.studies import NAN, agrees, scipy_bootstrap

PAGES = [page(f"q{place}", f"d{place // 2}") for place in range(6)]


def key(place, condition=DEFAULT):
    return Key(condition, f"q{place}", 1)


def study_and_tags():
    """The first model is wrong in q0 to q3, the second in q0; q4 was cut off, q5 is right."""
    correct = [[[[0], [0], [0], [0], [0], [1]]], [[[0], [1], [1], [1], [1], [NAN]]]]
    study = page_study(correct, [DEFAULT], PAGES)
    outcome = study.outcome.copy()
    outcome[0, 0, 4] = OUTCOMES.index("truncated")
    tags = {
        "m0": {
            key(0): {"C1", "C3"},
            key(1): {"C3"},
            key(2): set(),
            key(4): {"C2"},
            key(5): {"C5"},
            key(0, "cot"): {"C4"},
        }
    }
    return replace(study, outcome=outcome), tags


def test_shares_are_of_the_tagged_wrong_answers():
    study, tags = study_and_tags()
    found = error_types(study, tags, study.weights(200))
    assert found.shares.models == ("m0",)
    assert found.shares.columns == ("C1", "C2", "C3", "C4", "C5", "none")
    assert found.counts.tolist() == [[1, 0, 2, 0, 0, 1]]
    assert found.shares.cells.value[0] == pytest.approx([1 / 3, 0, 2 / 3, 0, 0, 1 / 3])
    # Wrong are q0 to q3: what was cut off says nothing. q4 and q5 are tagged, but not wrong.
    assert (found.wrong, found.tagged, found.not_wrong, found.left_out) == ((4,), (3,), 2, ("m1",))
    reading = found.shares.at("m0", "C3")
    assert (reading.n, reading.planned, reading.questions, reading.scenes) == (3, 3, 3, 2)


def test_intervals_are_clustered_by_document():
    study = random_page_study(count=40)
    wrong = study.of([DEFAULT])[0, 0, :, 0] == 0
    rng = np.random.default_rng(2)
    read = {one.question_id: bool(rng.random() < 0.4) for one in study.questions}
    tags = {Key(DEFAULT, name, 1): ({"C3"} if misread else {"C1", "C5"}) for name, misread in read.items()}
    tagged = np.where(wrong, list(read.values()), NAN)
    weights, low, high = scipy_bootstrap(study, lambda drawn: np.nanmean(tagged[drawn]))
    found = error_types(study, {"org/model-4B": tags}, weights)
    agrees(found.shares.at("org/model-4B", "C3"), np.nanmean(tagged), low, high)
    assert found.counts[0, 0] == found.counts[0, 4] == (tagged == 0).sum()
    assert (found.wrong, found.tagged) == ((wrong.sum(),), (wrong.sum(),))


def test_nothing_tagged_is_nothing():
    study, _ = study_and_tags()
    assert error_types(study, {}, study.weights(20)) is None
    assert error_types(study, {"m1": {key(1): {"C1"}}}, study.weights(20)) is None


def test_every_unknown_tag_and_model_is_named():
    study, _ = study_and_tags()
    with pytest.raises(ErrorTagError) as caught:
        error_types(study, {"m0": {key(0): {"C9", "C1"}}, "m7": {}}, study.weights(20))
    assert str(caught.value).splitlines() == [
        "error tags:",
        "  m0, default, question q0, run 1: found 'C9', allowed: C1, C2, C3, C4, C5",
        "  model: found 'm7', allowed: m0, m1",
    ]

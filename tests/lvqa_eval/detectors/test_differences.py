import math

import numpy as np
import pytest

from lvqa_eval.detectors.differences import differences
from lvqa_eval.detectors.protocol import measure
from tests.support.detectors import Given, Learner, fold_metrics

LENGTH = "answer-length"
RNG = np.random.default_rng(0)
WRONG = RNG.random(240) < 0.4
CLUSTERS = np.arange(240) // 3
WEAK, STRONG = RNG.normal(size=240) + 0.3 * WRONG, RNG.normal(size=240) + 1.5 * WRONG


def found_of(detectors, sources=None):
    folds, metrics = fold_metrics(WRONG, CLUSTERS)
    reads = [one.fitted() if isinstance(one, Learner) else one.scored() for one in detectors]
    named = sources or ["answer"] * len(detectors)
    return [
        measure(one, source, read, folds, metrics)
        for one, source, read in zip(detectors, named, reads, strict=True)
    ], metrics


def learner(name="probe"):
    return Learner(lambda train, test: (STRONG[train], STRONG[test]), name)


def test_everything_is_compared_with_the_length_and_what_learns_with_the_best_that_does_not():
    found, metrics = found_of(
        [Given(WEAK, LENGTH), Given(-WEAK, "worse"), Given(WEAK * 2 + 0.5 * WRONG, "better"), learner()],
        ["answer", "native", "proxy", "proxy"],
    )
    lines = differences(found, metrics, LENGTH)
    pairs = [(one.detector, one.source, one.other, one.other_source) for one in lines[::3]]
    assert pairs == [
        ("worse", "native", LENGTH, "answer"),
        ("better", "proxy", LENGTH, "answer"),
        ("probe", "proxy", LENGTH, "answer"),
        ("probe", "proxy", "better", "proxy"),
    ]
    assert [one.measure for one in lines[:3]] == ["balanced_accuracy", "auroc", "average_precision"]
    best, probe = found[2].detection.auroc.mean, found[3].detection.auroc.mean
    assert lines[-2].value == pytest.approx(probe - best)
    assert 0 < lines[-2].low < lines[-2].value < lines[-2].high


def test_what_asks_a_judge_is_not_the_best_score():
    found, metrics = found_of(
        [Given(STRONG + WRONG, "asked", needs="verdicts"), Given(WEAK, "own"), learner()]
    )
    assert {one.other for one in differences(found, metrics, LENGTH)} == {"own"}


def test_differences_are_paired_in_every_draw():
    """The same scores differ by nothing in each draw, however wide the interval of either."""
    found, metrics = found_of([Given(WEAK, LENGTH), Given(3 * WEAK - 1, "same")])
    assert found[0].detection.auroc.high - found[0].detection.auroc.low > 0.1
    for one in differences(found, metrics, LENGTH):
        assert (one.value, one.low, one.high) == (0.0, 0.0, 0.0)


def test_differences_go_over_the_answers_that_both_score():
    holes = WEAK.copy()
    holes[::3] = math.nan
    found, metrics = found_of([Given(WEAK, LENGTH), Given(holes, "holes")])
    assert found[0].detection.auroc.mean != found[1].detection.auroc.mean
    lines = {one.measure: one for one in differences(found, metrics, LENGTH)}
    assert (lines["auroc"].value, lines["auroc"].low, lines["auroc"].high) == (0.0, 0.0, 0.0)
    # The cuts are each detector's own, from the answers that it scores.
    assert lines["balanced_accuracy"].value is not None


def test_verdicts_are_compared_by_balanced_accuracy_alone():
    found, metrics = found_of([Given(WEAK, LENGTH), Given(WRONG * 1.0, "judge", "verdicts", binary=True)])
    (line,) = differences(found, metrics, LENGTH)
    assert line.measure == "balanced_accuracy"
    assert line.value == pytest.approx(1 - found[0].detection.balanced_accuracy.mean)


def test_without_the_length_or_another_score_nothing_is_compared():
    found, metrics = found_of([Given(WEAK, "own"), Given(STRONG, "other")])
    assert differences(found, metrics, LENGTH) == ()
    found, metrics = found_of([learner()])
    assert differences(found, metrics, LENGTH) == ()

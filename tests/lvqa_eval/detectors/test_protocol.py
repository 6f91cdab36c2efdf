import math
from statistics import NormalDist

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from lvqa_eval.detectors.detections import Quality
from lvqa_eval.detectors.fold_metrics import FoldMetrics
from lvqa_eval.detectors.folds import Folds
from lvqa_eval.detectors.protocol import DetectorError, measure, random_detection
from lvqa_eval.metrics.bootstrap import scene_weights
from tests.support.detectors import Given, Learner, fold_metrics, metrics_of

NAN, INF = math.nan, math.inf


def of_given(values, folds, metrics, **kind):
    detector = Given(values, **kind)
    return measure(detector, "answer", detector.scored(), folds, metrics)


def apart(auroc):
    """Return how far apart the means of two normal classes lie whose AUROC is `auroc`."""
    return NormalDist().inv_cdf(auroc) * math.sqrt(2)


def planted(auroc, count, rng):
    """Return verdicts, and random normal scores of two classes so far apart that their AUROC is `auroc`."""
    wrong = rng.random(count) < 0.35
    return wrong, rng.normal(size=count) + wrong * apart(auroc)


def spread_evenly(auroc, count):
    """Return verdicts, 35 % incorrect, and scores whose classes are even samples of the two normal ones."""
    rng = np.random.default_rng(1)
    wrong = rng.permutation(np.arange(count) < 0.35 * count)
    values = np.empty(count)
    for kind in (True, False):
        size = int((wrong == kind).sum())
        quantiles = [NormalDist(kind * apart(auroc)).inv_cdf((place + 0.5) / size) for place in range(size)]
        values[wrong == kind] = rng.permutation(quantiles)
    return wrong, values


@pytest.mark.parametrize("auroc", [0.55, 0.70, 0.90])
def test_a_planted_signal_is_found_again(auroc):
    wrong, values = spread_evenly(auroc, 1000)
    found = of_given(values, *fold_metrics(wrong, np.arange(1000) // 3)).detection
    assert found.auroc.low < auroc < found.auroc.high
    assert found.auroc.mean == pytest.approx(auroc, abs=0.005)
    assert 0.03 < found.auroc.high - found.auroc.low < 0.09
    # The best cut of two normal classes lies halfway: its balanced accuracy is that of half their distance.
    best = NormalDist().cdf(NormalDist().inv_cdf(auroc) / math.sqrt(2))
    assert found.balanced_accuracy.mean == pytest.approx(best, abs=0.04)
    assert found.balanced_accuracy.low < found.balanced_accuracy.mean < found.balanced_accuracy.high
    assert found.average_precision.low > found.prevalence - 0.05
    assert found.random_precision == pytest.approx(found.prevalence + 0.65 * 5.878 / 200, abs=0.01)


def test_intervals_hold_the_truth_as_often_as_they_say():
    rng, held = np.random.default_rng(2), 0
    clusters, fold_of = np.arange(300) // 3, np.arange(300) // 3 % 5
    for seed in range(60):
        wrong, values = planted(0.7, 300, rng)
        folds = Folds(fold_of, 5, 0)
        metrics = FoldMetrics(wrong, clusters, fold_of, scene_weights(100, 200, seed))
        area = of_given(values, folds, metrics).detection.auroc
        held += area.low <= 0.7 <= area.high
    assert held == pytest.approx(0.95 * 60, abs=4)


def areas_of_leaky_states(seed):
    """Return the AUROC by plain folds and by folds of documents; states tell the document, and no more.

    Documents differ in how hard they are, so whoever knows a document from training knows its verdicts.
    """
    rng = np.random.default_rng(seed)
    clusters = np.repeat(np.arange(120), 5)
    wrong = rng.random(600) < rng.beta(0.6, 0.9, 120)[clusters]
    states = rng.normal(size=(120, 100))[clusters] + 0.3 * rng.normal(size=(600, 100))

    def learn(train, test):
        model = LogisticRegression(C=0.1, class_weight="balanced").fit(states[train], wrong[train])
        return model.decision_function(states[train]), model.decision_function(states[test])

    grouped, metrics = fold_metrics(wrong, clusters)
    plain = np.zeros(600, dtype=np.intp)
    for fold, (_, test) in enumerate(StratifiedKFold(5, shuffle=True, random_state=0).split(wrong, wrong)):
        plain[test] = fold
    leaky = FoldMetrics(wrong, clusters, plain, metrics.weights)
    detector = Learner(learn)
    found = [
        measure(detector, "proxy", detector.fitted(), folds, on)
        for folds, on in ((Folds(plain, 5, 0), leaky), (grouped, metrics))
    ]
    return [one.detection.auroc.mean for one in found]


def test_states_that_tell_the_document_are_caught_by_folds_of_documents():
    """Plain folds, which part documents, call a signal what is none."""
    fooled, honest = np.mean([areas_of_leaky_states(seed) for seed in range(4)], axis=0)
    assert fooled == pytest.approx(0.72, abs=0.04)
    assert honest == pytest.approx(0.49, abs=0.03)


def test_a_detector_learns_from_the_other_folds_alone():
    wrong, clusters = np.arange(40) % 2 == 0, np.arange(40) // 2
    folds, metrics = fold_metrics(wrong, clusters)
    asked = []

    def learn(train, test):
        assert not set(clusters[train]) & set(clusters[test])
        asked.append((len(train), len(test)))
        return wrong[train] * 1.0, wrong[test] * 2.0

    detector = Learner(learn)
    found = measure(detector, "proxy", detector.fitted(), folds, metrics)
    assert sum(test for _, test in asked) == 40
    assert all(train + test == 40 for train, test in asked)
    # Cut at .5, halfway between what the answers to train on have.
    assert [one.threshold for one in found.detection.folds] == [0.5] * 5
    assert found.raw.tolist() == (wrong * 2.0).tolist()
    assert found.detection.auroc == Quality(1.0, 0.0, 1.0, 1.0, 5, 0)
    assert found.fitted


def test_cuts_come_from_the_other_folds():
    # In the first fold scores below 5 would part the classes, in the others the cut lies at .5.
    wrong = np.tile([True, False], 6)
    values = np.array([9.0, 6.0] * 2 + [1.0, 0.0] * 4)
    folds, metrics = metrics_of(wrong, [0] * 4 + [1] * 4 + [2] * 4)
    found = of_given(values, folds, metrics).detection
    assert found.folds[0].threshold == 0.5
    assert found.folds[0].balanced_accuracy == 0.5
    assert found.folds[0].auroc == 1.0


def test_a_fold_of_one_class_is_undefined_and_the_mean_says_over_how_many_it_goes():
    # Areas by hand: 4 of 5 pairs in order, none, 3 of 5: the mean is .7 over two of three folds.
    wrong = [True] + [False] * 5 + [True] * 3 + [True] + [False] * 5
    values = [4.5, 1, 2, 3, 4, 5, 1, 2, 3, 3.5, 1, 2, 3, 4, 5]
    folds, metrics = metrics_of(wrong, [0] * 6 + [1] * 3 + [2] * 6)
    found = of_given(values, folds, metrics).detection
    assert [one.auroc for one in found.folds] == [0.8, None, 0.6]
    assert (found.auroc.mean, found.auroc.folds) == (pytest.approx(0.7), 2)
    assert found.auroc.sd == pytest.approx(math.sqrt(0.02))
    assert found.folds[1].random_precision is None
    assert found.folds[1].balanced_accuracy is None
    assert found.folds[1].average_precision is None


def test_answers_of_one_class_have_no_figures():
    folds, metrics = fold_metrics([True] * 20)
    found = of_given(np.arange(20.0), folds, metrics).detection
    nothing = Quality(None, None, None, None, 0, 0)
    assert (found.balanced_accuracy, found.auroc, found.average_precision) == (nothing,) * 3
    assert (found.prevalence, found.random_precision, found.n) == (1.0, None, 20)
    chance = random_detection(folds, metrics)
    assert (chance.auroc, chance.average_precision) == (nothing, nothing)


def test_nothing_is_learnt_from_answers_of_one_class():
    def learn(train, test):
        raise AssertionError("asked to learn from one class")

    detector = Learner(learn)
    folds, metrics = metrics_of([True, True, False, True], [0, 0, 0, 1])
    learnt_from = measure(detector, "proxy", detector.fitted(), *metrics_of([True] * 4, [0, 0, 1, 1]))
    assert learnt_from.detection.n == 0
    assert {one.chosen for one in learnt_from.detection.folds} == {"one class to learn from"}
    # Here the second fold, of one class, leaves both to learn from, and the first leaves one.
    with pytest.raises(AssertionError, match="asked to learn"):
        measure(detector, "proxy", detector.fitted(), folds, metrics)


def test_infinite_scores_lie_one_beyond_those_trained_on():
    # Folds of four; the second fold trains on 1 to 4, so infinity is 5 there and 4.5 lies below it.
    wrong = [True, False] * 4
    values = [4.0, 1, 3, 2, INF, 4.5, -INF, 0.5]
    folds, metrics = metrics_of(wrong, [0] * 4 + [1] * 4)
    found = of_given(values, folds, metrics)
    assert found.scores.values[4:].tolist() == [5.0, 4.5, 0.0, 0.5]
    assert found.raw.tolist() == values
    assert found.detection.folds[1].auroc == 0.5
    # The first fold trains on 5.5, 4.5, -.5 and .5, made of what is finite there.
    assert found.detection.folds[0].threshold == pytest.approx((5.5 + 4.5) / 2)
    assert found.detection.unscored == 0
    every = of_given([INF, -INF] * 4, folds, metrics).detection
    assert (every.auroc.mean, every.balanced_accuracy.mean) == (1.0, 1.0)


def test_answers_without_a_score_are_left_out_and_counted():
    wrong, values = planted(0.8, 200, np.random.default_rng(5))
    values[::4] = NAN
    folds, metrics = fold_metrics(wrong)
    found = of_given(values, folds, metrics)
    kept = ~np.isnan(values)
    assert (found.detection.n, found.detection.unscored) == (150, 50)
    assert found.detection.prevalence == wrong[kept].mean()
    assert sum(one.n for one in found.detection.folds) == 150
    assert np.isnan(found.raw[::4]).all()
    alone, metrics_alone = metrics_of(wrong[kept], folds.of[kept])
    same = of_given(values[kept], alone, metrics_alone).detection
    assert same.auroc.mean == found.detection.auroc.mean
    assert same.balanced_accuracy.mean == found.detection.balanced_accuracy.mean
    assert same.random_precision == found.detection.random_precision


def test_a_detector_that_says_nothing_has_no_figures():
    found = of_given([NAN] * 20, *fold_metrics(np.arange(20) % 2 == 0)).detection
    assert (found.n, found.unscored, found.prevalence, found.auroc.mean) == (0, 20, None, None)
    assert found.folds[0].threshold is None


def test_verdicts_have_a_balanced_accuracy_with_bounds_and_no_ranking():
    # Two folds of eight: of four incorrect ones 3 are seen, of four correct ones 2 are called incorrect.
    wrong = [True] * 4 + [False] * 4
    verdicts = [1, 1, 1, 0, 1, 1, 0, 0]
    folds, metrics = metrics_of(wrong * 2, [0] * 8 + [1] * 8)
    found = of_given(verdicts * 2, folds, metrics, binary=True).detection
    assert found.balanced_accuracy.mean == (3 / 4 + 2 / 4) / 2
    assert (found.auroc, found.average_precision) == (Quality(None, None, None, None, 0),) * 2
    assert (found.binary, found.bounds, found.random_precision) == (True, None, None)
    # In each fold one verdict on an incorrect answer and one on a correct one cannot be read.
    unread = [1, 1, NAN, 0, 1, 1, 0, NAN]
    found = of_given(unread * 2, folds, metrics, binary=True).detection
    assert found.balanced_accuracy.mean == pytest.approx((2 / 3 + 1 / 3) / 2)
    assert found.bounds == (pytest.approx((3 / 4 + 2 / 4) / 2), pytest.approx((2 / 4 + 1 / 4) / 2))
    assert found.unscored == 4


def test_bounded_entropies_show_both_areas():
    wrong = [True, False, True, False] * 2
    folds, metrics = metrics_of(wrong, [0] * 4 + [1] * 4)
    lower, upper = np.array([4.0, 3, 2, 1] * 2), np.array([1.0, 2, 3, 4] * 2)
    found = of_given(lower, folds, metrics, upper=upper).detection
    assert found.auroc.mean == 0.75
    assert found.bounds == (0.75, 0.25)


def test_a_perfect_detector_has_an_interval_without_width():
    wrong = np.arange(60) % 3 == 0
    found = of_given(wrong * 1.0, *fold_metrics(wrong)).detection
    for one in (found.balanced_accuracy, found.auroc, found.average_precision):
        assert (one.mean, one.sd, one.low, one.high) == (1.0, 0.0, 1.0, 1.0)


def test_a_class_from_one_document_has_no_interval():
    wrong = np.arange(20) < 4
    found = of_given(np.arange(20.0), *metrics_of(wrong, np.arange(20) % 2, np.maximum(3, np.arange(20)) - 3))
    assert found.detection.auroc.mean is not None
    assert (found.detection.auroc.low, found.detection.auroc.high) == (None, None)


def test_draws_without_a_fold_of_both_classes_are_left_out_and_counted():
    wrong = [True, False, True, False]
    found = of_given([1.0, 0, 1, 0], *metrics_of(wrong, [0, 0, 1, 1], draws=2000)).detection.auroc
    # Of four drawn answers both of a fold: 1 - P(no fold whole) by counting 4^4 draws.
    whole = [{0, 1} <= set(d) or {2, 3} <= set(d) for d in np.ndindex(4, 4, 4, 4)]
    assert found.dropped / 2000 == pytest.approx(1 - np.mean(whole), abs=0.03)
    assert (found.low, found.high) == (1.0, 1.0)


def test_random_is_what_is_expected_and_not_drawn():
    wrong = np.arange(1000) % 10 < 3
    found = random_detection(*fold_metrics(wrong))
    assert (found.auroc.mean, found.balanced_accuracy.mean, found.auroc.folds) == (0.5, 0.5, 5)
    assert found.auroc.low is None
    q, harmonic = 59 / 199, (1 / np.arange(1, 201)).sum()
    assert found.average_precision.mean == pytest.approx(q + (1 - q) * harmonic / 200, abs=1e-12)
    assert (found.n, found.prevalence) == (1000, 0.3)


@pytest.mark.parametrize(
    ("read", "told"),
    [
        (Given([1.0, 2.0]), r"detector given: scores: found the shape \(2,\), needed \(20,\), one an answer"),
        (Given(np.ones((20, 1))), r"found the shape \(20, 1\), needed \(20,\)"),
        (Given([0.5] * 20, binary=True), "detector given: verdicts: found others, allowed: 0, 1, and NaN"),
        (Given(np.ones(20), upper=np.ones(3)), r"detector given: upper: scores: found the shape \(3,\)"),
    ],
)
def test_scores_of_another_shape_are_refused(read, told):
    with pytest.raises(DetectorError, match=told):
        measure(read, "answer", read.scored(), *fold_metrics(np.arange(20) % 2 == 0))


def test_learnt_scores_of_another_shape_are_refused():
    learner = Learner(lambda train, test: (np.zeros(len(train)), np.zeros(len(train))))
    with pytest.raises(DetectorError, match=r"learner: scores of the other answers: found the shape \(16,\)"):
        measure(learner, "proxy", learner.fitted(), *fold_metrics(np.arange(20) % 2 == 0))

"""Detectors for tests: scores that are given, scores that are learnt, and what they are measured on."""

import numpy as np

from lvqa_eval.detectors.detector import Fitted, FoldScores, Scored
from lvqa_eval.detectors.fold_metrics import FoldMetrics
from lvqa_eval.detectors.folds import Folds, assign_folds
from lvqa_eval.metrics.bootstrap import scene_weights


class Given:
    """A detector whose scores are known beforehand."""

    def __init__(self, values, name="given", needs="answer", **kind):
        self.name, self.needs = name, needs
        self.values, self.kind = np.asarray(values, dtype=float), kind

    def read(self, answers, signals):
        return self.scored()

    def scored(self):
        return Scored(self.values, **self.kind)


class Learner:
    """A detector that learns by a function of (train, test), which returns the scores of both."""

    def __init__(self, learn, name="learner", needs="answer"):
        self.name, self.needs, self.learn = name, needs, learn

    def read(self, answers, signals):
        return self.fitted()

    def fitted(self):
        return Fitted(lambda train, test: FoldScores(*self.learn(train, test)))


def fold_metrics(incorrect, clusters=None, folds=5, draws=200, seed=0):
    """Return folds and what detectors are measured on; without `clusters` every answer is alone in one."""
    wrong = np.asarray(incorrect, dtype=bool)
    named = np.arange(len(wrong)) if clusters is None else clusters
    _, places = np.unique(np.asarray(named), return_inverse=True)
    made = assign_folds(wrong, places, folds)
    return made, FoldMetrics(wrong, places, made.of, scene_weights(int(places.max()) + 1, draws, seed))


def metrics_of(incorrect, fold_of, clusters=None, draws=200):
    """Return folds as they are given, and what detectors are measured on."""
    wrong, of = np.asarray(incorrect, dtype=bool), np.asarray(fold_of)
    places = np.arange(len(wrong)) if clusters is None else np.asarray(clusters)
    return Folds(of, int(of.max()) + 1, 0), FoldMetrics(
        wrong, places, of, scene_weights(int(places.max()) + 1, draws)
    )

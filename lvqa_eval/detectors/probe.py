"""SUQ: a probe on the hidden state of the last token of an answer."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lvqa_eval.detectors.answers import Answers, Places
from lvqa_eval.detectors.detector import Fitted, FoldScores
from lvqa_eval.detectors.folds import FoldsError, assign_folds
from lvqa_eval.detectors.layers import MissingLayersError, probe_layers
from lvqa_eval.detectors.logistic import LogisticFit, fit_logistic
from lvqa_eval.detectors.signals import Signals
from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.metrics.thresholds import sweep

COSTS: Final = (1e-3, 1e-2, 1e-1, 1.0)
"""The costs C that a probe chooses from: the smaller, the stronger the penalty."""

INNER_FOLDS: Final = 3
INNER_SEED: Final = 0

_EQUAL_DIGITS = 9
"""Areas that agree to so many places are tied: sums of floats may differ in the last."""


@dataclass(frozen=True, eq=False)
class ProbeData:
    """What a probe learns from: `states` by layer, (answers, width); class and document of each answer."""

    states: Mapping[int, Floats]
    incorrect: NDArray[np.bool_]
    cluster_of: Places

    @property
    def known(self) -> NDArray[np.bool_]:
        """Which answers have a state at every layer."""
        every = [np.isfinite(states).all(axis=1) for states in self.states.values()]
        return np.asarray(np.logical_and.reduce(every))

    def at(self, places: Places) -> "ProbeData":
        """Return the part of it at `places`."""
        states = {layer: states[places] for layer, states in self.states.items()}
        return ProbeData(states, self.incorrect[places], self.cluster_of[places])

    def inner_parts(self) -> Iterator[tuple[Places, Places]]:
        """Yield for each inner fold the places to train on, which have both classes, and those of the fold.

        Nothing where the answers make no two folds.
        """
        try:
            folds = assign_folds(self.incorrect, self.cluster_of, INNER_FOLDS, INNER_SEED)
        except FoldsError:
            return
        for train, test in folds.parts():
            if two_classes(self.incorrect[train]):
                yield train, test


@dataclass(frozen=True, eq=False)
class Choice:
    """What inner cross-validation chose, by the mean AUROC of its folds; NaN where no fold has one.

    `out_of_fold` are the scores of the answers under that choice, each from the fit that had not seen it.
    """

    layer: int
    cost: float
    auroc: float
    out_of_fold: Floats


@dataclass(frozen=True, eq=False)
class FittedProbe:
    """A probe as chosen and fitted on all of its training answers."""

    choice: Choice
    fit: LogisticFit

    def score(self, data: ProbeData, places: Places) -> Floats:
        """Return the log-odds of an incorrect answer for those at `places`; NaN for one without a state."""
        return self.fit.score(data.states[self.choice.layer][places])


class LogisticProbe:
    """L2 logistic regression of the standardised state, with balanced classes.

    Layer (at 1/2, 2/3, 3/4 and all of the depth) and C are chosen inside the training answers by
    cross-validation in three folds of documents.
    """

    name: Final = "suq_probe"
    needs: Final = "hidden"

    def read(self, answers: Answers, signals: Signals) -> Fitted:
        """Return how the probe learns. Raises MissingLayersError."""
        data = probe_data(answers, signals)

        def fold(train: Places, test: Places) -> FoldScores:
            learnt, scores = learnable(data, train, test)
            if learnt is None:
                return scores
            probe = fit_probe(data.at(learnt))
            scores.train[np.isin(train, learnt)] = probe.choice.out_of_fold
            scores.test[:] = probe.score(data, test)
            return scores._replace(chosen=f"layer {probe.choice.layer}, C {probe.choice.cost:g}")

        return Fitted(fold)


def probe_data(answers: Answers, signals: Signals) -> ProbeData:
    """Return what probes of `answers` learn from. Raises MissingLayersError for a layer that is not there."""
    layers = probe_layers(signals.depth)
    if not set(layers) <= set(signals.hidden):
        needed = ", ".join(map(str, layers))
        raise MissingLayersError(signals.source, f"hidden states at {needed}", sorted(signals.hidden))
    return ProbeData(
        {layer: signals.hidden[layer] for layer in layers}, answers.incorrect, answers.cluster_of
    )


def learnable(data: ProbeData, train: Places, test: Places) -> tuple[Places | None, FoldScores]:
    """Return the places of `train` that can be learnt from, and scores to fill in, NaN.

    None instead of places where those with a state are all of one class.
    """
    scores = FoldScores(np.full(len(train), np.nan), np.full(len(test), np.nan))
    learnt = train[data.known[train]]
    return (learnt if two_classes(data.incorrect[learnt]) else None), scores


def two_classes(incorrect: NDArray[np.bool_]) -> bool:
    """Return whether there is something to tell apart."""
    return bool(incorrect.any()) and not bool(incorrect.all())


def fit_probe(data: ProbeData) -> FittedProbe:
    """Return the probe of answers that all have states, of both classes."""
    choice = choose(data)
    (fit,) = fit_logistic(data.states[choice.layer], data.incorrect, [choice.cost])
    return FittedProbe(choice, fit)


def choose(data: ProbeData) -> Choice:
    """Return the layer and C with the highest mean AUROC over inner folds.

    Ties go to the smaller C, then to the earlier layer. Each inner fit standardises for itself.

    The scores of the choice come along because the threshold needs them: the final fit parts its own training
    answers too well, and a threshold from there would be of no use on others. Those of the inner fits have
    not seen the answer, and lie on nearly the same scale.
    """
    parts = list(data.inner_parts())
    choices = [choice for layer in sorted(data.states) for choice in _choices(data, layer, parts)]
    return min(choices, key=lambda one: (-_rounded(one.auroc), one.cost, one.layer))


def _choices(data: ProbeData, layer: int, parts: list[tuple[Places, Places]]) -> Iterator[Choice]:
    scores = np.full((len(COSTS), len(data.incorrect)), np.nan)
    areas = np.full((len(COSTS), len(parts)), np.nan)
    states = data.states[layer]
    for i, (train, test) in enumerate(parts):
        for j, fit in enumerate(fit_logistic(states[train], data.incorrect[train], COSTS)):
            scores[j, test] = fit.score(states[test])
            areas[j, i] = sweep(scores[j, test], data.incorrect[test]).auroc
    for cost, found, by_fold in zip(COSTS, scores, areas, strict=True):
        defined = by_fold[~np.isnan(by_fold)]
        yield Choice(layer, cost, float(defined.mean()) if len(defined) else np.nan, found)


def _rounded(area: float) -> float:
    return -np.inf if np.isnan(area) else round(area, _EQUAL_DIGITS)

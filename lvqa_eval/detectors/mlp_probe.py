"""SUQ with another head: a small network on the hidden state that the logistic probe chose."""

import warnings
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lvqa_eval.detectors.answers import Answers, Places
from lvqa_eval.detectors.detector import Fitted, FoldScores
from lvqa_eval.detectors.logistic import one_thread
from lvqa_eval.detectors.probe import ProbeData, choose, learnable, probe_data
from lvqa_eval.detectors.signals import Signals
from lvqa_eval.metrics.bootstrap import Floats

WIDTHS: Final = (256, 128, 64)
SEEDS: Final = (0, 1, 2, 3, 4)

_HELD_OUT = 0.1
"""The part of the training answers that tells when to stop; at least two."""


class MlpProbe:
    """Mean probability of five networks (256-128-64, ReLU) of other seeds, with balanced classes.

    It reads the layer that the logistic probe chooses on the same training answers. A tenth of these, drawn
    without regard to documents, tells each network when to stop.
    """

    name: Final = "suq_probe_mlp"
    needs: Final = "hidden"

    def read(self, answers: Answers, signals: Signals) -> Fitted:
        """Return how the probe learns. Raises MissingLayersError."""
        data = probe_data(answers, signals)

        def fold(train: Places, test: Places) -> FoldScores:
            learnt, scores = learnable(data, train, test)
            if learnt is None:
                return scores
            part = data.at(learnt)
            layer = choose(part).layer
            states = data.states[layer]
            scores.train[np.isin(train, learnt)] = _out_of_fold(part, layer)
            scores.test[:] = fit_and_score(states[learnt], part.incorrect, states[test])
            return scores._replace(chosen=f"layer {layer}")

        return Fitted(fold)


def fit_and_score(states: Floats, incorrect: NDArray[np.bool_], others: Floats) -> Floats:
    """Return the mean probability that each of `others` is incorrect, from networks fitted on `states`.

    Shapes are (answers, width); NaN for a state that is not finite, and for all where a class has fewer than
    two answers to learn from, of which one may be held out.
    """
    from sklearn.preprocessing import StandardScaler

    scores = np.full(len(others), np.nan)
    there = np.isfinite(others).all(axis=1)
    counts = np.bincount(incorrect.astype(np.intp), minlength=2)
    if counts.min() < 2 or not there.any():
        return scores
    weights = (len(incorrect) / (2 * counts))[incorrect.astype(np.intp)]
    with one_thread():
        scaler = StandardScaler().fit(states.astype(np.float64))
        learnt, asked = (
            scaler.transform(one.astype(np.float64)).astype(np.float32) for one in (states, others[there])
        )
        scores[there] = np.mean(
            [_one_network(learnt, incorrect, weights, asked, seed) for seed in SEEDS], axis=0
        )
    return scores


def _one_network(
    learnt: NDArray[np.float32],
    incorrect: NDArray[np.bool_],
    weights: Floats,
    asked: NDArray[np.float32],
    seed: int,
) -> Floats:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier

    network = MLPClassifier(
        hidden_layer_sizes=WIDTHS,
        activation="relu",
        early_stopping=True,
        validation_fraction=max(_HELD_OUT, 2 / len(incorrect)),
        random_state=seed,
    )
    with warnings.catch_warnings():
        # One that still improves after the most epochs is as good as its best one, which it keeps.
        warnings.simplefilter("ignore", ConvergenceWarning)
        network.fit(learnt, incorrect, sample_weight=weights)
    return np.asarray(network.predict_proba(asked)[:, 1], dtype=np.float64)


def _out_of_fold(data: ProbeData, layer: int) -> Floats:
    scores = np.full(len(data.incorrect), np.nan)
    states = data.states[layer]
    for train, test in data.inner_parts():
        scores[test] = fit_and_score(states[train], data.incorrect[train], states[test])
    return scores

"""Logistic regression for states that are far wider than there are answers, as scikit-learn would fit it."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lvqa_eval.metrics.bootstrap import Floats

_TOLERANCE = 1e-6
_MOST_STEPS = 200


@dataclass(frozen=True, eq=False)
class LogisticFit:
    """A linear score of standardised states; every array (width,) comes from the training answers alone."""

    mean: Floats
    scale: Floats
    weights: Floats
    intercept: float

    def score(self, states: Floats) -> Floats:
        """Return the log-odds of an incorrect answer, (answers,); NaN for a state that is not finite."""
        there = np.isfinite(states).all(axis=1)
        scores = np.full(len(states), np.nan)
        with one_thread():
            scores[there] = (states[there] - self.mean) / self.scale @ self.weights + self.intercept
        return scores


def one_thread() -> AbstractContextManager[object]:
    """Hold linear algebra to one thread: how many share a product shows in its last bits."""
    limits: AbstractContextManager[object] = _threads().limit(limits=1)
    return limits


@cache
def _threads() -> Any:
    # It knows the libraries that are loaded by now: scikit-learn brings all that are used here.
    import sklearn.linear_model  # noqa: F401
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def fit_logistic(
    states: Floats, incorrect: NDArray[np.bool_], costs: Sequence[float]
) -> tuple[LogisticFit, ...]:
    """Return for each cost C the L2 logistic regression of standardised states, (answers, width), finite.

    Classes weigh the same. `costs` ascend: each fit starts from the one before. The penalty does not see a
    rotation, so that states wider than there are answers are fitted in the directions that answers span, one
    dimension an answer at most: the same fit, from far smaller matrices. ValueError for one class.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    with one_thread():
        scaler = StandardScaler()
        standard = scaler.fit_transform(np.asarray(states, dtype=np.float64))
        narrow, axes = _rotated(standard)
        # Newton's method reaches the optimum in a few steps, where the default solver stops short of it.
        model = LogisticRegression(
            solver="newton-cholesky",
            class_weight="balanced",
            tol=_TOLERANCE,
            max_iter=_MOST_STEPS,
            warm_start=True,
        )
        fits = []
        for cost in costs:
            model.set_params(C=cost).fit(narrow, incorrect)
            found = model.coef_[0].copy()
            weights = found if axes is None else standard.T @ (axes @ found)
            fits.append(LogisticFit(scaler.mean_, scaler.scale_, weights, float(model.intercept_[0])))
    return tuple(fits)


def _rotated(standard: Floats) -> tuple[Floats, Floats | None]:
    """Return the rows (answers, width) along orthonormal axes that span them, and A: rows.T @ A are the axes.

    Rows no wider than there are answers, or all nil, stay as they are, without A.
    """
    answers, width = standard.shape
    if width <= answers:
        return standard, None
    # The inner products of answers are a smaller matrix than those of features, and know the same axes.
    variances, vectors = np.linalg.eigh(standard @ standard.T)
    spanned = variances > variances[-1] * answers * np.finfo(np.float64).eps
    if not spanned.any():
        return standard, None
    lengths = np.sqrt(variances[spanned])
    return vectors[:, spanned] * lengths, vectors[:, spanned] / lengths

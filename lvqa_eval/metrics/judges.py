"""Judges against assistants: who is lenient, who is able, and who favours itself (Fig. 4).

X[a, j] is the mean verdict of judge j on assistant a. The additive model says X[a, j] = grand + ability[a] +
leniency[j], and for a judge that is the assistant itself one term more, its self-preference.

The raw estimate of that term is the residual of the cell in a fit to all cells, which for a full matrix is
double centring, X - row mean - column mean + grand mean. It is too small, since the term pulls the means of
its own row and column: with n models that are all both, its expectation is (1 - 2/n) delta_i + delta_bar / n,
and that of its mean (1 - 1/n) delta_bar. The corrected estimate fits the model to the cells between different
models alone, and takes what the own cell has beyond it. That is least squares with one term for each own
cell. For n models that are all both, it is the closed form delta_i = (R_ii - delta_bar / n) / (1 - 2/n) with
delta_bar = R_bar / (1 - 1/n). It stays exact for assistants that do not judge, judges that are not assistants
and missing cells, for which that form is wrong.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lvqa_eval.metrics.bootstrap import Floats, SceneSums, percentile_interval, replicates
from lvqa_eval.metrics.votes import Votes, check_votes


@dataclass(frozen=True)
class AdditiveFit:
    """The additive model fitted to a matrix (assistants, judges) by least squares, each cell with one weight.

    - `grand`; `ability` (assistants,) and `leniency` (judges,), each of mean 0: for a full matrix the row
      means and column means less the grand mean. NaN for a row or column without a fitted cell; all NaN where
      the fitted cells fall into parts with no assistant or judge in common, which cannot be compared.
    - `expected` (assistants, judges), NaN where no chain of fitted cells leads from row to column.
    """

    grand: float
    ability: Floats
    leniency: Floats
    expected: Floats


@dataclass(frozen=True)
class Spread:
    """A figure with its standard error and percentile interval; NaN where they cannot be told."""

    value: Floats
    se: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True)
class SelfPreference:
    """Self-preference of each model that is assistant and judge, as a difference of shares.

    - `assistants`, `judges`: their rows and columns in the matrix.
    - `raw`, `corrected`: arrays of the same length; `raw_mean`, `corrected_mean`: over those that are known.
    - `dropped`: draws in which a cell that has votes had none; they are left out.
    """

    assistants: NDArray[np.intp]
    judges: NDArray[np.intp]
    raw: Spread
    corrected: Spread
    raw_mean: Spread
    corrected_mean: Spread
    dropped: int


def own_judges(assistants: Sequence[str], judges: Sequence[str]) -> NDArray[np.intp]:
    """Return for each assistant the index of the judge that is the same model, -1 where none is.

    Raises ValueError for a model that is named twice among either.
    """
    for kind, names in (("assistants", assistants), ("judges", judges)):
        twice = sorted({name for name in names if list(names).count(name) > 1})
        if twice:
            raise ValueError(f"{kind}: found {', '.join(twice)} more than once, allowed: each model once")
    index = {name: j for j, name in enumerate(judges)}
    return np.array([index.get(name, -1) for name in assistants], dtype=np.intp)


def cross_sums(
    votes: Votes,
    assistant_of: NDArray[np.integer],
    assistants: int,
    scene_of: NDArray[np.integer] | None = None,
    scenes: int = 1,
) -> SceneSums:
    """Return favourable votes and valid votes of each judge on each assistant, by scene of the item.

    `votes` is (judges, items); `assistant_of` and `scene_of` (items,) are indices. The sums have the shape
    (assistants, judges, scenes); without `scene_of` all items are of one.
    """
    check_votes(votes)
    group = np.asarray(assistant_of, dtype=np.intp) * scenes
    if scene_of is not None:
        group = group + scene_of
    # Three bins a group: no vote, wrong, correct.
    first = group * 3 + 1
    bins = [np.bincount(first + row, minlength=3 * assistants * scenes) for row in votes]
    counts = np.array(bins, dtype=np.float64).reshape(len(votes), assistants, scenes, 3).swapaxes(0, 1)
    return SceneSums(counts[..., 2], counts[..., 1] + counts[..., 2])


def cross_matrix(sums: SceneSums) -> Floats:
    """Return X, (assistants, judges): the mean verdict of judge j on assistant a, NaN where there is none."""
    with np.errstate(invalid="ignore"):  # nothing over nothing is NaN, as wanted
        return np.asarray(sums.totals.sum(axis=-1) / sums.counts.sum(axis=-1))


def additive_fit(matrix: Floats, left_out: NDArray[np.bool_] | None = None) -> AdditiveFit:
    """Fit the additive model to the cells of `matrix` that are neither NaN nor `left_out`.

    The residual of Fig. 4 is `matrix - fit.expected`, with nothing left out.
    """
    fitted = np.isfinite(matrix) if left_out is None else np.isfinite(matrix) & ~left_out
    effects = _effects(matrix, fitted)
    part = _parts(fitted)
    rows, columns = fitted.any(axis=1), fitted.any(axis=0)
    seen = np.concatenate([rows, columns])
    if len(set(part[seen].tolist())) != 1:
        seen = np.zeros_like(seen)
    effects[~seen] = np.nan
    ability, leniency = effects[: len(matrix)], effects[len(matrix) :]
    level = (_mean(ability), _mean(leniency))
    return AdditiveFit(
        level[0] + level[1], ability - level[0], leniency - level[1], _expected(matrix, fitted)
    )


def raw_self_preference(matrix: Floats, own: NDArray[np.integer]) -> Floats:
    """Return the residual of each own cell in the fit to all cells; `own` as of `own_judges`.

    One value for each assistant that judges, in their order. `matrix` may have leading axes, as (draws,
    assistants, judges); a cell that is missing in one of the matrices is left out in all.
    """
    return _beyond(matrix, own, _present(matrix))


def corrected_self_preference(matrix: Floats, own: NDArray[np.integer]) -> Floats:
    """Return what each own cell has beyond the fit to all other cells; as `raw_self_preference` otherwise.

    NaN where those cells do not tell: of models that are all both it takes three.
    """
    others = _present(matrix)
    assistants, judges = _own_cells(own)
    others[assistants, judges] = False
    return _beyond(matrix, own, others)


def self_preference(sums: SceneSums, own: NDArray[np.integer], weights: Floats) -> SelfPreference:
    """Return raw and corrected self-preference with the spread of the scene-cluster bootstrap.

    `sums` as of `cross_sums`, by scene; `weights` (draws, scenes) as of `bootstrap.scene_weights`. A model
    whose own cell has votes from fewer than two scenes has no spread.
    """
    matrix = cross_matrix(sums)
    drawn = np.moveaxis(replicates(sums, weights), -1, 0)
    whole = (np.isfinite(drawn) | np.isnan(matrix)).all(axis=(1, 2))
    drawn = drawn[whole]
    assistants, judges = _own_cells(own)
    alone = np.count_nonzero(sums.counts[assistants, judges], axis=-1) < 2
    spreads = []
    for estimator in (raw_self_preference, corrected_self_preference):
        value, replicate = estimator(matrix, own), estimator(drawn, own)
        known = np.isfinite(value)
        pooled = replicate[:, known].mean(axis=1) if known.any() else np.full(len(drawn), np.nan)
        spreads.append(_spread(value, replicate.T, alone))
        spreads.append(_spread(np.asarray(_mean(value)), pooled, np.asarray(alone[known].any())))
    raw, raw_mean, corrected, corrected_mean = spreads
    dropped = int((~whole).sum())
    return SelfPreference(assistants, judges, raw, corrected, raw_mean, corrected_mean, dropped)


def _own_cells(own: NDArray[np.integer]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    assistants = np.flatnonzero(own >= 0)
    return assistants, np.asarray(own[assistants], dtype=np.intp)


def _present(matrix: Floats) -> NDArray[np.bool_]:
    return np.asarray(np.isfinite(matrix).reshape(-1, *matrix.shape[-2:]).all(axis=0))


def _beyond(matrix: Floats, own: NDArray[np.integer], fitted: NDArray[np.bool_]) -> Floats:
    assistants, judges = _own_cells(own)
    return np.asarray((matrix - _expected(matrix, fitted))[..., assistants, judges])


def _design(assistants: int, judges: int) -> Floats:
    """One row a cell, with a 1 for its assistant and a 1 for its judge."""
    return np.hstack(
        [np.repeat(np.eye(assistants), judges, axis=0), np.tile(np.eye(judges), (assistants, 1))]
    )


def _effects(matrix: Floats, fitted: NDArray[np.bool_]) -> Floats:
    """Effects of assistants, then of judges, (..., assistants + judges), up to a constant between the two."""
    solve = np.linalg.pinv(_design(*fitted.shape)[fitted.ravel()])
    return np.asarray(matrix[..., fitted] @ solve.T)


def _expected(matrix: Floats, fitted: NDArray[np.bool_]) -> Floats:
    effects = _effects(matrix, fitted)
    expected = effects[..., : len(fitted), None] + effects[..., None, len(fitted) :]
    part = _parts(fitted)
    return np.where(part[: len(fitted), None] == part[len(fitted) :], expected, np.nan)


def _parts(fitted: NDArray[np.bool_]) -> NDArray[np.integer]:
    """The part, of those that fitted cells connect, of each assistant and then of each judge."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    cells = np.zeros((sum(fitted.shape),) * 2, dtype=np.int8)
    cells[: len(fitted), len(fitted) :] = fitted
    return np.asarray(connected_components(csr_array(cells), directed=False)[1])


def _mean(values: Floats) -> float:
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else np.nan


def _spread(value: Floats, drawn: Floats, alone: NDArray[np.bool_]) -> Spread:
    if drawn.shape[-1] < 2:
        unknown = np.full(value.shape, np.nan)
        return Spread(value, unknown, unknown, unknown)
    low, high = percentile_interval(drawn)
    se = drawn.std(axis=-1, ddof=1)
    return Spread(value, *(np.where(alone, np.nan, bound) for bound in (se, low, high)))

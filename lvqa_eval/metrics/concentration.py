"""Whether a few questions carry the loss, beside what chance alone would concentrate (Fig. 8)."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from lvqa_eval.metrics.bootstrap import Floats, percentile_interval
from lvqa_eval.metrics.delivery import FULL, paired
from lvqa_eval.metrics.replicated import ratio
from lvqa_eval.metrics.study import Study

PARTS: Final = {"worst tenth": 0.1, "worst fifth": 0.2}
CURVE_STEPS: Final = 20
"""The curve is taken at 0, 1/20 and so on to 1 of the questions."""
NULL_DRAWS = 1000


@dataclass(frozen=True)
class NullShare:
    """What is found where every question has the same true loss: mean and middle 95 % of the simulations."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class WorstShare:
    """What the questions with the largest loss carry.

    - `value` of the sum of p = max(L, 0), with the interval of the scene-cluster bootstrap (`dropped` draws
      had no loss). Redrawn questions come in copies, so draws are somewhat more concentrated than the data.
    - `of_net`: of the sum of L, gains included; may exceed 1, NaN unless that sum is positive.
    - `null`: `value` under a uniform loss.
    """

    part: str
    value: float
    low: float
    high: float
    dropped: int
    of_net: float
    null: NullShare


@dataclass(frozen=True)
class LossCurve:
    """What the worst `parts` of the questions carry, each array (steps,); NaN where nothing is lost.

    - `carried`: of the sum of p; `null_mean`, `null_low`, `null_high`: the same under a uniform loss, its
      mean and the middle 95 % at each part by itself.
    """

    parts: Floats
    carried: Floats
    null_mean: Floats
    null_low: Floats
    null_high: Floats


@dataclass(frozen=True)
class Concentration:
    """The loss L of each question: mean over models and runs of correct under `reference` less `condition`.

    - `models`: those that have both conditions. `questions`, `losses`: ids and L, the largest first.
    - `shares`: one for each of `PARTS`; a part that is no whole number of questions counts one in part.
      `curve`: the same for parts from none to all.
    - `no_loss`: questions with L <= 0; `no_loss_null` what chance gives of them.
    - `pairs`: (model, question, run) valid in both; `scenes`: those with any.
    """

    condition: str
    reference: str
    models: tuple[str, ...]
    questions: tuple[str, ...]
    losses: Floats
    shares: tuple[WorstShare, ...]
    curve: LossCurve
    no_loss: int
    no_loss_null: NullShare
    pairs: int
    scenes: int


def concentration(
    study: Study, condition: str, weights: Floats, reference: str = FULL, seed: int = 0
) -> Concentration:
    """Return how far the loss from `reference` to `condition` is concentrated.

    The null draws every pair anew from its model's own mix of losses, draws and gains, the same for all
    questions, as many pairs a question as there are. It keeps what a question's difficulty takes from the
    noise.
    """
    pairs = -paired(study, [condition], reference)[0][:, 0]
    counts = np.isfinite(pairs).sum(axis=(0, 2))
    asked = np.flatnonzero(counts)
    losses = np.nansum(pairs, axis=(0, 2))[asked] / counts[asked]
    uniform = _uniform_losses(pairs[:, asked], seed)
    order = np.lexsort((asked, -losses))
    drawn = weights[:, study.scene_of[asked]]
    alone = len(set(study.scene_of[asked])) < 2
    return Concentration(
        condition=condition,
        reference=reference,
        models=tuple(study.models[row] for row in np.flatnonzero(np.isfinite(pairs).any(axis=(1, 2)))),
        questions=tuple(study.questions[asked[place]].question_id for place in order),
        losses=losses[order],
        shares=tuple(_worst(part, losses, uniform, None if alone else drawn) for part in PARTS),
        curve=_curve(losses, uniform),
        no_loss=int((losses <= 0).sum()),
        no_loss_null=_null((uniform <= 0).sum(axis=1).astype(np.float64)),
        pairs=int(counts.sum()),
        scenes=len(set(study.scene_of[asked])),
    )


def worst_share(losses: Floats, part: float, weights: Floats | None = None, net: bool = False) -> Floats:
    """Return the share of the sum of max(L, 0) that the `part` with the largest losses carries, (rows,).

    `losses` is (rows, questions), or (questions,) with `weights` (rows, questions), of which `part` is a
    share. With `net` both sums are of L itself. NaN where the whole is not positive.
    """
    order = np.argsort(-losses, axis=-1, kind="stable")
    ordered = np.atleast_2d(np.take_along_axis(losses, order, axis=-1))
    carried = ordered if net else np.maximum(ordered, 0.0)
    weight = np.ones_like(ordered) if weights is None else weights[:, order]
    before = weight.cumsum(axis=-1) - weight
    inside = np.clip(part * weight.sum(axis=-1, keepdims=True) - before, 0.0, weight)
    whole = (weight * carried).sum(axis=-1)
    return ratio((inside * carried).sum(axis=-1), np.where(whole > 0, whole, 0.0))


def loss_curve(losses: Floats, parts: Floats) -> Floats:
    """Return `worst_share` of each row of `losses`, (rows, questions), at all `parts`: (rows, parts)."""
    carried = np.maximum(-np.sort(-losses, axis=-1), 0.0)
    sums = np.concatenate([np.zeros((len(losses), 1)), carried.cumsum(axis=-1)], axis=-1)
    place = parts * losses.shape[-1]
    below = np.floor(place).astype(np.intp)
    above = np.minimum(below + 1, losses.shape[-1])
    inside = sums[:, below] + (place - below) * (sums[:, above] - sums[:, below])
    return ratio(inside, sums[:, -1:])


def _curve(losses: Floats, uniform: Floats) -> LossCurve:
    parts = np.arange(CURVE_STEPS + 1) / CURVE_STEPS
    simulated = loss_curve(uniform, parts).T
    low, high = percentile_interval(simulated)
    known = np.isfinite(simulated)
    mean = ratio(np.where(known, simulated, 0.0).sum(axis=1), known.sum(axis=1))
    return LossCurve(parts, loss_curve(losses[None], parts)[0], mean, low, high)


def _worst(part: str, losses: Floats, uniform: Floats, drawn: Floats | None) -> WorstShare:
    share = PARTS[part]
    low = high = np.array(np.nan)
    dropped = 0
    if drawn is not None:
        redrawn = worst_share(losses, share, drawn)
        low, high = percentile_interval(redrawn)
        dropped = int(np.isnan(redrawn).sum())
    return WorstShare(
        part=part,
        value=float(worst_share(losses, share)[0]),
        low=float(low),
        high=float(high),
        dropped=dropped,
        of_net=float(worst_share(losses, share, net=True)[0]),
        null=_null(worst_share(uniform, share)),
    )


def _uniform_losses(pairs: Floats, seed: int) -> Floats:
    """Return simulated losses, (simulations, questions), from pairs (models, questions, runs)."""
    rng = np.random.default_rng(seed)
    counts = np.isfinite(pairs).sum(axis=2)
    totals = np.zeros((NULL_DRAWS, pairs.shape[1]))
    for of_model, known in zip(pairs, counts, strict=True):
        if known.any():
            mix = np.array([(of_model == loss).sum() for loss in (-1, 0, 1)]) / known.sum()
            drawn = rng.multinomial(known, mix, size=(NULL_DRAWS, len(known)))
            totals += drawn[..., 2] - drawn[..., 0]
    return np.asarray(totals / counts.sum(axis=0))


def _null(simulated: Floats) -> NullShare:
    known = simulated[np.isfinite(simulated)]
    low, high = percentile_interval(simulated)
    return NullShare(float(known.mean()) if len(known) else np.nan, float(low), float(high))

"""What a study estimates: the expectation of each statistic over scenes and the questions in them.

Nothing is drawn. Patterns are finite, normal effects add up to one, and what right answers and early ones
share, a scene's ease of guessing, is integrated by Gauss-Hermite quadrature. A statistic that is a ratio has
the ratio of expectations as its value. What the serving lost is lost by chance and changes nothing.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import ndtr

from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.metrics.ungrounded import UNGROUNDED_CONDITIONS

from .model import SCENE, SHARED, VARIANCE, Model
from .patterns import CONDITIONS, all_patterns

NODES = 48

FULL = CONDITIONS.index("full")
CHANGED = [place for place, condition in enumerate(CONDITIONS) if condition != "full"]
"""The conditions that have a loss, in their order."""

LAYERED = [CONDITIONS.index(condition) for condition in UNGROUNDED_CONDITIONS]


@dataclass(frozen=True, eq=False)
class Population:
    """True values; arrays (assistants, columns).

    - `accuracy`: columns are the conditions. `cost` (less `full`) and `excess` (of relational questions):
      all but `full`.
    - `ungrounded`, `grounded`: share and accuracy for each of the layered conditions alone, then all of them.
    """

    accuracy: Floats
    cost: Floats
    excess: Floats
    ungrounded: Floats
    grounded: Floats


@cache
def population(model: Model) -> Population:
    """Return the true values of the model."""
    patterns = all_patterns()
    shares = patterns.shares(model.size.relational)
    right = right_by_pattern(model)
    accuracy = right @ shares
    of_kind = [
        right @ np.where(asked, shares, 0) / shares[asked].sum() if shares[asked].sum() else np.nan * accuracy
        for asked in (~patterns.relational, patterns.relational)
    ]
    single, relational = (level[:, CHANGED] - level[:, [FULL]] for level in of_kind)
    early = early_by_pattern(model)[:, LAYERED] @ shares
    both = [np.hstack([one, one.mean(axis=1, keepdims=True)]) for one in (accuracy[:, LAYERED], early)]
    return Population(
        accuracy=accuracy,
        cost=accuracy[:, CHANGED] - accuracy[:, [FULL]],
        excess=single - relational,
        ungrounded=both[1] / both[0],
        grounded=both[0] - both[1],
    )


def right_by_pattern(model: Model) -> Floats:
    """Return how often the final answer is right, (assistants, conditions, patterns)."""
    return np.asarray((1 - model.failing)[:, None, None] * ndtr(model.probits()))


def early_by_pattern(model: Model) -> Floats:
    """Return how often the final answer is right and a right one came before the evidence; as above."""
    patterns = all_patterns()
    turns = np.maximum(patterns.evidence - patterns.asked, 0)
    found = np.zeros((len(model.assistants), *turns.shape))
    for ease, weight in eases():
        before = 1 - (1 - model.early_hazard(np.array(ease)))[..., None] ** turns
        found += weight * right_given(model, ease) * before
    return found


def eases() -> list[tuple[float, float]]:
    """Return nodes and weights of the integral over a scene's ease of guessing, a standard normal."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    return list(zip(nodes.tolist(), (weights / np.sqrt(2 * np.pi)).tolist(), strict=True))


def right_given(model: Model, ease: float) -> Floats:
    """Return how often the final answer is right in scenes of this ease; as above."""
    rest = (1 + VARIANCE - (SCENE * SHARED) ** 2)[:, None]
    shifted = np.sqrt(1 + VARIANCE)[:, None] * model.probits() + SCENE * SHARED * ease
    return np.asarray((1 - model.failing)[:, None, None] * ndtr(shifted / np.sqrt(rest)))

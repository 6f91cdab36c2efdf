"""Rank tiers: models that the data cannot tell from the first of their tier stand together."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lvqa_eval.metrics.bootstrap import percentile_interval

ROUNDING: Final = 1e-6
"""An end of an interval that is this near to zero covers it: draws are kept to seven digits."""


def tiers(drawn: Sequence[NDArray[np.float32]]) -> list[int]:
    """Return the tier of each model, from 1, of models in the order of their ranking, the best first.

    `drawn` has the draws of each model's figure, (draws,), in which all take the same clusters. From the top:
    a model joins the tier as long as the 95 % interval of its paired difference to the tier's first model
    covers zero; otherwise it opens the next. One that has no interval, as for data of one cluster, cannot be
    told from the first and joins. Each model is compared with one other, so models of neighbouring tiers may
    be as near to each other as those of one.
    """
    found: list[int] = []
    first: NDArray[np.float64] | None = None
    for row in drawn:
        ours = row.astype(np.float64)
        if first is None or _apart(first - ours):
            first = ours
            found.append(found[-1] + 1 if found else 1)
        else:
            found.append(found[-1])
    return found


def _apart(difference: NDArray[np.float64]) -> bool:
    """Tell whether the interval of a difference leaves out zero; draws without a value are left out."""
    low, high = percentile_interval(difference)
    return bool(low > ROUNDING or high < -ROUNDING)

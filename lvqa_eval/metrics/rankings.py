"""Rankings of assistants by consensus accuracy, and what one judge of the panel changes about them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lvqa_eval.judging.consensus import consensus, without_judge
from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.metrics.votes import Votes


@dataclass(frozen=True)
class PanelRankings:
    """Consensus accuracy of the assistants under the whole panel and under each panel without one judge.

    `full` (assistants,); `without` (judges, assistants), row j without judge j; `tau` (judges,): Kendall's
    tau-b of each row to `full`.
    """

    full: Floats
    without: Floats
    tau: Floats


def assistant_accuracy(verdicts: Votes, assistant_of: NDArray[np.integer], assistants: int) -> Floats:
    """Return correct / decided of each assistant; NaN where nothing is decided.

    `verdicts` (items,) with -1 for none, `assistant_of` (items,) as indices.
    """
    decided = verdicts >= 0
    counts = np.bincount(assistant_of[decided], minlength=assistants)
    right = np.bincount(assistant_of[verdicts == 1], minlength=assistants)
    with np.errstate(invalid="ignore"):  # nothing over nothing is NaN, as wanted
        return np.asarray(right / counts)


def ranks(accuracy: Floats) -> Floats:
    """Return ranks from 1 for the highest; equals share the better rank, NaN has none."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(-accuracy, method="min", nan_policy="omit"), dtype=np.float64)


def kendall_tau(one: Floats, other: Floats) -> float:
    """Return Kendall's tau-b over the assistants that both have; NaN for fewer than two, or where all tie."""
    from scipy.stats import kendalltau

    both = np.isfinite(one) & np.isfinite(other)
    return float(kendalltau(one[both], other[both]).statistic) if both.sum() > 1 else np.nan


def leave_one_judge_out(
    votes: Votes, assistant_of: NDArray[np.integer], assistants: int, panel: int | None = None
) -> PanelRankings:
    """Rank under the whole panel and without each judge in turn; arguments as of `consensus.consensus`."""
    full = assistant_accuracy(consensus(votes, panel).verdict, assistant_of, assistants)
    without = np.array(
        [
            assistant_accuracy(without_judge(votes, judge, panel).verdict, assistant_of, assistants)
            for judge in range(len(votes))
        ]
    )
    return PanelRankings(full, without, np.array([kendall_tau(full, row) for row in without]))

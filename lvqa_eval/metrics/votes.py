"""Votes of judges on the same items: how they are written down, and how many of them count.

Votes are an int8 array, judge-major: (judges, items), where one item is one conversation of one assistant.
1 is correct, 0 is wrong, -1 is no valid verdict: nothing came, or nothing that could be read.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lvqa_eval.statuses import JudgeStatus

Votes = NDArray[np.int8]

NO_VOTE = -1


@dataclass(frozen=True)
class VoteCount:
    """What a judge or a consensus said of `n` items: `scored` have a verdict, `correct` a favourable one."""

    n: int
    scored: int
    correct: int

    @property
    def coverage(self) -> float:
        """Scored / all items; 0 without items."""
        return self.scored / self.n if self.n else 0.0

    @property
    def accuracy(self) -> float:
        """Correct / scored; NaN where nothing is scored."""
        return self.correct / self.scored if self.scored else np.nan

    @property
    def strict(self) -> float:
        """Correct / all items, so that an item without a verdict is held wrong; NaN without items."""
        return self.correct / self.n if self.n else np.nan


def encode(verdicts: Iterable[object]) -> Votes:
    """Return the votes of one judge from verdicts in words: true, false, 1, 0; None and NaN are no vote.

    Raises ValueError that names every item with something else.
    """
    listed = list(verdicts)
    codes = [_code(verdict) for verdict in listed]
    strange = [f"item {i}: found {listed[i]!r}" for i, code in enumerate(codes) if code is None]
    if strange:
        raise ValueError(f"votes: {'; '.join(strange)}; allowed: true, false, 1, 0, None and NaN")
    return np.array(codes, dtype=np.int8)


def _code(verdict: object) -> int | None:
    if verdict is None:
        return NO_VOTE
    if not isinstance(verdict, (bool, int, float, np.bool_, np.integer, np.floating)):
        return None
    if math.isnan(verdict):
        return NO_VOTE
    return int(verdict) if verdict in (0, 1) else None


def check_votes(votes: Votes, dimensions: int = 2) -> None:
    """Raise ValueError unless `votes` is an int8 array of so many dimensions that holds 1, 0 and -1 only."""
    if votes.dtype != np.int8 or votes.ndim != dimensions:
        raise ValueError(
            f"votes: found {votes.dtype} of {votes.ndim} dimensions, allowed: int8 of {dimensions}"
        )
    if votes.size and not (votes.min() >= NO_VOTE and votes.max() <= 1):
        found = ", ".join(map(str, np.setdiff1d(votes, [NO_VOTE, 0, 1]).tolist()))
        raise ValueError(f"votes: found {found}, allowed: 1 (correct), 0 (wrong), -1 (no valid verdict)")


def count_votes(votes: Votes) -> VoteCount:
    """Count the votes of one judge or the verdicts of a consensus, (items,)."""
    check_votes(votes, dimensions=1)
    return VoteCount(len(votes), int((votes >= 0).sum()), int((votes == 1).sum()))


def parse_rates(statuses: Mapping[JudgeStatus, NDArray[np.integer]]) -> NDArray[np.float64]:
    """Return ok / (ok + parse_error): the share of a judge's replies that could be read.

    `statuses` holds how many judgements ended so, in arrays of one shape, such as (judges, assistants); sum
    over an axis for the rate of a judge. What the transport broke is no reply. NaN where there was none.
    """
    read = statuses[JudgeStatus.OK]
    replies = read + statuses.get(JudgeStatus.PARSE_ERROR, np.zeros_like(read))
    with np.errstate(invalid="ignore"):  # nothing over nothing is NaN, as wanted
        return np.asarray(read / replies)

"""How far judges agree: with each other, with people, and with themselves."""

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from lvqa_eval.metrics.accuracy import RANKED_FROM
from lvqa_eval.metrics.bootstrap import LEVEL, Floats
from lvqa_eval.metrics.votes import VoteCount, Votes, check_votes, count_votes

Bits = NDArray[np.uint64]
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Agreement:
    """Agreement of two judges on the `n` items that both voted on.

    - `raw`: same votes / n; NaN without a common item.
    - `kappa`: Cohen's kappa, agreement beyond that of two judges who vote at random, each with its own share
      of favourable votes. NaN where it is undefined, and `note` says why.
    """

    n: int
    raw: float
    kappa: float

    @property
    def note(self) -> str | None:
        """Why kappa has no value, None where it has one."""
        if not np.isnan(self.kappa):
            return None
        return "undefined (one label)" if self.n else "undefined (no common item)"


@dataclass(frozen=True)
class PairwiseAgreement:
    """`Agreement` for all pairs at once; symmetric arrays (judges, judges)."""

    n: Counts
    raw: Floats
    kappa: Floats

    def at(self, one: int, other: int) -> Agreement:
        """Return the agreement of two judges by their rows."""
        return Agreement(int(self.n[one, other]), float(self.raw[one, other]), float(self.kappa[one, other]))

    @property
    def pairs(self) -> dict[tuple[int, int], Agreement]:
        """Every pair once, the smaller row first."""
        ones, others = np.triu_indices(len(self.n), k=1)
        return {(i, j): self.at(i, j) for i, j in zip(ones.tolist(), others.tolist(), strict=True)}


@dataclass(frozen=True)
class Proportion:
    """A share of `n` with its Wilson interval; all NaN for n = 0."""

    n: int
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class AgainstHumans:
    """Verdicts of a judge or a consensus against the labels of people.

    - `accuracy`: verdicts equal to the label / items that have both.
    - `agreement`: the same items, with kappa.
    - `verdicts`: the verdicts on all labelled items, so that its coverage tells what is missing.
    """

    accuracy: Proportion
    agreement: Agreement
    verdicts: VoteCount


@dataclass(frozen=True)
class Retest:
    """One judge on the same items twice.

    - `agreement`: on the items with a vote in both passes.
    - `flips`: of those, the share whose vote changed.
    - `lost`, `gained`: items with a vote in the first pass alone, and in the second alone.
    """

    agreement: Agreement
    flips: Proportion
    lost: int
    gained: int


def pairwise_agreement(votes: Votes) -> PairwiseAgreement:
    """Return raw agreement and Cohen's kappa of all pairs of judges; `votes` (judges, items).

    A pair is compared on the items on which both have a valid vote.
    """
    check_votes(votes)
    right, valid = _bits(votes == 1), _bits(votes >= 0)
    n, both = _common(valid, valid), _common(right, right)
    ones = _common(right, valid)  # favourable votes of the row's judge on what the column's judge voted on
    same = n - ones - ones.T + 2 * both
    # Whole numbers keep one label apart from nearly one: n**2 / by_chance below is exactly 1 there.
    by_chance = ones * ones.T + (n - ones) * (n - ones.T)
    with np.errstate(invalid="ignore"):  # nothing over nothing is NaN, as wanted
        return PairwiseAgreement(n, same / n, (n * same - by_chance) / (n * n - by_chance))


def agreement(one: Votes, other: Votes) -> Agreement:
    """Return the agreement of two judges from their votes on the same items, (items,)."""
    return pairwise_agreement(np.stack([one, other])).at(0, 1)


def krippendorff_alpha(votes: Votes) -> float:
    """Return Krippendorff's alpha of all judges, nominal; items with fewer than two valid votes say nothing.

    NaN where no item has two, or where all votes on such items are the same label.
    """
    import krippendorff

    check_votes(votes)
    right = np.sum(votes == 1, axis=0, dtype=np.int32)
    counts = np.stack([np.sum(votes == 0, axis=0, dtype=np.int32), right], axis=1)
    paired = counts[counts.sum(axis=1) >= 2]
    if not paired.any(axis=0).all():
        return np.nan
    return float(krippendorff.alpha(value_counts=paired, level_of_measurement="nominal"))


def proportion(count: int, n: int, level: float = LEVEL) -> Proportion:
    """Return count / n with its Wilson interval at `level`.

    By its formula: `scipy.stats`, which has it too, takes longer to load than all that a page shows.
    """
    if n == 0:
        return Proportion(0, np.nan, np.nan, np.nan)
    z2 = NormalDist().inv_cdf(0.5 + level / 2) ** 2
    middle = (2 * count + z2) / (2 * (n + z2))
    half = math.sqrt(z2 * (4 * count * (n - count) / n + z2)) / (2 * (n + z2))
    low = middle - half if count else 0.0
    return Proportion(n, count / n, low, middle + half if count < n else 1.0)


def against_humans(verdicts: Votes, labels: Votes) -> AgainstHumans:
    """Compare verdicts with the labels of people on the same items; both (items,), -1 for none.

    To split, pass the labels with -1 outside the part: `np.where(consensus.unanimous, labels, -1)`.
    """
    found = agreement(verdicts, labels)
    same = int(((verdicts == labels) & (labels >= 0)).sum())
    return AgainstHumans(proportion(same, found.n), found, count_votes(verdicts[labels >= 0]))


def best_judge(judges: list[AgainstHumans]) -> int | None:
    """Return which single judge agrees best with people, the first of equals; None where none can be ranked.

    A judge without a verdict on more than one labelled item in a hundred is not ranked: it may have left out
    the hard ones. The best of several on the same items looks better than it is on others.
    """
    ranked = [i for i, judge in enumerate(judges) if judge.verdicts.coverage >= RANKED_FROM]
    return max(ranked, key=lambda i: judges[i].accuracy.value, default=None)


def retest(first: Votes, second: Votes) -> Retest:
    """Compare two passes of one judge over the same items, (items,) each."""
    found = agreement(first, second)
    flips = int(((first >= 0) & (second >= 0) & (first != second)).sum())
    return Retest(
        agreement=found,
        flips=proportion(flips, found.n),
        lost=int(((first >= 0) & (second < 0)).sum()),
        gained=int(((first < 0) & (second >= 0)).sum()),
    )


def _bits(mask: NDArray[np.bool_]) -> Bits:
    judges, items = mask.shape
    words = np.zeros((judges, -(-items // 64)), dtype=np.uint64)
    words.view(np.uint8)[:, : -(-items // 8)] = np.packbits(mask, axis=-1)
    return words


def _common(rows: Bits, columns: Bits) -> Counts:
    """How many items are set in each row and each column: 64 at a time."""
    return np.stack([np.bitwise_count(row & columns).sum(axis=-1, dtype=np.int64) for row in rows])

"""What a panel of judges says together: the strict majority of its valid votes, where enough voted."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lvqa_eval.metrics.votes import NO_VOTE, Votes, check_votes
from lvqa_eval.runs.records import Attempt

_INT8_PANEL = 127
"""The largest panel whose votes can be counted in int8, which is many times faster."""


@dataclass(frozen=True)
class Consensus:
    """The ruling of a panel on each item; all arrays have the shape (items,).

    - `verdict`: 1 where more than half of the valid votes say correct, 0 where not, -1 without a quorum.
    - `right`, `valid`: how many votes say correct, and how many say anything; bytes, so sum before you scale.
    """

    verdict: Votes
    right: NDArray[np.signedinteger]
    valid: NDArray[np.signedinteger]

    @property
    def decided(self) -> NDArray[np.bool_]:
        """Where a quorum voted."""
        return np.asarray(self.verdict != NO_VOTE)

    @property
    def ties(self) -> NDArray[np.bool_]:
        """Where a quorum split evenly; the verdict there is wrong."""
        return np.asarray(self.decided & (self.right == self.valid - self.right))

    @property
    def unanimous(self) -> NDArray[np.bool_]:
        """Where a quorum voted and all valid votes are the same."""
        return np.asarray(self.decided & ((self.right == 0) | (self.right == self.valid)))


def consensus(votes: Votes, panel: int | None = None) -> Consensus:
    """Return the consensus of `votes` (judges, items).

    A quorum is more than half of the `panel`, which is the number of judges here unless it is larger because
    some have not judged at all. Raises ValueError for a smaller panel, or for votes other than 1, 0 and -1.
    """
    check_votes(votes)
    return _decide(votes, _panel(votes, panel))


def leave_self_out(votes: Votes, own: NDArray[np.integer], panel: int | None = None) -> Consensus:
    """Return the consensus without the vote of a model on itself.

    `own` (items,) is the judge, a row of `votes`, that is the model of the item's assistant, -1 where none
    is. Where one is, the panel is one smaller: a quorum is then 6 of the other 10 judges, not 6 of 11.
    """
    check_votes(votes)
    size = _panel(votes, panel)
    items = np.flatnonzero(own >= 0)
    others = votes.copy()
    others[own[items], items] = NO_VOTE
    return _decide(others, size - (own >= 0))


def without_judge(votes: Votes, judge: int, panel: int | None = None) -> Consensus:
    """Return the consensus of a panel that never had the judge of row `judge`."""
    return consensus(np.delete(votes, judge, axis=0), _panel(votes, panel) - 1)


def consensus_attempts(
    rulings: Sequence[Sequence[Attempt] | None], panel: int | None = None
) -> tuple[Attempt, ...] | None:
    """Return the attempts that a panel finds in one conversation, by turn; None without a quorum.

    `rulings` holds what each judge lists, in the order of the panel, None for a judge without a valid ruling.
    An attempt exists in a turn if more than half of the valid judges list one there, and is correct if more
    than half of them list a correct one: a judge that lists none there does not call it correct. Of a judge
    that lists several in one turn the last counts. The words are those of the first judge that agrees with
    the outcome.
    """
    valid = [{attempt.turn: attempt for attempt in ruling} for ruling in rulings if ruling is not None]
    size = _panel(rulings, panel)
    if 2 * len(valid) <= size:
        return None
    listed = Counter(turn for ruling in valid for turn in ruling)
    right = Counter(turn for ruling in valid for turn, attempt in ruling.items() if attempt.correct)
    found = []
    for turn in sorted(turn for turn, times in listed.items() if 2 * times > len(valid)):
        correct = 2 * right[turn] > len(valid)
        here = [ruling[turn] for ruling in valid if turn in ruling]
        words = next((attempt.answer for attempt in here if attempt.correct == correct), here[0].answer)
        found.append(Attempt(turn, words, correct))
    return tuple(found)


def _panel(judges: Votes | Sequence[object], panel: int | None) -> int:
    size = len(judges) if panel is None else panel
    if size < len(judges):
        raise ValueError(f"panel: found {size}, allowed: at least {len(judges)}, the judges that voted")
    return size


def _decide(votes: Votes, panel: int | NDArray[np.integer]) -> Consensus:
    dtype = np.int8 if len(votes) <= _INT8_PANEL else np.int32
    # A sum of bytes is added up at full width; a sum of booleans is not.
    right = np.add.reduce((votes == 1).view(np.int8), axis=0, dtype=dtype)
    valid = np.add.reduce((votes >= 0).view(np.int8), axis=0, dtype=dtype)
    correct = (right > valid - right).view(np.int8)
    quorum = (valid > panel // 2).view(np.int8)
    return Consensus(correct * quorum + (quorum + NO_VOTE), right, valid)

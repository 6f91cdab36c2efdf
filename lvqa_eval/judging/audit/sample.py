"""Draw conversations for people to label: as many of each group, the runs by turns."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lvqa_eval.runs.records import Key


class Candidate(NamedTuple):
    """A conversation that may be drawn: its run (one model's) by name, and its key there."""

    run: str
    key: Key


@dataclass(frozen=True)
class Sample:
    """What was drawn: `chosen` in the order in which it is shown, each conversation with its group.

    `quotas` says how many of each group were wanted; where a group had fewer, it has fewer here.
    """

    chosen: tuple[tuple[str, Candidate], ...]
    quotas: Mapping[str, int]

    @property
    def drawn(self) -> dict[str, int]:
        """How many of each group were drawn."""
        groups = [group for group, _ in self.chosen]
        return {group: groups.count(group) for group in self.quotas}

    @property
    def shortfalls(self) -> dict[str, int]:
        """How many each group lacks, for those that lack any."""
        lacking = {group: self.quotas[group] - found for group, found in self.drawn.items()}
        return {group: count for group, count in lacking.items() if count}


def draw(
    candidates: Iterable[Candidate],
    groups: Sequence[str],
    group_of: Callable[[Candidate], str],
    size: int,
    seed: int,
) -> Sample:
    """Return a sample of `size` candidates, balanced over `groups`, without replacement.

    Each group gives the same number, the first ones one more where they do not divide `size`. Inside a group
    the runs take turns, sorted by name; the next group begins with the run after the last, so that no run is
    favoured. What stands for a run, and the order of the whole, is random by `seed`, and the same whatever
    the order of the candidates. Candidates of other groups are left out; a group that falls short is not
    filled from others.
    """
    pools: dict[str, dict[str, list[Candidate]]] = {group: {} for group in groups}
    runs: set[str] = set()
    for candidate in candidates:
        runs.add(candidate.run)
        group = group_of(candidate)
        if group in pools:
            pools[group].setdefault(candidate.run, []).append(candidate)
    quotas = _quotas(groups, size)
    chosen: list[tuple[str, Candidate]] = []
    place = 0
    for group, quota in quotas.items():
        taken, place = _by_turns(pools[group], sorted(runs), place, quota, seed)
        chosen += [(group, one) for one in taken]
    return Sample(tuple(sorted(chosen, key=lambda pair: _rank(seed, "order", pair[1]))), quotas)


def _quotas(groups: Sequence[str], size: int) -> dict[str, int]:
    each, more = divmod(size, len(groups)) if groups else (0, 0)
    return {group: each + (place < more) for place, group in enumerate(groups)}


def _by_turns(
    pool: Mapping[str, Sequence[Candidate]], runs: Sequence[str], place: int, quota: int, seed: int
) -> tuple[list[Candidate], int]:
    """Take up to `quota` from the runs in turn, from the run at `place` on; returns also the next place."""
    waiting = {
        run: sorted(pool.get(run, ()), key=lambda one: _rank(seed, "draw", one), reverse=True) for run in runs
    }
    wanted = min(quota, sum(map(len, waiting.values())))
    taken: list[Candidate] = []
    while len(taken) < wanted:
        left = waiting[runs[place % len(runs)]]
        place += 1
        if left:
            taken.append(left.pop())
    return taken, place


def _rank(seed: int, use: str, candidate: Candidate) -> str:
    """Return what a candidate is sorted by: random, and its own whoever else is there."""
    name = ":".join(map(str, (seed, use, candidate.run, *candidate.key)))
    return hashlib.sha256(name.encode()).hexdigest()

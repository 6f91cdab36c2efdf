"""How far the verdicts of judges hold against people: agreement, what people settled, accuracy in parts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from lvqa_eval.judging.audit.labels import Label
from lvqa_eval.judging.consensus import consensus
from lvqa_eval.metrics.agreement import (
    AgainstHumans,
    Agreement,
    Proportion,
    against_humans,
    agreement,
    proportion,
)
from lvqa_eval.metrics.votes import NO_VOTE, Votes

CONSENSUS = "consensus"
"""The judge of a run that holds what a panel says together; no member of a panel is called so."""

_VOTE = {Label.RIGHT: 1, Label.WRONG: 0}


@dataclass(frozen=True)
class PairOfAnnotators:
    """Two annotators on the items that both labelled.

    Agreement is that of the items which both found right or wrong, with the Wilson interval of the raw one;
    `cannot_tell` counts those of which one of them, or both, could not tell.
    """

    names: tuple[str, str]
    agreement: Agreement
    raw: Proportion
    cannot_tell: int


@dataclass(frozen=True)
class Settlement:
    """What people settled of each item: `labels` (items,), 1 right, 0 wrong, -1 neither.

    Of the items that are neither, of `cannot_tell` the third person could not tell; `open` ones still need
    that person; `unlabelled` ones have fewer than two labels. The five counts sum to the items.
    """

    labels: Votes
    agreed: int
    adjudicated: int
    cannot_tell: int
    open: int
    unlabelled: int


@dataclass(frozen=True)
class JudgeScore:
    """One judge, or the consensus, against people: on all items, by unanimity of the panel, by group.

    `unanimous` and `divided` are None without a panel of two judges or more.
    """

    judge: str
    all: AgainstHumans
    unanimous: AgainstHumans | None
    divided: AgainstHumans | None
    groups: Mapping[str, AgainstHumans]


@dataclass(frozen=True)
class AuditScore:
    """Everything that an audit says; `panel` are the judges whose votes are unanimous or not.

    `labelled` says how many items each annotator has a label for. `failed` counts the settled items whose
    conversation the model failed: they count as wrong by rule, and no judge is asked.
    """

    items: int
    labelled: Mapping[str, int]
    pairs: tuple[PairOfAnnotators, ...]
    settlement: Settlement
    panel: tuple[str, ...]
    judges: tuple[JudgeScore, ...]
    failed: int


def pair_of_annotators(
    names: tuple[str, str], one: Mapping[str, Label], other: Mapping[str, Label]
) -> PairOfAnnotators:
    """Compare the labels of two annotators, by item."""
    both = sorted(one.keys() & other.keys())
    found = agreement(*(_votes(both, labels) for labels in (one, other)))
    same = sum(one[item] == other[item] and one[item] in _VOTE for item in both)
    told = sum(Label.CANNOT_TELL in (one[item], other[item]) for item in both)
    return PairOfAnnotators(names, found, proportion(same, found.n), told)


def settle(
    items: Sequence[str], labels: Mapping[str, Mapping[str, Label]], adjudicated: Mapping[str, Label]
) -> Settlement:
    """Return what people settled: where two or more annotators say the same, that; else the third person's.

    `labels` holds those of each annotator by item. An item that one of them cannot tell is never agreed on.
    """
    settled = np.full(len(items), NO_VOTE, dtype=np.int8)
    counts = dict.fromkeys(("agreed", "adjudicated", "cannot_tell", "open", "unlabelled"), 0)
    for place, item in enumerate(items):
        said = [own[item] for own in labels.values() if item in own]
        third = adjudicated.get(item)
        if len(said) < 2:
            counts["unlabelled"] += 1
        elif len(set(said)) == 1 and said[0] in _VOTE:
            counts["agreed"] += 1
            settled[place] = _VOTE[said[0]]
        elif third is None:
            counts["open"] += 1
        elif third in _VOTE:
            counts["adjudicated"] += 1
            settled[place] = _VOTE[third]
        else:
            counts["cannot_tell"] += 1
    return Settlement(settled, **counts)


def score_judges(
    judges: Sequence[str],
    verdicts: Votes,
    panel: Sequence[str],
    people: Votes,
    groups: Sequence[str],
) -> tuple[JudgeScore, ...]:
    """Return each judge against `people` (items,); `verdicts` is (judges, items), `groups` one name an item.

    Unanimous are the items on which a quorum of the `panel` voted, and voted the same; divided are those on
    which a quorum voted otherwise. Without two judges in the panel there is no such split.
    """
    members = [place for place, judge in enumerate(judges) if judge in set(panel)]
    together = consensus(verdicts[members]) if len(members) > 1 else None
    named = np.array(groups, dtype=object)
    scores = []
    for judge, own in zip(judges, verdicts, strict=True):
        unanimous = divided = None
        if together is not None:
            unanimous = against_humans(own, _within(people, together.unanimous))
            divided = against_humans(own, _within(people, together.decided & ~together.unanimous))
        parts = {
            group: against_humans(own, _within(people, named == group)) for group in dict.fromkeys(groups)
        }
        scores.append(JudgeScore(judge, against_humans(own, people), unanimous, divided, parts))
    return tuple(scores)


def all_pairs(labels: Mapping[str, Mapping[str, Label]]) -> tuple[PairOfAnnotators, ...]:
    """Compare every two annotators, in the order of their names."""
    return tuple(
        pair_of_annotators((one, other), labels[one], labels[other])
        for one, other in combinations(sorted(labels), 2)
    )


def _votes(items: Sequence[str], labels: Mapping[str, Label]) -> Votes:
    return np.array([_VOTE.get(labels[item], NO_VOTE) for item in items], dtype=np.int8)


def _within(people: Votes, part: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> Votes:
    return np.where(part, people, NO_VOTE).astype(np.int8)

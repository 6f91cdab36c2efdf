"""How faithfully a simulated user told the shards, from its messages and the rulings on them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lvqa_eval.judging.fidelity_records import FidelityRecord, TurnKey
from lvqa_eval.metrics.agreement import Proportion, proportion
from lvqa_eval.reports.numerals import ASCII
from lvqa_eval.statuses import JudgeStatus

COLUMNS = ("Condition", "Faithful [95 %]", "Dropped", "Added", "Verbatim", "Fallback", "n", "Coverage")
_ALL = "all"


@dataclass(frozen=True)
class ToldShard:
    """One message of a simulated user that told a shard.

    `shard` is the schedule's text of it, `earlier` the texts of those told before, `words` what was said of
    it. `fallback` marks the schedule's text in place of a bad reply.
    """

    key: TurnKey
    shard: str
    earlier: tuple[str, ...]
    words: str
    fallback: bool

    @property
    def verbatim(self) -> bool:
        """Whether the words are the schedule's own."""
        return self.words == self.shard.strip()


@dataclass(frozen=True)
class Fidelity:
    """Counts of the messages of one condition, or of all.

    `own` are those in the model's words (`told` less `fallback`); of them `verbatim` repeat the schedule's
    text and `judged` have a ruling. A message is `faithful` if it conveys its shard and adds nothing; it
    may have `dropped` something and `added` something at once.
    """

    told: int
    fallback: int
    verbatim: int
    judged: int
    faithful: int
    dropped: int
    added: int

    @property
    def own(self) -> int:
        """Messages in the model's own words."""
        return self.told - self.fallback

    def faithful_share(self) -> Proportion:
        """Return the share of faithful messages among those judged, with its Wilson interval."""
        return proportion(self.faithful, self.judged)


def summarise(told: Sequence[ToldShard], rulings: Mapping[TurnKey, FidelityRecord]) -> dict[str, Fidelity]:
    """Return the fidelity by condition, in the order in which they come, and of "all" at the end."""
    conditions = dict.fromkeys(one.key.condition for one in told)
    groups = {name: [one for one in told if one.key.condition == name] for name in conditions}
    return {name: _fidelity(group, rulings) for name, group in {**groups, _ALL: told}.items()}


def plain(summary: Mapping[str, Fidelity]) -> str:
    """Return the summary as aligned text, shares in per cent; ends with a newline."""
    lines = [COLUMNS, *(_cells(name, one) for name, one in summary.items())]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    text = []
    for line in lines:
        numbers = [cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)]
        text.append("  ".join([line[0].ljust(widths[0]), *numbers]))
    notes = (
        "Faithful, dropped, added: of the n messages judged. Fallback: of all messages that told a shard.",
        "Verbatim, coverage: of the messages in the model's own words, which are those to judge.",
    )
    return "\n".join([*text, "", *notes]) + "\n"


def _fidelity(told: Iterable[ToldShard], rulings: Mapping[TurnKey, FidelityRecord]) -> Fidelity:
    messages = list(told)
    own = [one for one in messages if not one.fallback]
    found = [rulings[one.key] for one in own if one.key in rulings]
    judged = [ruling for ruling in found if ruling.status is JudgeStatus.OK]
    return Fidelity(
        told=len(messages),
        fallback=len(messages) - len(own),
        verbatim=sum(one.verbatim for one in own),
        judged=len(judged),
        faithful=sum(bool(one.conveyed) and not one.added for one in judged),
        dropped=sum(not one.conveyed for one in judged),
        added=sum(bool(one.added) for one in judged),
    )


def _cells(name: str, one: Fidelity) -> tuple[str, ...]:
    share = one.faithful_share()
    return (
        name,
        ASCII.percent_with_interval(share.value, share.low, share.high),
        ASCII.percent(_share(one.dropped, one.judged)),
        ASCII.percent(_share(one.added, one.judged)),
        ASCII.percent(_share(one.verbatim, one.own)),
        ASCII.percent(_share(one.fallback, one.told)),
        str(one.judged),
        ASCII.coverage(one.judged, one.own),
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")

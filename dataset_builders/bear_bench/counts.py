"""What a stage kept and what it left out, as numbers and as the lines that every command prints."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from dataset_builders.bear_bench.records import Drop


@dataclass(frozen=True)
class StageCount:
    """The result of a stage.

    `what` names the things that were kept, in the plural: documents, pages. `dropped` maps reason -> how
    often, `groups` says how the kept ones spread: group -> how many.
    """

    stage: str
    what: str
    kept: int
    dropped: Mapping[str, int] = field(default_factory=dict)
    groups: Mapping[str, int] = field(default_factory=dict)

    def lines(self) -> Iterator[str]:
        """Yield the lines to print: a heading, then the groups in their order, then reasons by frequency."""
        lost = sum(self.dropped.values())
        yield f"{self.stage}: {self.kept:,} {self.what} kept, {lost:,} dropped"
        yield from (f"  kept     {count:>7,}  {name}" for name, count in self.groups.items())
        reasons = sorted(self.dropped.items(), key=lambda pair: (-pair[1], pair[0]))
        yield from (f"  dropped  {count:>7,}  {reason}" for reason, count in reasons)


def counted(
    stage: str, what: str, kept: int, drops: Iterable[Drop], groups: Iterable[str] = ()
) -> StageCount:
    """Return the count of a stage; `groups` has the group of each thing that was kept, in any order."""
    reasons = Counter(drop.reason for drop in drops)
    return StageCount(stage, what, kept, dict(reasons), dict(sorted(Counter(groups).items())))

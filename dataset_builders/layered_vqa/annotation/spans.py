"""Where units and shards stand in their question."""

from collections.abc import Iterator, Sequence

from dataset_builders.layered_vqa.annotation.records import Span
from dataset_builders.layered_vqa.annotation.replies import ShardReply, Unit


def unit_span(question: str, unit: Unit) -> Span | None:
    """Return where a unit stands, (first character, end); None where there is no such place."""
    spans = list(_spans(question, unit.source))
    return spans[unit.occurrence - 1] if 1 <= unit.occurrence <= len(spans) else None


def times(question: str, source: str) -> int:
    """Return how often `source` stands in `question`, in whole words."""
    return sum(1 for _ in _spans(question, source))


def outside(question: str, spans: Sequence[Span]) -> str:
    """Return `question` with every character that is in a span as a blank."""
    left = list(question)
    for start, end in spans:
        left[start:end] = " " * (end - start)
    return "".join(left)


def shard_spans(question: str, reply: ShardReply) -> tuple[Span | None, ...]:
    """Return the span of each shard, from its first unit to its last; None where another's lies between."""
    where = {unit.id: unit_span(question, unit) for unit in reply.units}
    found: list[Span | None] = []
    for piece in reply.shards:
        own = [span for number in piece.units if (span := where.get(number))]
        others = [span for number, span in where.items() if span and number not in piece.units]
        hull = (min(start for start, _ in own), max(end for _, end in own)) if own else None
        apart = hull is None or any(overlap(hull, other) for other in others)
        found.append(None if apart else hull)
    return tuple(found)


def overlap(one: Span, other: Span) -> bool:
    """Tell whether two spans share a character."""
    return one[0] < other[1] and other[0] < one[1]


def _spans(question: str, source: str) -> Iterator[Span]:
    """Yield every place of `source` that cuts no word in two."""
    start = question.find(source) if source else -1
    while start >= 0:
        end = start + len(source)
        if not _cuts(question, start) and not _cuts(question, end):
            yield start, end
        start = question.find(source, start + 1)


def _cuts(text: str, at: int) -> bool:
    return 0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum()

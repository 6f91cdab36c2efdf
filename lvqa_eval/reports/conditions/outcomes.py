"""What became of the planned conversations, by condition: the second table of a report."""

from collections.abc import Mapping

from lvqa_eval.metrics.scores import JUDGE_FAILED, MISSING, NOT_JUDGED
from lvqa_eval.statuses import INFRASTRUCTURE_FAILED, Status

OUTCOME_COLUMNS: dict[str, tuple[str, ...]] = {
    "Truncated": (Status.TRUNCATED.value,),
    "Refused": (Status.REFUSED.value,),
    "Empty": (Status.EMPTY.value,),
    "Unparsable": (Status.UNPARSABLE.value,),
    "Errors": tuple(sorted(status.value for status in INFRASTRUCTURE_FAILED)),
    "Overflow": (Status.CONTEXT_OVERFLOW.value,),
    "Unjudged": (NOT_JUDGED, *JUDGE_FAILED.values()),
    "Missing": (MISSING,),
}
"""Column -> the outcomes that it counts; the first four count as wrong, the others not at all."""

COUNTED_AS_WRONG = 4


def outcome_counts(counts: Mapping[str, int]) -> list[int]:
    """Return one number for each of `OUTCOME_COLUMNS` from the counts of an `Accuracy`."""
    return [sum(counts[outcome] for outcome in outcomes) for outcomes in OUTCOME_COLUMNS.values()]

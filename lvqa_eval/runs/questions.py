"""Which benchmark a run is of, and so which record its questions are."""

from collections.abc import Mapping
from typing import Any, Final

from lvqa_eval.errors import LvqaError
from lvqa_eval.runs.records import PageRecord, Question, QuestionRecord

QUESTION_TYPES: Final[Mapping[str, type[Question]]] = {
    "layered-vqa": QuestionRecord,
    "bear-bench": PageRecord,
}
"""The record of a question, by benchmark."""

_UNNAMED = "layered-vqa"
"""What settings without a benchmark are of: there was one when they were written."""


class UnknownBenchmarkError(LvqaError, ValueError):
    """A benchmark that nothing here knows."""


def benchmark_of(settings: Mapping[str, Any]) -> str:
    """Return the name of a run's benchmark; UnknownBenchmarkError for one that is not known."""
    name = settings.get("benchmark", _UNNAMED)
    if name not in QUESTION_TYPES:
        raise UnknownBenchmarkError(f"benchmark: found {name!r}, allowed: {', '.join(QUESTION_TYPES)}")
    return str(name)


def question_type(settings: Mapping[str, Any]) -> type[Question]:
    """Return the record of a run's questions; UnknownBenchmarkError where its benchmark is not known."""
    return QUESTION_TYPES[benchmark_of(settings)]


def benchmarks_with(kind: type[Question]) -> tuple[str, ...]:
    """Return the benchmarks whose questions have records of `kind`."""
    return tuple(name for name, of in QUESTION_TYPES.items() if of is kind)

"""What a reader of any report has to know before using its figures, one sentence each."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from lvqa_eval.reports.header import PROVISIONAL_JUDGES
from lvqa_eval.runs.lines import LineProblem
from lvqa_eval.runs.records import Key

FEW_SCENES: Final = 20
"""Below this number of clusters percentile intervals are known to cover less than they say."""


def provisional(judge: str) -> Iterator[str]:
    """Yield a sentence where the verdicts are not those of a model."""
    if judge in PROVISIONAL_JUDGES:
        remark = PROVISIONAL_JUDGES[judge]
        yield f"The verdicts are {remark}. Judge with a model before you publish or compare."


def few_scenes(clusters: int, cluster: str = "scene") -> Iterator[str]:
    """Yield a sentence where there are too few scenes, or what else a cluster is, for a bootstrap."""
    if clusters == 1:
        told = "which tells nothing of the spread: there are no intervals."
        yield f"All questions come from one {cluster}, {told}"
    elif clusters < FEW_SCENES:
        yield f"{clusters} {cluster}s are few for a bootstrap: the intervals are probably too narrow."


def one_run(runs: int) -> Iterator[str]:
    """Yield a sentence where every question was asked once."""
    if runs == 1:
        yield "One run: the spread over runs is not known."


def outside(conversations: int) -> Iterator[str]:
    """Yield a sentence where a run holds conversations that it did not plan."""
    if conversations:
        yield f"Conversations that the run's plan does not have, left out: {conversations}."


def unread(problems: Iterable[LineProblem]) -> Iterator[str]:
    """Yield a sentence for each file of the run with lines that hold no record; a torn last line is none."""
    lines: dict[str, list[int]] = {}
    for problem in problems:
        if problem.kind in ("damaged", "refused"):
            lines.setdefault(problem.path.name, []).append(problem.line)
    for name, numbers in lines.items():
        yield f"{name}: lines that cannot be read, left out: {len(numbers)}, the first is line {numbers[0]}."


def disagreeing(keys: Sequence[Key]) -> Iterator[str]:
    """Yield a sentence where the run has several final records of a key that are not the same."""
    if keys:
        first = " ".join(map(str, keys[0]))
        yield f"Records that are twice there and differ (the last counts): {len(keys)}, the first is {first}."

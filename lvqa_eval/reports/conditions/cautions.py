"""What a reader has to know before using the figures, and the failures in words."""

from collections.abc import Iterable, Iterator, Sequence

from lvqa_eval.metrics.accuracy import RANKED_FROM
from lvqa_eval.metrics.alignment import AlignmentContrast
from lvqa_eval.metrics.bootstrap import Estimate
from lvqa_eval.metrics.scores import MISSING, OUTCOMES, Scores
from lvqa_eval.reports.cautions import few_scenes, one_run, outside, provisional
from lvqa_eval.reports.conditions.rows import ConditionRow, Measured
from lvqa_eval.reports.numerals import Numerals
from lvqa_eval.statuses import MODEL_FAILED, Status

WORDS = {
    Status.TIMEOUT.value: "timed out",
    MISSING: "no conversation",
}
"""Outcomes whose names do not read well as they are."""


def cautions(
    scores: Scores, rows: Sequence[ConditionRow], contrast: AlignmentContrast | None, judge: str
) -> Iterator[str]:
    """Yield one sentence for each thing that limits the figures, the gravest first."""
    run = [(row.condition, row.measured) for row in rows if row.measured is not None]
    yield from provisional(judge)
    baselines = {row.condition for row in rows if row.baseline}
    unranked = [
        condition
        for condition, measured in run
        if not measured.accuracy.ranked and condition not in baselines
    ]
    if unranked:
        yield f"Coverage below {RANKED_FROM * 100:.0f} % of the plan, so not ranked: {', '.join(unranked)}."
    yield from few_scenes(len(scores.scenes))
    yield from _without_interval(run, len(scores.scenes) == 1)
    yield from one_run(scores.correct.shape[2])
    yield from _dropped_draws(run, contrast)
    yield from outside(scores.outside)


def failures(rows: Iterable[ConditionRow], printed: Numerals) -> Iterator[str]:
    """Yield one text for each way in which conversations failed: how many, whether they count, and where."""
    run = [(row.condition, row.measured.accuracy) for row in rows if row.measured is not None]
    planned = sum(accuracy.planned for _, accuracy in run)
    for outcome in OUTCOMES:
        counts = {
            condition: accuracy.counts[outcome] for condition, accuracy in run if accuracy.counts[outcome]
        }
        if outcome == Status.OK or not counts:
            continue
        total = sum(counts.values())
        effect = "counted as wrong" if outcome in MODEL_FAILED else "not counted"
        places = ", ".join(f"{condition} {count}" for condition, count in counts.items())
        share = printed.percent(total / planned)
        yield f"{word(outcome)}, {effect}: {total} of {planned} conversations ({share} %): {places}."


def word(outcome: str) -> str:
    """Return an outcome's name as it begins a sentence."""
    text = WORDS.get(outcome, outcome.replace("_", " "))
    return text[0].upper() + text[1:]


def _without_interval(run: list[tuple[str, Measured]], one_scene: bool) -> Iterator[str]:
    alone = [condition for condition, measured in run if measured.interval.scenes == 1]
    if alone and not one_scene:
        yield f"Valid data from one scene only, so no interval: {', '.join(alone)}."
    flat = [
        condition
        for condition, measured in run
        if measured.interval.scenes > 1 and measured.interval.low == measured.interval.high
    ]
    if flat:
        yield f"Every draw gives the same figure, so the interval has no width: {', '.join(flat)}."


def _dropped_draws(run: list[tuple[str, Measured]], contrast: AlignmentContrast | None) -> Iterator[str]:
    figures: list[tuple[str, Estimate]] = [(condition, measured.interval) for condition, measured in run]
    figures += [
        (f"{condition} to full", measured.difference)
        for condition, measured in run
        if measured.difference is not None
    ]
    if contrast is not None:
        figures.append(("the aligned contrast", contrast.difference))
    dropped = [f"{name} {figure.dropped}" for name, figure in figures if figure.dropped and figure.n]
    if dropped:
        yield f"Draws without a valid conversation, left out of the interval: {', '.join(dropped)}."

"""What a panel tells of the models that were judged, and of those that judge themselves, as tables."""

import numpy as np

from lvqa_eval.judging.consensus import consensus, leave_self_out
from lvqa_eval.judging.panel import Panel
from lvqa_eval.judging.panel_judges import by_judge
from lvqa_eval.metrics.bootstrap import scene_weights
from lvqa_eval.metrics.judges import Spread, additive_fit, cross_matrix, cross_sums, self_preference
from lvqa_eval.metrics.rankings import assistant_accuracy, leave_one_judge_out, ranks
from lvqa_eval.reports.cautions import FEW_SCENES
from lvqa_eval.reports.table import Head, Kind, Table, Value

# A standard error is a width and has no sign.
_SPREAD: tuple[tuple[str, Kind], ...] = (
    ("", "points"),
    (" SE", "share"),
    (" low", "points"),
    (" high", "points"),
)


def cross_tables(asked: Panel) -> tuple[Table, Table]:
    """Return the mean verdict of each judge on each assistant, and what the additive model leaves of it."""
    matrix = cross_matrix(cross_sums(asked.votes, asked.assistant_of, len(asked.assistants)))
    verdicts = by_judge(
        "cross_judging",
        "Mean verdict of each judge on each assistant",
        "share",
        asked,
        matrix,
        "Share of an assistant's conversations, of those with a verdict, that a judge calls correct.",
    )
    residuals = by_judge(
        "residuals",
        "Residuals",
        "points",
        asked,
        matrix - additive_fit(matrix).expected,
        "Mean verdict less what the additive model expects (grand mean, ability of the assistant, leniency "
        "of the judge; least squares over all cells), in points. Positive: kinder than to others.",
    )
    return verdicts, residuals


def self_preference_table(asked: Panel, draws: int, seed: int) -> Table:
    """Return what each model that judges itself adds to its own verdicts, raw and corrected."""
    sums = cross_sums(asked.votes, asked.assistant_of, len(asked.assistants), asked.scene_of, asked.scenes)
    found = self_preference(sums, asked.own, scene_weights(asked.scenes, draws, seed))
    rows = [
        (asked.assistants[assistant], *_spread(found.raw, place), *_spread(found.corrected, place))
        for place, assistant in enumerate(found.assistants.tolist())
    ]
    rows.append(("mean", *_spread(found.raw_mean), *_spread(found.corrected_mean)))
    parts = [Head(f"{which}{part}", kind) for which in ("Raw", "Corrected") for part, kind in _SPREAD]
    scenes = len(np.unique(asked.scene_of))
    few = f" {scenes} scenes are few: both are probably too small." if scenes < FEW_SCENES else ""
    dropped = f" Draws left out since a cell had no vote in them: {found.dropped}." if found.dropped else ""
    notes = (
        "Raw: the residual of the judge's verdicts on itself, which is too small because the cell pulls its "
        "own row and column. Corrected: what it has beyond the additive fit to all cells between different "
        "models. In points.",
        f"SE and 95 % interval: scene-cluster bootstrap, {draws:,} draws, seed {seed}.{few}{dropped}",
    )
    return Table("self_preference", "Self-preference", (Head("Model"), *parts), tuple(rows), notes)


def _spread(spread: Spread, *place: int) -> tuple[float, float, float, float]:
    value, se, low, high = (float(part[place]) for part in (spread.value, spread.se, spread.low, spread.high))
    return value, se, low, high


def assistants_table(counted: Panel) -> Table:
    """Return accuracy and rank of each assistant, by the whole panel and without its own vote."""
    whole, size = consensus(counted.votes, counted.size), len(counted.assistants)
    others = leave_self_out(counted.votes, counted.own[counted.assistant_of], counted.size)
    of = [assistant_accuracy(one.verdict, counted.assistant_of, size) for one in (whole, others)]
    places = [ranks(one) for one in of]
    rows: list[tuple[Value, ...]] = []
    for place, assistant in enumerate(counted.assistants):
        items = counted.assistant_of == place
        row: list[Value] = [assistant, int(items.sum())]
        for by, accuracy, rank in zip((whole, others), of, places, strict=True):
            decided = float(by.decided[items].mean()) if items.any() else np.nan
            row += [decided, float(accuracy[place]), _rank(rank[place])]
        rows.append(tuple(row))
    heads = (
        Head("Assistant"),
        Head("n", "count"),
        Head("Coverage", "coverage"),
        Head("Accuracy", "share"),
        Head("Rank", "count"),
        Head("Coverage without self", "coverage"),
        Head("Accuracy without self", "share"),
        Head("Rank without self", "count"),
    )
    notes = (
        "n: conversations of all conditions but those that the serving failed; those that the model failed "
        "are wrong. Coverage: those decided. Accuracy: correct of them, pooled over conditions.",
        "Without self: by the consensus without the assistant's own vote, of a panel smaller by that one.",
    )
    return Table("assistants", "Accuracy of the assistants", heads, tuple(rows), notes)


def leave_one_out_table(counted: Panel) -> Table:
    """Return the rank of each assistant by every panel that is one judge smaller."""
    found = leave_one_judge_out(counted.votes, counted.assistant_of, len(counted.assistants), counted.size)
    rows = tuple(
        (judge, float(found.tau[place]), *map(_rank, ranks(found.without[place])))
        for place, judge in enumerate(counted.judges)
    )
    heads = (
        Head("Without"),
        Head("Tau", "ratio"),
        *(Head(assistant, "count") for assistant in counted.assistants),
    )
    notes = (
        "The rank of each assistant by the consensus of the panel without one judge. Tau: Kendall's tau-b "
        "between these accuracies and those of the whole panel; none where all assistants are equal.",
    )
    return Table("without_one_judge", "Rankings without one judge", heads, rows, notes)


def _rank(value: float) -> int | str:
    return "" if np.isnan(value) else int(value)

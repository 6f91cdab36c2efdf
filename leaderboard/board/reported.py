"""What the two papers print of models, as rows that stand apart from measured ones."""

import math
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

from leaderboard.board.records import Entry, Matrix, Row
from leaderboard.submissions.records import Openness
from lvqa_eval.metrics.agreement import proportion
from lvqa_eval.metrics.bear.conditions import COT, DEFAULT, at_factor
from lvqa_eval.metrics.bear.model_size import model_size
from lvqa_eval.metrics.delivery import FULL
from lvqa_eval.metrics.figures import Figure
from lvqa_eval.metrics.recomposition import STREAMS
from lvqa_eval.reports.deliveries import DELIVERIES
from lvqa_eval.reports.reported import ReportedRow, reported_table

LAYERED: Final = "layered-vqa"
BEAR: Final = "bear-bench"

_CELLS: Final = {
    row.keys["cell"]: int(row.figures["pages"].value) for row in reported_table(BEAR, "composition").rows
}
PRINTED_PAGES: Final = sum(_CELLS.values())
_PART: Final[Mapping[str, int]] = {
    "overall": PRINTED_PAGES,
    **{
        part: sum(size for cell, size in _CELLS.items() if part in cell.split("-"))
        for part in ("en", "ru", "business", "science")
    },
}
"""The pages of each part whose number the paper prints."""

_WEIGHTS: Final[Mapping[str, Openness]] = {"proprietary": "closed", "open": "open"}


def no_interval(value: float, n: int = 0) -> Figure:
    """Return a printed figure that has no interval, of `n` conversations, 0 where that is not printed."""
    return Figure(_printed(value), math.nan, math.nan, n, 0, 0, n, n)


@cache
def reported_rows(benchmark: str) -> tuple[Row, ...]:
    """Return the paper's rows of a benchmark in the order in which it prints them; none for another."""
    rows = {LAYERED: _layered, BEAR: _bear}.get(benchmark)
    return () if rows is None else tuple(rows())


def reported_costs() -> Matrix:
    """Return what deliveries cost in the paper, mean over its models: `full` itself, and differences to it.

    The differences of sharded and recap conditions are those of its recomposition, those of evidence orders
    are its accuracies less that of `full`; a condition of which it prints neither is left out.
    """
    (mean,) = [row for row in reported_rows(LAYERED) if FULL in row.figures]
    name = mean.entry.model
    cells = {
        (name, condition): figure
        for condition in DELIVERIES
        if (figure := mean.figures.get(condition if condition == FULL else f"delta_{condition}")) is not None
    }
    return Matrix((name,), tuple(DELIVERIES), cells)


def _layered() -> Iterator[Row]:
    """Yield the mean over the paper's models, then the models of which it prints something alone."""
    table = reported_table(LAYERED, "composition")
    (assistants,) = table.find(of="assistants")
    count = int(assistants.figures["number"].value)
    yield Row(_entry(f"Mean of {count} assistants", LAYERED, table.source), _layered_means())
    for row in reported_table(LAYERED, "grounding").rows:
        figures = {
            "all-layers": no_interval(row.figures["accuracy"].share),
            "grounding_f1": no_interval(row.figures["f1"].share),
        }
        yield Row(_entry(row.keys["model"], LAYERED, row.source), figures)
    for row in reported_table(LAYERED, "ungrounded-models").rows:
        figures = {"grounded": no_interval(row.figures["grounded"].share)}
        yield Row(_entry(row.keys["model"], LAYERED, row.source), figures)


def _layered_means() -> dict[str, Figure]:
    (whole,) = reported_table(LAYERED, "depth").find(layers="all")
    full = whole.figures["full"].share
    found = {FULL: no_interval(full)}
    for row in reported_table(LAYERED, "deliveries").rows:
        figure = row.figures["difference"].share
        if row.keys["reference"] == FULL:
            found[f"delta_{row.keys['condition']}"] = no_interval(figure)
        elif "low" in row.figures and row.keys["condition"] == STREAMS["scene"].recap:
            low, high = row.figures["low"].share, row.figures["high"].share
            found["restored_scene"] = Figure(figure, low, high, 0, 0, 0, 0, 0)
    for row in reported_table(LAYERED, "recomposition").rows:
        stream = STREAMS[row.keys["stream"]]
        found[f"delta_{stream.sharded}"] = no_interval(row.figures["fragment"].share)
        found[f"delta_{stream.recap}"] = no_interval(row.figures["overshoot"].share)
    for row in reported_table(LAYERED, "accuracy").find(questions="all"):
        condition, accuracy = row.keys["condition"], row.figures["accuracy"].share
        found[condition] = no_interval(accuracy)
        found.setdefault(f"delta_{condition}", no_interval(accuracy - full))
        if "joint" in row.figures:
            found["joint"] = no_interval(row.figures["joint"].share)
    early = reported_table(LAYERED, "ungrounded").find(passage="section 5", over="all")[0]
    found["ungrounded"] = no_interval(early.figures["share"].share)
    found["grounded"] = no_interval(early.figures["grounded"].share)
    return found


def _bear() -> Iterator[Row]:
    """Yield the paper's models, the best first, with Wilson intervals where it prints the number of pages."""
    steps = {row.keys["model"]: row for row in reported_table(BEAR, "chain-of-thought").rows}
    for row in reported_table(BEAR, "accuracy").rows:
        model = row.keys["model"]
        found = {
            key: _share(figure.share, _PART.get(key))
            for key, figure in row.figures.items()
            if key != "median_answer_words"
        }
        found["gap"] = _gap(found["en"], found["ru"])
        found["words"] = no_interval(row.figures["median_answer_words"].value)
        if (cot := steps.get(model)) is not None:
            found |= _change(COT, cot.figures[COT].share, cot.figures[DEFAULT].share)
        smaller = {one.keys["factor"]: one.figures["accuracy"].share for one in _smaller(model)}
        for factor, accuracy in smaller.items():
            if factor != "1":
                found |= _change(at_factor(float(factor)), accuracy, smaller["1"])
        weights = _WEIGHTS[row.keys["weights"]]
        yield Row(_entry(model, BEAR, row.source, weights, model_size(model).total), found)


def _smaller(model: str) -> tuple[ReportedRow, ...]:
    return reported_table(BEAR, "downsampling").find(model=model)


def _change(condition: str, accuracy: float, base: float) -> dict[str, Figure]:
    return {
        condition: _share(accuracy, PRINTED_PAGES),
        f"delta_{condition}": no_interval(accuracy - base),
    }


def _share(value: float, n: int | None) -> Figure:
    """Return a printed share with its Wilson interval, without one where `n` is not printed."""
    if n is None:
        return no_interval(value)
    found = proportion(round(value * n), n)
    return Figure(_printed(value), found.low, found.high, n, 0, 0, n, n)


def _gap(english: Figure, russian: Figure) -> Figure:
    """Return the difference of two shares of different pages; its interval is Newcombe's, from theirs."""
    value = english.value - russian.value
    low = value - math.hypot(english.value - english.low, russian.high - russian.value)
    high = value + math.hypot(english.high - english.value, russian.value - russian.low)
    return Figure(
        _printed(value), low, high, english.n + russian.n, 0, 0, english.n + russian.n, english.n + russian.n
    )


def _printed(value: float) -> float:
    """Return a figure with the digits that a paper can have printed: 0.819, which 81.9 / 100 is not."""
    return round(value, 9)


def _entry(
    model: str,
    benchmark: str,
    source: str,
    weights: Openness | None = None,
    parameters: float | None = None,
) -> Entry:
    return Entry(
        id="",
        model=model,
        badge="reported",
        shown="reported",
        weights=weights,
        parameters=parameters,
        benchmark=benchmark,
        source=source,
    )

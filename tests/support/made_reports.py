"""Reports to write and look at: from exhibits of a test's own making, without runs."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from lvqa_eval.metrics.figures import Figure
from lvqa_eval.reports.exhibit import Exhibit, Paper, Plot
from lvqa_eval.reports.field import FieldRow
from lvqa_eval.reports.report import Choices, Part, Report
from lvqa_eval.reports.sources import Source
from lvqa_eval.reports.table import Head, Table

CONDITIONS = ("full", "concat-q", "sharded-q", "recap-q", "concat-v", "sharded-v", "recap-v", "oracle")


def figure(value: float, half: float = 0.02, n: int = 300, planned: int = 300) -> Figure:
    """Return a figure with an interval of `half` on both sides."""
    return Figure(value, value - half, value + half, n, 93, 0, questions=100, planned=planned)


def draw_line(canvas: Any) -> None:
    """Draw one line with its axes named."""
    axes = canvas.subplots()
    axes.plot(np.arange(4), [0.2, 0.4, 0.3, 0.6], marker="o")
    axes.set_xlabel("turn")
    axes.set_ylabel("accuracy, %")


def wide_table(name: str = "cost", models: Sequence[str] = ("org/one-4b", "org/other-72b")) -> Table:
    """Return a table of models with a column of points a condition, and their mean below."""
    steps = (0.0, -0.03, -0.08, 0.06, -0.2, -0.3, 0.09, -0.12)
    rows = [(model, *(figure(step + 0.01 * row) for step in steps)) for row, model in enumerate(models)]
    mean = ("Mean of 2 models", *(figure(step) for step in steps))
    heads = (Head("Model"), *(Head(f"{one}, points", "points") for one in CONDITIONS))
    return Table(name, "Accuracy less that of full", heads, (*rows, mean), ("A note on it.",), summary=1)


def small_table(name: str = "small") -> Table:
    """Return a table of one row with a share of low coverage, a dash and words."""
    heads = (Head("Condition"), Head("Accuracy, %", "share"), Head("Change, points", "points"), Head("Why"))
    row = ("full", figure(0.5, n=200), float("nan"), "a figure that is not defined, in words")
    return Table(name, "What was reached", heads, (row,))


def reported_table() -> Table:
    """Return what a paper prints, with ours beside it."""
    heads = (
        Head("Condition"),
        Head("Reported, %", "share", reported=True),
        Head("Measured here, %", "share"),
    )
    return Table("reported", "Reported in arXiv 1, and measured here", heads, (("full", 0.6, figure(0.5)),))


def exhibits(paper: Paper = "layered-vqa") -> tuple[Exhibit, ...]:
    """Return one of each kind: tables beside reported figures, a plot, one without its input, a table."""
    missing = "No judge has ruled turn by turn. Let one do so: lvqa judge one other --judge NAME@URL"
    about = (
        "Accuracy less that of full, paired.",
        "Conversations that count: all but errors of the serving.",
    )
    basis = (("n", "4,800 of 4,800 planned conversations"), ("Coverage", "100.0 %"))
    return (
        Exhibit(
            "table-1",
            "Table 1",
            "Cost of delivery",
            paper,
            about,
            basis,
            (wide_table(), small_table()),
            reported=reported_table(),
        ),
        Exhibit(
            "figure-2",
            "Figure 2",
            "Accuracy by turn",
            paper,
            about,
            basis,
            (small_table("figure-2"),),
            plot=Plot(draw_line, (6.0, 3.0), "A line from 20 at the first turn to 60 at the last."),
        ),
        Exhibit("table-4", "Table 4", "First commitment", paper, about, missing=missing),
        Exhibit("rankings", "", "Rankings", paper, about, basis, (small_table("rankings"),)),
    )


def made_source(run: str = "one", model: str = "org/one-4b") -> Source:
    """Return what names a run that nobody held."""
    dataset = {"name": "layered-vqa", "version": "1.0.0", "manifest_sha256": "ab" * 32}
    return Source(
        run=run,
        model=model,
        settings={"model": {"name": model}, "dataset": dataset, "runs": 3},
        digest="0123abcd",
        judges={"consensus": {"members": {"a": "1", "b": "2"}}},
        judge_digests={"consensus": "4567cdef"},
    )


def made_part(**given: Any) -> Part:
    """Return a part with two runs and `exhibits`, but for what is `given`."""
    field = tuple(
        FieldRow(name, figure(0.6 - 0.02 * row), figure(-0.02 * row) if row else None)
        for row, name in enumerate(CONDITIONS)
    )
    standing: dict[str, Any] = {
        "paper": "layered-vqa",
        "sources": (made_source(), made_source("other", "org/other-72b")),
        "judge": "consensus",
        "post_hoc": None,
        "header": (("Models", "org/one-4b, org/other-72b"), ("Dataset", "layered-vqa 1.0.0")),
        "cautions": ("12 scenes are few for a bootstrap: the intervals are probably too narrow.",),
        "exhibits": exhibits(),
        "field": field,
    }
    return Part(**{**standing, **given})


def made_report(*parts: Part) -> Report:
    """Return the report of `parts`; of `made_part` without any."""
    return Report(parts or (made_part(),), Choices(draws=100))

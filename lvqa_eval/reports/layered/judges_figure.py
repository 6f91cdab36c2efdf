"""Figure 4: judges against assistants: who is lenient, who is able, and who favours itself."""

from collections.abc import Sequence
from dataclasses import replace
from textwrap import wrap
from typing import TYPE_CHECKING, Final

import numpy as np

from lvqa_eval.judging.consensus import consensus
from lvqa_eval.judging.panel import Panel
from lvqa_eval.judging.panel_judges import judges_table
from lvqa_eval.judging.panel_models import cross_tables, self_preference_table
from lvqa_eval.metrics.bootstrap import Estimate
from lvqa_eval.reports.exhibit import Exhibit, Plot
from lvqa_eval.reports.layered.field_rows import PAPER, Beside, reported_table
from lvqa_eval.reports.layered.figure_words import side_by_side, told
from lvqa_eval.reports.layered.judges_crossed import Crossed, Favour
from lvqa_eval.reports.numerals import PRINTED
from lvqa_eval.reports.plots.dots import Series, draw_dots
from lvqa_eval.reports.plots.heat import differences, draw_heat, name_cells
from lvqa_eval.reports.plots.legend import legend_above
from lvqa_eval.reports.plots.names import short_names
from lvqa_eval.reports.plots.style import WIDTH
from lvqa_eval.reports.reported import reported_table as printed_table
from lvqa_eval.reports.reported.papers import model_key
from lvqa_eval.reports.study.inputs import StudyInputs
from lvqa_eval.reports.table import Head, Table, Value

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

NAME: Final = "figure-4"
TITLE: Final = "Judges against assistants"
DEFINITION: Final = (
    "X is the share of an assistant's conversations, of those with a verdict, that a judge calls correct, "
    "all conditions together. Baselines are left out, and so is what the model failed, which is not judged.",
    "Residual: X less what an additive model expects from grand mean, ability of the assistant and leniency "
    "of the judge (least squares; for a full grid X - row mean - column mean + grand mean). Frames mark "
    "models that judge themselves. One assistant, or one judge, leaves no residuals, so no grid is drawn.",
    "Leniency: the mean of X over the assistants that a judge has verdicts on. Ability: the mean of X over "
    "the judges that have verdicts on an assistant.",
    "Self-preference, raw: the residual of a judge's verdicts on itself. It is too small, since the cell "
    "pulls the means of its own row and column. Corrected: what the cell has beyond the additive fit to all "
    "cells between different models.",
)
MEAN_ROW: Final = "Mean self-preference"
_UNITS: Final = {"share": "%", "coverage": "%", "points": "points"}
# Inches, about: of a letter, of a line, of the grid's width. So many judges have their names in lines.
_LETTER: Final = 0.062
_LINE: Final = 0.14
_GRID: Final = 4.2
_WRAPPED: Final = 5
_UNKNOWN: Final = Estimate(np.nan, np.nan, np.nan, 0, 0, 0)


def exhibit(inputs: StudyInputs) -> Exhibit:
    """Return Figure 4, of the judges that judged every run."""
    if inputs.panel is None:
        runs = " ".join(inputs.runs)
        missing = (
            "Fewer than two judges have judged every run. Let two or more do so, then compare them: "
            f"lvqa judge {runs} --judge NAME@URL, then lvqa panel {runs}"
        )
        return Exhibit(NAME, "Figure 4", TITLE, PAPER, DEFINITION, missing=missing)
    asked = inputs.panel.asked
    found = Crossed.of(asked, inputs.draws, inputs.seed)
    return Exhibit(
        NAME,
        "Figure 4",
        TITLE,
        PAPER,
        DEFINITION,
        basis=_basis(inputs.panel, asked),
        tables=_tables(asked, inputs, found),
        plot=_plot(found),
        reported=_reported(asked, found),
    )


def _basis(panel: Panel, asked: Panel) -> tuple[tuple[str, str], ...]:
    verdicts, places = int((asked.votes >= 0).sum()), asked.votes.size
    failed = int((panel.failed & ~panel.baseline).sum())
    return (
        ("Judges", f"{len(asked.judges)}: {', '.join(asked.judges)}"),
        ("n", f"{verdicts:,} verdicts of {places:,}, {len(asked.keys):,} conversations before each judge"),
        ("Coverage", f"{PRINTED.coverage(verdicts, places)} % of the verdicts asked for"),
        ("Questions", f"{len({key.question_id for key in asked.keys}):,}"),
        ("Scenes", f"{len(np.unique(asked.scene_of)):,}"),
        ("Left out", f"{failed:,} conversations that the model failed: wrong without a judge"),
    )


def _tables(asked: Panel, inputs: StudyInputs, found: Crossed) -> tuple[Table, ...]:
    tables = [*cross_tables(asked), _traits(found), judges_table(asked)]
    if found.own:
        tables.append(self_preference_table(asked, inputs.draws, inputs.seed))
    return tuple(table if table.name.startswith(NAME) else _named(table) for table in tables)


def _named(table: Table) -> Table:
    """Return a table of the panel under the name of this figure, with the unit in each of its heads."""
    heads = (
        head._replace(title=f"{head.title}, {_UNITS[head.kind]}") if head.kind in _UNITS else head
        for head in table.heads
    )
    return replace(table, name=f"{NAME}-{table.name.replace('_', '-')}", heads=tuple(heads))


def _traits(found: Crossed) -> Table:
    """Return ability and leniency of every model, a dash for what it is not."""
    ability = dict(zip(found.assistants, found.ability, strict=True))
    leniency = dict(zip(found.judges, found.leniency, strict=True))
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (model, ability.get(model, np.nan), leniency.get(model, np.nan)) for model in found.models
    )
    heads = (Head("Model"), Head("Ability, %", "share"), Head("Leniency, %", "share"))
    return Table(f"{NAME}-traits", "Ability and leniency", heads, rows)


def _plot(found: Crossed) -> Plot:
    names = dict(zip(found.models, short_names(found.models), strict=True))
    rows = (*names.values(), *([MEAN_ROW] if found.favour else []))
    upright = len(found.judges) > _WRAPPED
    judges = [names[one] if upright else _wrapped(names[one], len(found.judges)) for one in found.judges]
    room = max(_LETTER * len(one) if upright else _LINE * (one.count("\n") + 1) for one in judges)
    heights = [0.9 + 0.21 * len(rows)]
    if min(found.residual.shape) > 1:
        heights.insert(0, 0.65 + room + 0.22 * len(found.assistants))

    def draw(figure: "Canvas") -> None:
        *top, bottom = figure.subfigures(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0]
        for part in top:
            _draw_residuals(part.subplots(), found, [names[one] for one in found.assistants], judges, upright)
        panels = bottom.subplots(1, 2 if found.favour else 1, sharey=True, squeeze=False)[0]
        draw_dots(panels[0], rows, _traits_drawn(found, len(rows)), summary=len(rows) - len(names))
        panels[0].set_xlabel("mean verdict, % correct")
        if found.favour:
            draw_dots(panels[1], rows, _favour_drawn(found, found.favour), summary=1, first_mark=2)
            panels[1].set_xlabel("self-preference, points")
        legend_above(*panels)

    return Plot(draw, (WIDTH, sum(heights)), _alt(found))


def _wrapped(name: str, columns: int) -> str:
    """Return a name in lines that fit under one of so many columns."""
    return "\n".join(wrap(name, int(_GRID / columns / _LETTER)))


def _draw_residuals(
    axes: "Axes", found: Crossed, assistants: Sequence[str], judges: Sequence[str], upright: bool
) -> None:
    residual = 100 * found.residual
    texts = [[PRINTED.points(value) for value in row] for row in found.residual]
    draw_heat(axes, residual, texts, differences(residual, "residual, points"), found.own)
    name_cells(axes, assistants, judges, upright=upright)
    axes.set_ylabel("assistant")
    axes.set_xlabel("judge")


def _traits_drawn(found: Crossed, rows: int) -> list[Series]:
    ability = dict(zip(found.assistants, found.ability, strict=True))
    leniency = dict(zip(found.judges, found.leniency, strict=True))
    room = [_UNKNOWN] * (rows - len(found.models))
    return [
        Series.of("ability, as an assistant", [*(ability.get(one, _UNKNOWN) for one in found.models), *room]),
        Series.of("leniency, as a judge", [*(leniency.get(one, _UNKNOWN) for one in found.models), *room]),
    ]


def _favour_drawn(found: Crossed, favour: Favour) -> list[Series]:
    def of(label: str, estimates: Sequence[Estimate]) -> Series:
        known = dict(zip(favour.models, estimates, strict=False))
        return Series.of(label, [*(known.get(one, _UNKNOWN) for one in found.models), estimates[-1]])

    return [of("raw", favour.raw), of("corrected", favour.corrected)]


def _alt(found: Crossed) -> str:
    parts = [f"Assistants: {len(found.assistants)}; judges: {len(found.judges)}"]
    if min(found.residual.shape) > 1 and np.isfinite(found.residual).any():
        row, column = np.unravel_index(np.nanargmax(np.abs(found.residual)), found.residual.shape)
        farthest = told(float(found.residual[row, column]), "points")
        names = f"judge {found.judges[column]} on assistant {found.assistants[row]}"
        parts.append(f"A grid of residuals; the one farthest from zero is {farthest} points, of {names}")
    for trait, estimates in (("Leniency", found.leniency), ("Ability", found.ability)):
        least, greatest = _ends(estimates)
        parts.append(f"{trait} goes from {told(least, 'share')} to {told(greatest, 'share')} %")
    if found.favour:
        raw, corrected = found.favour.raw[-1], found.favour.corrected[-1]
        parts.append(
            f"Mean self-preference, raw {told(raw, 'points')}, corrected {told(corrected, 'points')} points"
        )
    return f"{'. '.join(parts)}."


def _ends(estimates: Sequence[Estimate]) -> tuple[Estimate, Estimate]:
    """Return the least and the greatest that are known."""
    known = sorted((one for one in estimates if np.isfinite(one.value)), key=lambda one: one.value)
    return (known[0], known[-1]) if known else (_UNKNOWN, _UNKNOWN)


def _reported(asked: Panel, found: Crossed) -> Table:
    traits = {"leniency": _ends(found.leniency), "ability": _ends(found.ability)}
    shares = [
        Beside(f"{row.keys['trait']}, {end}", row.figures[end], traits[row.keys["trait"]][place])
        for row in printed_table(PAPER, "judges").rows
        for place, end in enumerate(("least", "greatest"))
    ]
    (row,) = printed_table(PAPER, "unanimity").find(over="all")
    whole = consensus(asked.votes, asked.size)
    decided = int(whole.decided.sum())
    unanimous = float(whole.unanimous.sum() / decided) if decided else np.nan
    shares.append(Beside("verdicts that all judges share", row.figures["share"], unanimous))
    points = [
        Beside(
            f"self-preference, raw, {row.keys['judge']}",
            row.figures["residual"],
            _own(row.keys["judge"], found),
        )
        for row in printed_table(PAPER, "self-preference").rows
    ]
    return side_by_side(
        reported_table(f"{NAME}-reported", shares, (), "Figure"),
        reported_table(f"{NAME}-reported", points, (), "Figure"),
    )


def _own(judge: str, found: Crossed) -> Value:
    """Return the raw self-preference of a judge that the paper names, or of their mean."""
    if found.favour is None:
        return np.nan
    known = {model_key(model): one for model, one in zip(found.favour.models, found.favour.raw, strict=False)}
    return found.favour.raw[-1] if judge == "mean" else known.get(model_key(judge), np.nan)

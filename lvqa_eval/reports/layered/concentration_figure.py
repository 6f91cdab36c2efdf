"""Figure 8: whether a few questions carry the loss, beside what chance alone would concentrate."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from lvqa_eval.metrics.bootstrap import Estimate
from lvqa_eval.metrics.concentration import (
    CURVE_STEPS,
    NULL_DRAWS,
    PARTS,
    Concentration,
    NullShare,
    concentration,
)
from lvqa_eval.metrics.controls import ORACLE
from lvqa_eval.metrics.delivery import FULL
from lvqa_eval.reports.exhibit import Exhibit, Plot
from lvqa_eval.reports.layered.field_rows import PAPER, Beside, lacking_conditions, reported_table
from lvqa_eval.reports.layered.figure_words import told
from lvqa_eval.reports.numerals import PRINTED
from lvqa_eval.reports.plots.legend import legend_above
from lvqa_eval.reports.plots.lines import draw_band, draw_line
from lvqa_eval.reports.plots.palette import LINE, MARKS, MUTED
from lvqa_eval.reports.plots.style import WIDTH
from lvqa_eval.reports.reported import ReportedRow
from lvqa_eval.reports.reported import reported_table as printed_table
from lvqa_eval.reports.study.inputs import StudyInputs
from lvqa_eval.reports.table import Head, Table, Value

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

NAME: Final = "figure-8"
TITLE: Final = "Concentration of the loss"
_NO_LOSS: Final = "no_loss_questions"
CONDITIONS: Final = ("concat-v", "sharded-v", ORACLE)
DEFINITION: Final = (
    f"The loss L of a question is the mean, over all models and runs that count under both, of correct under "
    f"{FULL} less correct under a condition. The questions stand in the order of their loss, the largest "
    "first; p = max(L, 0).",
    "Carried: the share of the sum of p over all questions that the worst tenth, fifth and so on of the "
    "questions have; a part that is no whole number of questions counts one in part. Of the net loss: the "
    "same with L in the place of p, gains taken off, which may exceed 100 %; a dash where the models do not "
    "lose on the whole. No loss: questions with L of 0 or less.",
    "The interval draws scenes together. Redrawn questions come in copies, so the draws are somewhat more "
    "concentrated than the data.",
    "By chance: what is carried where every question has the same true loss, since with few conversations a "
    f"question some look worse than others. {NULL_DRAWS:,} simulations draw each pair of a model anew from "
    "its own mix of losses, ties and gains, the same for all questions, with as many pairs a question as "
    "there are. Given are their mean and their middle 95 %. A loss is concentrated as far as it lies above.",
)


def exhibit(inputs: StudyInputs) -> Exhibit:
    """Return Figure 8, of those of its conditions that were run."""
    study = inputs.study
    held = study.held(CONDITIONS)
    if missing := lacking_conditions(inputs, (FULL, *(held or CONDITIONS))):
        return Exhibit(NAME, "Figure 8", TITLE, PAPER, DEFINITION, missing=missing)
    found = [concentration(study, one, inputs.weights, seed=inputs.seed) for one in held]
    return Exhibit(
        NAME,
        "Figure 8",
        TITLE,
        PAPER,
        DEFINITION,
        basis=_basis(inputs, found),
        tables=(_shares(found), _curves(found)),
        plot=_plot(found),
        reported=_reported(found),
    )


def _basis(inputs: StudyInputs, found: Sequence[Concentration]) -> tuple[tuple[str, str], ...]:
    study = inputs.study
    pairs = []
    for one in found:
        planned = int(study.planned_in_all((FULL, one.condition)).sum())
        share = PRINTED.coverage(one.pairs, planned)
        counted = f"n = {one.pairs:,} of {planned:,} planned pairs of conversations; coverage {share} %"
        places = f"questions: {len(one.questions):,}; scenes: {one.scenes:,}"
        pairs.append((one.condition, f"{counted}; {places}"))
        if lacking := [model for model in study.models if model not in one.models]:
            pairs.append((f"Left out, {one.condition}", f"{', '.join(lacking)}: no pair that counts"))
    if absent := [one for one in CONDITIONS if one not in study.conditions]:
        pairs.append(("Left out", f"{', '.join(absent)}: not run"))
    return tuple(pairs)


def _shares(found: Sequence[Concentration]) -> Table:
    heads = [Head("Condition")]
    for part in PARTS:
        parts = ("carried", "by chance", "of the net loss")
        heads += [Head(f"{part.capitalize()}: {one}, %", "share") for one in parts]
    heads += [Head("No loss, questions", "count"), Head("No loss: by chance, questions", "number")]
    rows: list[tuple[Value, ...]] = []
    for one in found:
        row: list[Value] = [one.condition]
        for share in one.shares:
            carried = Estimate(share.value, share.low, share.high, one.pairs, one.scenes, share.dropped)
            row += [carried, _by_chance(share.null, one), share.of_net]
        rows.append((*row, one.no_loss, _by_chance(one.no_loss_null, one)))
    return Table(
        f"{NAME}-shares",
        "What the worst questions carry",
        tuple(heads),
        tuple(rows),
        (
            "Brackets: the 95 % interval; behind a figure by chance the middle 95 % of the simulations.",
            *_dropped(found),
        ),
    )


def _dropped(found: Sequence[Concentration]) -> tuple[str, ...]:
    lost = [f"{one.condition} {one.shares[0].dropped}" for one in found if one.shares[0].dropped]
    return (f"Draws in which nothing is lost, left out of the interval: {', '.join(lost)}.",) if lost else ()


def _by_chance(null: NullShare, one: Concentration) -> Estimate:
    return Estimate(null.mean, null.low, null.high, one.pairs, one.scenes, 0)


def _curves(found: Sequence[Concentration]) -> Table:
    heads = [Head("Worst questions, %", "share")]
    for one in found:
        heads += [
            Head(f"{one.condition}, carried %", "share"),
            Head(f"{one.condition}, by chance %", "share"),
        ]
    rows: list[tuple[Value, ...]] = []
    for step in range(CURVE_STEPS + 1):
        row: list[Value] = [step / CURVE_STEPS]
        for one in found:
            curve = one.curve
            null = NullShare(
                *(float(part[step]) for part in (curve.null_mean, curve.null_low, curve.null_high))
            )
            row += [float(curve.carried[step]), _by_chance(null, one)]
        rows.append(tuple(row))
    return Table(f"{NAME}-curves", "The curves", tuple(heads), tuple(rows))


def _plot(found: Sequence[Concentration]) -> Plot:
    def draw(figure: "Canvas") -> None:
        panels = figure.subplots(1, len(found), sharex=True, sharey=True, squeeze=False)[0]
        for axes, one in zip(panels, found, strict=True):
            _draw_panel(axes, one)
        panels[0].set_ylabel("loss that they carry, %")
        legend_above(*panels)

    return Plot(draw, (min(WIDTH, 1.6 + 1.8 * len(found)), 3.0), _alt(found))


def _draw_panel(axes: "Axes", one: Concentration) -> None:
    curve = one.curve
    axes.plot([0, 100], [0, 100], color=LINE, linewidth=0.9, linestyle=":", label="all lose alike")
    x = 100 * curve.parts
    draw_band(axes, x, 100 * curve.null_low, 100 * curve.null_high, mark=1)
    draw_line(axes, x, 100 * curve.null_mean, "chance alone, middle 95 %", mark=1, size=0)
    draw_line(axes, x, 100 * curve.carried, "measured", size=0)
    parts = np.array(list(PARTS.values()))
    values = np.array([share.value for share in one.shares])
    low, high = (100 * np.array([getattr(share, end) for share in one.shares]) for end in ("low", "high"))
    colour, label = MARKS[0].colour, "worst tenth and fifth, 95 %"
    if np.isfinite([low, high]).all():
        axes.vlines(100 * parts, low, high, color=colour, linewidth=1.1, zorder=5)
    axes.plot(100 * parts, 100 * values, MARKS[0].marker, color=colour, label=label, zorder=5)
    if not np.isfinite(curve.carried).any():
        axes.text(50, 50, "nothing is lost", ha="center", va="center", color=MUTED)
    axes.set_title(one.condition)
    axes.set_xlabel("worst questions, %")
    axes.set_xlim(0, 100)
    axes.set_ylim(0, 102)


def _alt(found: Sequence[Concentration]) -> str:
    parts = []
    for one in found:
        carried = [
            f"the {share.part} of the questions carry {told(share.value, 'share')} % of the loss, by chance "
            f"{told(share.null.mean, 'share')} %"
            for share in one.shares
        ]
        parts.append(f"{one.condition}: {'; '.join(carried)}")
    return f"Share of the loss carried by the worst questions, as curves. {'. '.join(parts)}."


def _reported(found: Sequence[Concentration]) -> Table:
    measured = {one.condition: one for one in found}
    printed = printed_table(PAPER, "concentration").rows
    pairs = []
    for row in printed:
        one = measured.get(row.keys["condition"])
        for place, part in enumerate(PARTS):
            if figure := row.figures.get(part.replace(" ", "_")):
                beside = Beside(f"{row.keys['condition']}, {part}", figure)
                if one is not None:
                    share = one.shares[place]
                    ours = Estimate(share.value, share.low, share.high, one.pairs, one.scenes, share.dropped)
                    beside = beside._replace(measured=ours)
                pairs.append(beside)
    notes = [
        "Both: the loss of a question is the mean over all models.",
        *(_no_loss(row, measured.get(row.keys["condition"])) for row in printed if _NO_LOSS in row.figures),
    ]
    return reported_table(f"{NAME}-reported", pairs, (), "Loss carried", notes)


def _no_loss(row: ReportedRow, one: Concentration | None) -> str:
    printed = f"{row.figures[_NO_LOSS].value:.0f} questions without a loss"
    ours = "not run" if one is None else f"{one.no_loss} of {len(one.questions)}"
    return f"{row.keys['condition']}: the paper reports {printed}; measured here: {ours}."

"""Figure 6: length and correctness of an answer by its number in the conversation."""

from typing import TYPE_CHECKING, Final

import numpy as np

from lvqa_eval.metrics.attempts import MOST_ATTEMPTS, AttemptProfile, attempt_profile
from lvqa_eval.metrics.delivery import MULTI_TURN
from lvqa_eval.metrics.figures import FieldTable, Figures, field_table
from lvqa_eval.metrics.replicated import replicate
from lvqa_eval.reports.exhibit import Exhibit, Plot
from lvqa_eval.reports.layered.field_rows import (
    PAPER,
    Beside,
    basis,
    model_table,
    reported_table,
)
from lvqa_eval.reports.layered.figure_words import side_by_side, told
from lvqa_eval.reports.layered.turn_by_turn import lacking_rulings
from lvqa_eval.reports.numerals import PRINTED
from lvqa_eval.reports.plots.legend import legend_above
from lvqa_eval.reports.plots.lines import draw_band, draw_behind, draw_line
from lvqa_eval.reports.plots.names import short_names
from lvqa_eval.reports.plots.palette import LIGHT, MARKS
from lvqa_eval.reports.reported import reported_table as printed_table
from lvqa_eval.reports.study.inputs import Rulings, StudyInputs
from lvqa_eval.reports.table import Head, Table, Value

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

NAME: Final = "figure-6"
TITLE: Final = "Answers by their number in the conversation"
SINGLE: Final = "single turn"
DEFINITION: Final = (
    "An attempt is an answer that a post-hoc judge lists, at most one a turn; attempts of a conversation are "
    f"counted from 1, and those after number {MOST_ATTEMPTS} are left out. Length: characters of the answer "
    "as the judge quotes it, trimmed, mean over the attempts of a number. Right: the share of the attempts "
    "of a number that the same judge calls correct.",
    "Pooled: all conversations of all models together, since few models come to the late numbers. The "
    "conversations behind a number are those that have so many attempts, so the numbers are not about the "
    "same conversations: n stands below.",
    "Single turn: characters of the whole final reply, trimmed, in conversations of one turn (of all-layers "
    'what stands behind "Answer:"), mean over the models.',
)
_POOLED: Final = "Measured here: attempts of all models together; single turn is the mean over the models."
_ORDINALS: Final = {"first_attempt": 1, "tenth_attempt": 10}


def exhibit(inputs: StudyInputs) -> Exhibit:
    """Return Figure 6, over the conditions of several turns that were run."""
    rulings = inputs.rulings
    missing = lacking_rulings(inputs, MULTI_TURN)
    if missing is not None or rulings is None:
        return Exhibit(NAME, "Figure 6", TITLE, PAPER, DEFINITION, missing=missing)
    profile = _profile(inputs, rulings)
    single = _single_turn(inputs)
    return Exhibit(
        NAME,
        "Figure 6",
        TITLE,
        PAPER,
        DEFINITION,
        basis=_basis(inputs, profile, single),
        tables=_tables(profile, single),
        plot=_plot(profile, single),
        reported=_reported(profile, single),
    )


def _profile(inputs: StudyInputs, rulings: Rulings) -> AttemptProfile:
    """Return the profile up to the last number that any conversation comes to."""
    lengths, verdicts = rulings.attempt_characters, rulings.attempt_verdicts
    held = [inputs.study.conditions.index(one) for one in inputs.study.held(MULTI_TURN)]
    reached = np.isfinite(verdicts[:, held]).any(axis=(0, 1, 2, 3))
    numbers = max(int(reached.sum()), 1)
    return attempt_profile(inputs.study, lengths[..., :numbers], verdicts[..., :numbers], inputs.weights)


def _single_turn(inputs: StudyInputs) -> FieldTable:
    """Return the length of the reply where no conversation of a condition has several turns."""
    study, readings = inputs.study, inputs.readings
    alone = readings.multi_turn == 0
    several = (readings.multi_turn == 1).any(axis=(0, 2, 3))
    held = [one for row, one in enumerate(study.conditions) if alone[:, row].any() and not several[row]]
    cells, planned = study.pooled(readings.characters, held), study.planned_together(held)
    statistic = replicate(cells[:, None], planned[:, None], study.scene_of, inputs.weights)
    return field_table("Length of the reply", "characters", study.models, (SINGLE,), statistic)


def _basis(inputs: StudyInputs, profile: AttemptProfile, single: FieldTable) -> tuple[tuple[str, str], ...]:
    share = PRINTED.coverage(profile.conversations, profile.planned)
    counted = f"{profile.conversations:,} of {profile.planned:,} planned conversations ({share} %)"
    return (
        ("Post-hoc judge", str(inputs.post_hoc)),
        ("Conditions", ", ".join(profile.conditions)),
        ("With an attempt", f"{counted}; the others hold none, or have no valid ruling"),
        ("Attempts", f"{int(profile.pooled_correct.n.sum()):,}"),
        ("Questions", f"{int(profile.pooled_correct.questions.max()):,}"),
        ("Scenes", f"{int(profile.pooled_correct.scenes.max()):,}"),
        *basis(single, SINGLE),
    )


def _tables(profile: AttemptProfile, single: FieldTable) -> tuple[Table, ...]:
    heads = (
        Head("Attempt"),
        Head("Length, characters", "number"),
        Head("Right, %", "share"),
        Head("n", "count"),
    )
    rows: list[tuple[Value, ...]] = []
    for place, number in enumerate(profile.correct.columns):
        right = profile.pooled_correct.at(place)
        rows.append((number, profile.pooled_characters.at(place), right, right.n))
    tables = [Table(f"{NAME}-pooled", "All conversations of all models", heads, tuple(rows))]
    if len(profile.correct.models) > 1:
        tables += [
            model_table(f"{NAME}-length", "Length by model and number of the attempt", profile.characters),
            model_table(f"{NAME}-right", "Right by model and number of the attempt", profile.correct),
        ]
    tables.append(model_table(f"{NAME}-single-turn", "Length in conversations of one turn", single))
    return tuple(tables)


def _plot(profile: AttemptProfile, single: FieldTable) -> Plot:
    def draw(figure: "Canvas") -> None:
        panels = figure.subplots(3, 1, sharex=True, height_ratios=[3, 3, 1.3])
        _draw_panel(panels[0], profile.characters, profile.pooled_characters, 1.0)
        _draw_panel(panels[1], profile.correct, profile.pooled_correct, 100.0)
        reply = single.of_field(SINGLE).value
        if np.isfinite(reply):
            panels[0].axhline(reply, color=MARKS[1].colour, linestyle=MARKS[1].line, label=_reply(reply))
        numbers = np.arange(1, len(profile.correct.columns) + 1)
        panels[2].bar(numbers, profile.pooled_correct.n, width=0.6, color=LIGHT)
        panels[2].set_xticks(numbers)
        panels[2].set_xlim(0.4, len(numbers) + 0.6)
        panels[2].yaxis.set_major_formatter("{x:,.0f}")
        for axes, label in zip(panels, ("length, characters", "right, %", "attempts, n"), strict=True):
            axes.set_ylabel(label)
            axes.set_ylim(bottom=0)
            axes.grid(visible=False, axis="x")
        panels[2].set_xlabel("number of the attempt in its conversation")
        figure.align_ylabels(panels)
        legend_above(panels[0])

    return Plot(draw, (5.5, 5.2), _alt(profile, single))


def _draw_panel(axes: "Axes", by_model: FieldTable, pooled: Figures, scale: float) -> None:
    numbers = np.arange(1, len(by_model.columns) + 1, dtype=np.float64)
    if len(by_model.models) > 1:
        draw_behind(axes, numbers, scale * by_model.cells.value, "each model")
    label = (
        "all models pooled, 95 %" if len(by_model.models) > 1 else f"{short_names(by_model.models)[0]}, 95 %"
    )
    draw_band(axes, numbers, scale * pooled.low, scale * pooled.high)
    draw_line(axes, numbers, scale * pooled.value, label)


def _reply(characters: float) -> str:
    return f"{SINGLE}: {characters:.0f} characters"


def _alt(profile: AttemptProfile, single: FieldTable) -> str:
    last = len(profile.correct.columns) - 1
    said = [
        f"attempt {place + 1}: {told(profile.pooled_characters.at(place), 'number')} characters, "
        f"{told(profile.pooled_correct.at(place), 'share')} % right, n {profile.pooled_correct.at(place).n:,}"
        for place in dict.fromkeys((0, last // 2, last))
    ]
    reply = told(single.of_field(SINGLE), "number")
    return (
        f"Length and correctness by number of the attempt. {'; '.join(said)}. "
        f"Single turn: {reply} characters."
    )


def _reported(profile: AttemptProfile, single: FieldTable) -> Table:
    lengths = [
        Beside(
            _what(row.keys["answer"]), row.figures["characters"], _length(row.keys["answer"], profile, single)
        )
        for row in printed_table(PAPER, "answer-characters").rows
    ]
    right = [
        Beside(
            f"attempt {row.keys['attempt']}",
            row.figures["accuracy"],
            _at(int(row.keys["attempt"]), profile.pooled_correct),
        )
        for row in printed_table(PAPER, "attempts").rows
    ]
    return side_by_side(
        reported_table(f"{NAME}-reported", lengths, (), "Answer", [_POOLED]),
        reported_table(f"{NAME}-reported", right, (), "Answer"),
    )


def _what(answer: str) -> str:
    return f"attempt {_ORDINALS[answer]}" if answer in _ORDINALS else SINGLE


def _length(answer: str, profile: AttemptProfile, single: FieldTable) -> Value:
    if answer in _ORDINALS:
        return _at(_ORDINALS[answer], profile.pooled_characters)
    return single.of_field(SINGLE)


def _at(number: int, pooled: Figures) -> Value:
    return pooled.at(number - 1) if number <= len(pooled.value) else float("nan")

"""AUROC against the length of answers: one dot a model and detector."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from lvqa_eval.metrics.bootstrap import Estimate
from lvqa_eval.reports.detectors.auroc_figure import auroc_of, ranked
from lvqa_eval.reports.detectors.detected import DetectorInputs, Scorer, Target, Targets, held
from lvqa_eval.reports.detectors.length_groups import GROUPED, grouped_table, pattern_table
from lvqa_eval.reports.detectors.measure import AUROC, BALANCED_ACCURACY
from lvqa_eval.reports.detectors.scorers import KINDS, OTHERS, access, kind_of
from lvqa_eval.reports.detectors.shared import POSITIVE, SIGNALS, area, basis, folds_told, label_of, paper_of
from lvqa_eval.reports.exhibit import Exhibit, Plot
from lvqa_eval.reports.plots.palette import INK, LINE, MARKS
from lvqa_eval.reports.plots.style import WIDTH

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

NAME: Final = "detectors-length"
TITLE: Final = "Detectors and the length of answers"
DOTS: Final = (
    "A dot is a detector on the answers of one model, over their median length; hollow with the signals of a "
    "proxy. Models differ in more than the length of their answers: what length does inside one model is in "
    "the exhibit on terse and long answers."
)
_COLUMNS: Final = 3


def exhibit(inputs: DetectorInputs) -> Exhibit:
    """Return the figure, of two models or more, and figures by groups of models."""
    detected = held(inputs)
    rows = ranked(detected)
    several = len({one.found.words[1] for one in detected.targets}) > 1
    tables = tuple(
        grouped_table(f"{NAME}-{one.name.replace('_', '-')}", one, detected)
        for one in (BALANCED_ACCURACY, AUROC)
    )
    return Exhibit(
        name=NAME,
        label="",
        title=TITLE,
        paper=paper_of(detected),
        definition=(
            *((DOTS,) if several else ()),
            GROUPED,
            BALANCED_ACCURACY.definition,
            AUROC.definition,
            POSITIVE,
            SIGNALS,
            folds_told(detected),
        ),
        basis=basis(inputs, detected),
        tables=tables,
        plot=_plot(detected, rows) if several and rows else None,
        reported=pattern_table(f"{NAME}-reported", detected) if label_of(detected) else None,
    )


def _plot(detected: Targets, rows: Sequence[Scorer]) -> Plot:
    kinds = _kinds(rows)
    lines = -(-len(kinds) // _COLUMNS)

    def draw(figure: "Canvas") -> None:
        columns = min(_COLUMNS, len(kinds))
        grid = figure.subplots(lines, columns, sharex=True, sharey=True, squeeze=False)
        places = list(grid.flat)
        for axes, (kind, names) in zip(places, kinds.items(), strict=False):
            _draw_kind(axes, detected, kind, names)
        for place, axes in enumerate(places):
            if place >= len(kinds):
                axes.remove()
            elif place + columns >= len(kinds):
                axes.tick_params(axis="x", labelbottom=True)
                axes.set_xlabel("median answer, words")
        for row in grid[:, 0]:
            row.set_ylabel("AUROC")
        _explain_marks(figure)

    return Plot(draw, (WIDTH if len(kinds) > 1 else 3.6, 0.3 + 2.5 * lines), _alt(detected, kinds))


def _kinds(rows: Sequence[Scorer]) -> Mapping[str, tuple[str, ...]]:
    """Return the detectors of each kind, as many as there are marks; of more in further panels."""
    found = {}
    for kind in (*KINDS, OTHERS):
        names = tuple(dict.fromkeys(one.detector for one in rows if kind_of(one.detector) == kind))
        for start in range(0, len(names), len(MARKS)):
            further = f" ({start // len(MARKS) + 1})" if start else ""
            found[f"{kind}{further}"] = names[start : start + len(MARKS)]
    return found


def _draw_kind(axes: "Axes", detected: Targets, kind: str, names: Sequence[str]) -> None:
    """Draw detectors of a kind; a legend over the panel names them."""
    for place, (name, mark) in enumerate(zip(names, MARKS, strict=False)):
        shift = 1.06 ** (place - (len(names) - 1) / 2)
        label: str | None = name
        for target, figure, hollow in _dots(detected, name):
            axes.errorbar(
                max(target.found.words[1], 1.0) * shift,
                figure.value,
                yerr=np.nan_to_num(np.abs([[figure.low - figure.value], [figure.high - figure.value]])),
                fmt=mark.marker,
                color=mark.colour,
                markerfacecolor="none" if hollow else mark.colour,
                elinewidth=0.8,
                label=label,
            )
            label = None
    axes.axhline(0.5, color=LINE, linewidth=0.9, zorder=1)
    _name_lengths(axes, [one.found.words[1] for one in detected.targets])
    axes.legend(
        loc="lower left",
        bbox_to_anchor=(-0.02, 1.0),
        title=kind,
        alignment="left",
        borderaxespad=0.2,
        ncols=1,
    )


def _explain_marks(figure: "Canvas") -> None:
    from matplotlib.lines import Line2D

    told = {"none": "hollow: signals of a proxy", INK: "filled: native signals, or none"}
    marks = [
        Line2D([], [], color=INK, marker="o", linestyle="", markerfacecolor=fill, label=label)
        for fill, label in told.items()
    ]
    figure.legend(handles=marks, loc="outside upper left", ncols=2)


def _name_lengths(axes: "Axes", words: Sequence[float]) -> None:
    low, high = max(min(words), 1.0), max(*words, 1.0)
    ticks = [one for one in (1, 3, 10, 30, 100, 300, 1000, 3000, 10000) if low / 1.6 <= one <= high * 1.6]
    axes.set_xscale("log")
    axes.set_xlim(low / 1.7, high * 1.7)
    axes.set_xticks(ticks, labels=[f"{one:,}" for one in ticks])
    axes.set_xticks([], minor=True)


def _dots(detected: Targets, detector: str) -> list[tuple[Target, Estimate, bool]]:
    found = []
    for target in detected.targets:
        for one in target.detections:
            if one.detector == detector and one.auroc.mean is not None:
                found.append((target, auroc_of(target, one), access(one) == "proxy"))
    return found


def _alt(detected: Targets, kinds: Mapping[str, Sequence[str]]) -> str:
    shortest, longest = detected.targets[0], detected.targets[-1]
    told = []
    for names in kinds.values():
        for name in names:
            dots = _dots(detected, name)
            ends = [
                f"{area(figure.value)} at {target.found.words[1]:,.0f} words"
                for target, figure, _ in dots
                if target in (shortest, longest)
            ]
            told.append(f"{name} {', '.join(dict.fromkeys(ends))}" if ends else "")
    return f"AUROC over the median length of answers, a dot a model. {'; '.join(filter(None, told))}."

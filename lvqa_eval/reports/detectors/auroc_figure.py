"""AUROC of each detector on each model's answers, with what is noise on so many."""

from typing import TYPE_CHECKING, Final

import numpy as np

from lvqa_eval.detectors.detections import Detection
from lvqa_eval.metrics.bootstrap import Estimate
from lvqa_eval.reports.detectors.detected import DetectorInputs, Scorer, Target, Targets, held
from lvqa_eval.reports.detectors.measure import AUROC
from lvqa_eval.reports.detectors.panels import BAND, Panel, draw_panels, panel_of, panels_size
from lvqa_eval.reports.detectors.scorers import (
    Access,
    AxisRow,
    access,
    axis_rows,
    estimate,
    scorers,
    signals_of,
)
from lvqa_eval.reports.detectors.shared import (
    POSITIVE,
    SIGNALS,
    area,
    basis,
    folds_told,
    noise_told,
    paper_of,
    target_span,
)
from lvqa_eval.reports.exhibit import Exhibit, Plot
from lvqa_eval.reports.plots.dots import Series
from lvqa_eval.reports.plots.names import short_names
from lvqa_eval.reports.table import Head, Table, Value

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

NAME: Final = "detectors-auroc-figure"
TITLE: Final = "AUROC by detector and model"
UNKNOWN: Final = Estimate(np.nan, np.nan, np.nan, 0, 0, 0)
_LABELS: Final[dict[Access, str]] = {
    "native": "native signals",
    "proxy": "signals of a proxy",
    "answer": "words of the answer",
    "verdicts": "a judge's confidence",
}


def exhibit(inputs: DetectorInputs) -> Exhibit:
    """Return the figure: a panel for each target, a row for each detector that ranks."""
    detected = held(inputs)
    rows = ranked(detected)
    return Exhibit(
        name=NAME,
        label="",
        title=TITLE,
        paper=paper_of(detected),
        definition=(AUROC.definition, BAND, noise_told(detected), POSITIVE, SIGNALS, folds_told(detected)),
        basis=basis(inputs, detected),
        tables=(_table(detected, rows),),
        plot=_plot(detected, rows) if rows else None,
    )


def ranked(detected: Targets) -> tuple[Scorer, ...]:
    """Return the detectors that have an AUROC on some target."""
    defined = {(one.detector, one.source) for one in detected.detections() if one.auroc.mean is not None}
    return tuple(one for one in scorers(detected) if one in defined)


def auroc_of(target: Target, found: Detection | None) -> Estimate:
    """Return the AUROC of a detector on a target; undefined where it was not set against it."""
    return UNKNOWN if found is None else estimate(found.auroc, found, target.found.documents)


def _auroc(target: Target, scorer: Scorer) -> Estimate:
    return auroc_of(target, target.of(scorer))


def _table(detected: Targets, rows: tuple[Scorer, ...]) -> Table:
    cells: list[tuple[Value, ...]] = [
        (one.detector, signals_of(detected, one), *(_auroc(target, one) for target in detected.targets))
        for one in rows
    ]
    heads = (Head("Detector"), Head("Signals"), *(Head(one.name, "area") for one in detected.targets))
    return Table(NAME, TITLE, heads, tuple(cells))


def _plot(detected: Targets, rows: tuple[Scorer, ...]) -> Plot:
    axis = axis_rows(detected, rows)
    names = [one.name for one in axis]
    titles = short_names([one.name for one in detected.targets])
    panels = [_panel(target, title, axis) for target, title in zip(detected.targets, titles, strict=True)]

    def draw(figure: "Canvas") -> None:
        draw_panels(figure, names, panels, "AUROC")

    return Plot(draw, panels_size(names, len(panels)), _alt(detected, rows))


def _panel(target: Target, title: str, axis: tuple[AxisRow, ...]) -> Panel:
    found = [None if (scorer := row.of(target)) is None else target.of(scorer) for row in axis]
    groups = []
    for kind, label in _LABELS.items():
        of_kind = (one if one is not None and access(one) == kind else None for one in found)
        groups.append((Series.of(label, [auroc_of(target, one) for one in of_kind]),))
    return panel_of(f"{title}\nn = {target.found.answers:,}", groups, target.random.folds)


def _alt(detected: Targets, rows: tuple[Scorer, ...]) -> str:
    told = []
    for target in detected.targets:
        known = [(one, figure) for one in rows if np.isfinite((figure := _auroc(target, one)).value)]
        if not known:
            continue
        known.sort(key=lambda pair: pair[1].value)
        ends = [
            f"{word} {one.detector} ({signals_of(detected, one)}) {area(figure.value)}"
            for word, (one, figure) in (("lowest", known[0]), ("highest", known[-1]))
        ]
        span = target_span(target)
        told.append(f"{target.name}: {', '.join(ends)}; noise {area(span.low)} to {area(span.high)}")
    return f"AUROC of each detector with its interval, a panel for each model. {'. '.join(told)}."

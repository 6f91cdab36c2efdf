"""Each detector on the terse and on the long answers of the same model."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from lvqa_eval.detectors.chance import Counts
from lvqa_eval.detectors.detections import Detection
from lvqa_eval.detectors.fold_metrics import FoldMetrics, Mask, OutOfFold
from lvqa_eval.detectors.length_conditioned import TERSE, Sides, length_conditioned
from lvqa_eval.metrics.bootstrap import Floats, scene_weights
from lvqa_eval.reports.detectors.auroc_figure import UNKNOWN
from lvqa_eval.reports.detectors.detected import DetectorInputs, ScoredAnswers, Scorer, Target, Targets, held
from lvqa_eval.reports.detectors.measure import AUROC, BALANCED_ACCURACY, Measure
from lvqa_eval.reports.detectors.panels import BAND, Panel, draw_panels, panel_of, panels_size
from lvqa_eval.reports.detectors.scorers import AxisRow, axis_rows, number, scorers, signals
from lvqa_eval.reports.detectors.shared import POSITIVE, SIGNALS, area, basis, commands, folds_told, paper_of
from lvqa_eval.reports.exhibit import Exhibit, Plot
from lvqa_eval.reports.plots.dots import Series
from lvqa_eval.reports.plots.names import short_names
from lvqa_eval.reports.table import Head, Table, Value

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

NAME: Final = "detectors-terse-and-long"
TITLE: Final = "Detectors on terse and on long answers of one model"
NOTHING: Final = Sides(UNKNOWN, UNKNOWN, UNKNOWN)
SMALLER: Final = "Both bands are those of the side with fewer answers."
CUTS: Final = (
    "The answers of each model are cut in two by their length [choice]. At its median: those of up to so "
    f"many words are terse, the others long. At {TERSE} words: the same for every model. Where length itself "
    "tells wrong answers, both sides have less than the whole.",
    "Folds, fits and thresholds are those of all answers; scores are compared inside a fold alone, as they "
    "are from another fit in each. Long less terse is paired inside each draw.",
)


@dataclass(frozen=True, eq=False)
class Cut:
    """A target cut in two: at so many words, and what each of its detectors reaches on both sides.

    `smaller` counts the answers and the wrong ones of the side with fewer, by fold.
    """

    target: Target
    words: float
    smaller: tuple[Counts, ...]
    sides: Mapping[Scorer, tuple[Detection, Mapping[str, Sides]]]


def exhibit(inputs: DetectorInputs) -> Exhibit:
    """Return the figure of both sides of each median, and the tables of both cuts."""
    detected = held(inputs)
    measures = (AUROC.definition, BALANCED_ACCURACY.definition)
    definition = (*CUTS, f"{BAND} {SMALLER}", *measures, POSITIVE, SIGNALS, folds_told(detected))
    paper = paper_of(detected)
    if all(one.answers is None for one in detected.targets):
        lacks = (
            f"No table of every answer's score beside the detections. Make them anew: {commands(inputs.runs)}"
        )
        return Exhibit(NAME, "", TITLE, paper, definition, missing=lacks)
    medians = _cuts(inputs, detected, lambda answers: float(np.median(answers.words)))
    fixed = _cuts(inputs, detected, lambda _: float(TERSE))
    without = ", ".join(one.name for one in detected.targets if one.answers is None)
    return Exhibit(
        name=NAME,
        label="",
        title=TITLE,
        paper=paper,
        definition=definition,
        basis=(
            *basis(inputs, detected),
            *((("Without every answer's score", without),) if without else ()),
            ("Intervals here", f"{inputs.draws:,} draws, seed {inputs.seed}"),
        ),
        tables=(
            _table("median", "cut at the median", AUROC, medians),
            _table("median", "cut at the median", BALANCED_ACCURACY, medians),
            _table("fixed", f"cut at {TERSE} words", AUROC, fixed),
            _table("fixed", f"cut at {TERSE} words", BALANCED_ACCURACY, fixed),
        ),
        plot=_plot(detected, medians),
    )


def _cuts(inputs: DetectorInputs, detected: Targets, at: Callable[[ScoredAnswers], float]) -> tuple[Cut, ...]:
    return tuple(
        _cut(inputs, one, one.answers, at(one.answers)) for one in detected.targets if one.answers is not None
    )


def _cut(inputs: DetectorInputs, target: Target, answers: ScoredAnswers, words: float) -> Cut:
    weights = scene_weights(int(answers.cluster_of.max()) + 1, inputs.draws, inputs.seed)
    metrics = FoldMetrics(answers.incorrect, answers.cluster_of, answers.fold, weights)
    is_long = answers.words > words
    sides = {
        scorer: (found, length_conditioned(metrics, _out_of_fold(found, answers.scores[scorer]), is_long))
        for scorer in answers.scores
        if (found := target.of(scorer)) is not None
    }
    side = is_long if is_long.sum() < len(is_long) / 2 else ~is_long
    return Cut(target, words, _folds(answers, side), sides)


def _folds(answers: ScoredAnswers, side: Mask) -> tuple[Counts, ...]:
    """Return how many answers of a side are in each fold, and how many of these are wrong."""
    count = int(answers.fold.max()) + 1
    sizes = np.bincount(answers.fold[side], minlength=count).tolist()
    wrong = np.bincount(answers.fold[side & answers.incorrect], minlength=count).tolist()
    return tuple(Counts(*counts) for counts in zip(sizes, wrong, strict=True))


def _out_of_fold(found: Detection, scores: Floats) -> OutOfFold:
    finite = scores[np.isfinite(scores)]
    top, bottom = (finite.max() + 1.0, finite.min() - 1.0) if len(finite) else (1.0, -1.0)
    cuts = np.array([number(one.threshold) for one in found.folds])
    return OutOfFold(np.nan_to_num(scores, nan=np.nan, posinf=top, neginf=bottom), cuts, found.binary)


def _table(cut: str, told: str, measure: Measure, cuts: tuple[Cut, ...]) -> Table:
    rows: list[tuple[Value, ...]] = []
    for one in cuts:
        for scorer, (detection, sides) in one.sides.items():
            found = sides[measure.name]
            sizes = (found.terse.n, found.long.n)
            rows.append((one.target.name, scorer.detector, signals(detection), *found, *sizes))
    heads = (
        Head("Model"),
        Head("Detector"),
        Head("Signals"),
        Head("Terse", "area"),
        Head("Long", "area"),
        Head("Long less terse, points", "points"),
        Head("n terse", "count"),
        Head("n long", "count"),
    )
    notes = tuple(f"{one.target.name}: terse up to {one.words:,.0f} words." for one in cuts)
    name = f"{NAME}-{cut}-{measure.name.replace('_', '-')}"
    return Table(name, f"{measure.title}, {told}", heads, tuple(rows), notes)


def _plot(detected: Targets, cuts: tuple[Cut, ...]) -> Plot | None:
    """Return the AUROC on both sides of each median; None where no detector has one."""
    rows = tuple(one for one in scorers(detected) if any(_ranks(cut, one) for cut in cuts))
    if not rows:
        return None
    axis = axis_rows(detected, rows)
    names = [one.name for one in axis]
    titles = short_names([one.target.name for one in cuts])
    panels = [_panel(cut, title, axis) for cut, title in zip(cuts, titles, strict=True)]

    def draw(figure: "Canvas") -> None:
        draw_panels(figure, names, panels, "AUROC")

    return Plot(draw, panels_size(names, len(panels), marks=2), _alt(cuts, rows))


def _auroc(cut: Cut, scorer: Scorer | None) -> Sides:
    held = None if scorer is None else cut.sides.get(scorer)
    return NOTHING if held is None else held[1][AUROC.name]


def _ranks(cut: Cut, scorer: Scorer) -> bool:
    terse, long, _ = _auroc(cut, scorer)
    return bool(np.isfinite(terse.value) or np.isfinite(long.value))


def _panel(cut: Cut, title: str, axis: tuple[AxisRow, ...]) -> Panel:
    found = [_auroc(cut, row.of(cut.target)) for row in axis]
    sides = (
        Series.of("terse answers", [one.terse for one in found]),
        Series.of("long answers", [one.long for one in found]),
    )
    return panel_of(f"{title}\ncut at {cut.words:,.0f} words", (sides,), cut.smaller)


def _alt(cuts: tuple[Cut, ...], rows: tuple[Scorer, ...]) -> str:
    told = []
    for cut in cuts:
        known = [(one, _auroc(cut, one)) for one in rows if _ranks(cut, one)]
        changed = [pair for pair in known if np.isfinite(pair[1].difference.value)]
        if changed:
            one, sides = max(changed, key=lambda pair: abs(pair[1].difference.value))
            told.append(
                f"{cut.target.name}, cut at {cut.words:,.0f} words: the widest apart is {one.detector}, "
                f"{area(sides.terse.value)} on terse and {area(sides.long.value)} on long answers"
            )
    return f"AUROC of each detector on terse and on long answers, a panel for each model. {'. '.join(told)}."

"""Tables 6 to 8 of the paper on pages: each measure of each detector on each model's answers."""

import math
from collections.abc import Callable
from functools import partial
from typing import Final

from lvqa_eval.detectors.detections import Detection
from lvqa_eval.detectors.protocol import RANDOM
from lvqa_eval.reports.detectors.detected import DetectorInputs, Scorer, Target, Targets, held
from lvqa_eval.reports.detectors.differences import difference_tables
from lvqa_eval.reports.detectors.measure import AUROC, AVERAGE_PRECISION, BALANCED_ACCURACY, MEASURES, Measure
from lvqa_eval.reports.detectors.measure_notes import measure_notes
from lvqa_eval.reports.detectors.printed import printed_beside
from lvqa_eval.reports.detectors.scorers import estimate, number, scorers, signals, signals_of
from lvqa_eval.reports.detectors.shared import (
    POSITIVE,
    SIGNALS,
    basis,
    cluster_of,
    folds_told,
    label_of,
    noise_told,
    paper_of,
)
from lvqa_eval.reports.exhibit import Exhibit
from lvqa_eval.reports.table import Head, Table, Value


def measure_exhibit(measure: Measure, inputs: DetectorInputs) -> Exhibit:
    """Return one measure of each detector on each target: figures, spread, differences, the paper's side."""
    detected = held(inputs)
    noise = () if measure is AVERAGE_PRECISION else (noise_told(detected),)
    label = label_of(detected)
    return Exhibit(
        name=measure.stem,
        label=label,
        title=f"{measure.title} of detectors",
        paper=paper_of(detected),
        definition=(measure.definition, POSITIVE, SIGNALS, folds_told(detected), *noise),
        basis=basis(inputs, detected),
        tables=(
            _by_target(measure, detected),
            _spread(measure, detected),
            *difference_tables(measure, detected),
        ),
        reported=printed_beside(measure, detected) if label else None,
    )


EXHIBITS: Final[tuple[Callable[[DetectorInputs], Exhibit], ...]] = tuple(
    partial(measure_exhibit, one) for one in MEASURES
)


def _by_target(measure: Measure, detected: Targets) -> Table:
    """Return a row for each detector and its signals, a column for each target, and random below."""
    rows = scorers(detected)
    targets = detected.targets
    cells: list[tuple[Value, ...]] = [
        (one.detector, signals_of(detected, one), *(_cell(measure, target, one) for target in targets))
        for one in rows
    ]
    cells.append((RANDOM, "", *(measure.random(target.random) for target in targets)))
    return Table(
        measure.stem,
        f"{measure.title} by model that answered",
        (Head("Detector"), Head("Signals"), *(Head(one.name, "area") for one in targets)),
        tuple(cells),
        measure_notes(measure, detected),
        summary=1,
    )


def _cell(measure: Measure, target: Target, scorer: Scorer) -> Value:
    found = target.of(scorer)
    return math.nan if found is None else estimate(measure.of(found), found, target.found.documents)


def _spread(measure: Measure, detected: Targets) -> Table:
    """Return all that belongs to each figure, one a row; a column that nobody has is left out."""
    heads = [Head(one) for one in ("Model", "Detector", "Signals")]
    heads += [Head(measure.title, "area"), Head("SD over folds", "area")]
    heads += [Head(one, "count") for one in ("Folds", "n", "Unscored")]
    heads += [Head("Wrong, %", "share"), *(Head(one, "area") for one in ("Random", "Least", "Greatest"))]
    rows = [
        _spread_row(measure, target, scorer, one)
        for target in detected.targets
        for scorer in scorers(detected)
        if (one := target.of(scorer)) is not None
    ]
    held = [place for place in range(len(heads)) if any(not _is_absent(row[place]) for row in rows)]
    counts = sorted({one.found.documents for one in detected.targets})
    notes = (
        f"n: answers with a score, from {' or '.join(f'{count:,}' for count in counts)} "
        f"{cluster_of(detected)}s; unscored ones are left out. Wrong: their share among the n. Folds: those "
        "with both classes.",
        *_bounds_note(measure, detected),
    )
    return Table(
        f"{measure.stem}-spread",
        f"{measure.title}: spread and numbers",
        tuple(heads[place] for place in held),
        tuple(tuple(row[place] for place in held) for row in rows),
        notes,
    )


def _spread_row(measure: Measure, target: Target, scorer: Scorer, found: Detection) -> tuple[Value, ...]:
    reached = measure.of(found)
    return (
        target.name,
        scorer.detector,
        signals(found),
        estimate(reached, found, target.found.documents),
        number(reached.sd),
        reached.folds,
        found.n,
        found.unscored,
        number(found.prevalence),
        measure.random(found) if measure is AVERAGE_PRECISION else math.nan,
        *_bounds(measure, found),
    )


def _is_absent(value: Value) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _bounds(measure: Measure, found: Detection) -> tuple[float, float]:
    """Return the bounds of a figure that has some by this measure."""
    bounded = BALANCED_ACCURACY if found.binary else AUROC
    if found.bounds is None or measure is not bounded:
        return math.nan, math.nan
    return min(found.bounds), max(found.bounds)


def _bounds_note(measure: Measure, detected: Targets) -> tuple[str, ...]:
    if not any(math.isfinite(_bounds(measure, found)[0]) for found in detected.detections()):
        return ()
    if measure is BALANCED_ACCURACY:
        return (
            "Least and greatest: if no answer without a verdict were called as it should, and if all were.",
        )
    return ("Least and greatest: by both bounds of entropies that are known of the likeliest tokens alone.",)

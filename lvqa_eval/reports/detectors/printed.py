"""What the paper on pages prints of detectors, with ours of the same models beside it."""

import math
from collections.abc import Iterator
from typing import Final, NamedTuple

from lvqa_eval.detectors.detections import Detection
from lvqa_eval.detectors.protocol import RANDOM
from lvqa_eval.reports.detectors.detected import Target, Targets
from lvqa_eval.reports.detectors.measure import Measure
from lvqa_eval.reports.detectors.scorers import access, estimate
from lvqa_eval.reports.reported import ReportedRow, ReportedTable
from lvqa_eval.reports.reported import reported_table as printed_table
from lvqa_eval.reports.reported.papers import model_key
from lvqa_eval.reports.table import Head, Table, Value

PAPER: Final = "bear-bench"
DETECTORS: Final = "detectors"


class Ours(NamedTuple):
    """A model of the paper whose answers are a target here, by signals of one source."""

    target: Target
    source: str


def printed_beside(measure: Measure, detected: Targets) -> Table:
    """Return the printed figures, a row a detector; behind a model's column those of ours, if any.

    Ours stand beside the paper's only where both have native signals, or both those of a proxy.
    """
    printed = printed_table(PAPER, DETECTORS)
    models = tuple(dict.fromkeys(row.keys["model"] for row in printed.rows))
    heads, columns = [Head("Detector")], []
    for model in models:
        of_model = {row.keys["detector"]: row for row in printed.find(model=model)}
        regime = next(iter(of_model.values())).keys["signals"]
        heads.append(Head(f"{model}, {regime}", "area", reported=True))
        columns.append({name: _printed(measure, row) for name, row in of_model.items()})
        for ours in _ours(detected, model, regime):
            told = "native" if regime == "native" else f"proxy {ours.source}"
            heads.append(Head(f"{ours.target.name}, {told}, measured here", "area"))
            columns.append({name: _measured(measure, ours, name) for name in of_model})
    names = tuple(dict.fromkeys(row.keys["detector"] for row in printed.rows))
    rows = tuple((name, *(column.get(name, math.nan) for column in columns)) for name in names)
    title = f"Reported in {printed.source}, and measured here"
    notes = _notes(measure, printed, alone=len(columns) == len(models))
    return Table(f"{measure.stem}-reported", title, tuple(heads), rows, notes)


def _printed(measure: Measure, row: ReportedRow) -> Value:
    found = row.figures.get(measure.printed)
    return math.nan if found is None else found.value


def _ours(detected: Targets, model: str, regime: str) -> Iterator[Ours]:
    for target in detected.targets:
        if model_key(target.found.model) == model_key(model):
            held = (one.source for one in target.detections if access(one) == regime)
            yield from (Ours(target, source) for source in dict.fromkeys(held))


def _measured(measure: Measure, ours: Ours, detector: str) -> Value:
    if detector == RANDOM:
        return measure.random(ours.target.random)
    found = _detection(ours, detector)
    return math.nan if found is None else estimate(measure.of(found), found, ours.target.found.documents)


def _detection(ours: Ours, detector: str) -> Detection | None:
    """Return ours of a printed row; of several judges none, since nothing says which is meant."""
    held = [one for one in ours.target.detections if one.detector == detector]
    judged = [one for one in held if access(one) == "verdicts"]
    if judged:
        return judged[0] if len(judged) == 1 else None
    return next((one for one in held if one.source == ours.source), None)


def _notes(measure: Measure, printed: ReportedTable, alone: bool) -> tuple[str, ...]:
    where = (
        f"The paper has these figures in its {printed.where[0].lower() + printed.where[1:]}, without "
        "intervals. They rest on its own answers and verdicts; its proxy is Qwen3-VL-8B. They are no target."
    )
    none = "None of the models here is one of the paper's." if alone else ""
    random = printed.notes[1] if measure.printed == "auc_pr" else ""
    return tuple(filter(None, (where, none, random)))

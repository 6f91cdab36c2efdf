"""Whether a probe that learned on the answers of one model tells the wrong answers of another."""

from typing import TYPE_CHECKING, Final

import numpy as np

from lvqa_eval.detectors.detections import Quality
from lvqa_eval.detectors.signals import NATIVE
from lvqa_eval.detectors.transfer import Transfer, TransferMatrix
from lvqa_eval.metrics.bootstrap import Estimate
from lvqa_eval.reports.detectors.detected import DetectorInputs, Targets, held
from lvqa_eval.reports.detectors.measure import AUROC, BALANCED_ACCURACY, Measure
from lvqa_eval.reports.detectors.scorers import number
from lvqa_eval.reports.detectors.shared import (
    POSITIVE,
    area,
    basis,
    cluster_of,
    commands,
    counts_note,
    paper_of,
)
from lvqa_eval.reports.exhibit import Exhibit, Plot
from lvqa_eval.reports.plots.heat import differences, draw_heat, name_cells
from lvqa_eval.reports.plots.names import short_names
from lvqa_eval.reports.table import Head, Table, Value

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

NAME: Final = "detectors-transfer"
TITLE: Final = "Probes carried over to other models"
# Inches, about: of a letter, of a row, of a column.
_LETTER: Final = 0.062
_ROW: Final = 0.3
_COLUMN: Final = 0.55


def exhibit(inputs: DetectorInputs) -> Exhibit:
    """Return the matrix of models learned on and models asked about, or what makes it."""
    detected = held(inputs)
    paper = paper_of(detected)
    matrix = detected.transfer
    definition = _definition(cluster_of(detected))
    if matrix is None:
        lacks = (
            "No probe was carried over between these models. It needs hidden states of all of them that one "
            f"model gave: {commands(inputs.runs)} --transfer"
        )
        return Exhibit(NAME, "", TITLE, paper, definition, missing=lacks)
    return Exhibit(
        name=NAME,
        label="",
        title=TITLE,
        paper=paper,
        definition=definition,
        basis=(
            ("Models", f"{len(matrix.models):,}"),
            ("Condition", matrix.condition),
            ("States", "native" if matrix.source == NATIVE else f"proxy {matrix.source}"),
            ("Folds", f"{matrix.folds} of {cluster_of(detected)}s, seed {matrix.fold_seed}"),
            *((label, text) for label, text in basis(inputs, detected) if label == "Judge of the answers"),
        ),
        tables=tuple(_table(one, matrix, detected) for one in (AUROC, BALANCED_ACCURACY)),
        plot=_plot(matrix),
    )


def _definition(cluster: str) -> tuple[str, ...]:
    return (
        "In each row the probe learned on the answers of one model, in each column it was asked about those "
        "of one; frames mark a model with itself. For every fold the probe is fitted, chosen and cut on one "
        f"model's answers about the other {cluster}s, and scores the other model's answers about those of "
        f"the fold: it has seen neither these {cluster}s nor anything of the model that it is asked about. "
        f"One map of {cluster}s to folds serves all models, so that a model with itself is near, not equal, "
        "to what it has elsewhere.",
        AUROC.definition,
        BALANCED_ACCURACY.definition,
        POSITIVE,
    )


def _table(measure: Measure, matrix: TransferMatrix, detected: Targets) -> Table:
    rows: list[tuple[Value, ...]] = [
        (model, *(_estimate(measure, matrix.at(model, other), detected) for other in matrix.models))
        for model in matrix.models
    ]
    unscored = {other: matrix.at(matrix.models[0], other).unscored for other in matrix.models}
    return Table(
        f"{NAME}-{measure.name.replace('_', '-')}",
        f"{measure.title} of the probe of the model in the row on the answers of that in the column",
        (Head("Learned on"), *(Head(model, "area") for model in matrix.models)),
        tuple(rows),
        counts_note("Answers without a state, left out", unscored),
    )


def _estimate(measure: Measure, found: Transfer, detected: Targets) -> Estimate:
    quality: Quality = getattr(found, measure.name)
    documents = {one.found.model: one.found.documents for one in detected.targets}
    return Estimate(
        value=number(quality.mean),
        low=number(quality.low),
        high=number(quality.high),
        n=found.n,
        scenes=documents.get(found.tested_on, 0),
        dropped=quality.dropped,
    )


def _plot(matrix: TransferMatrix) -> Plot:
    names = short_names(matrix.models)
    values = np.array(
        [[number(matrix.at(one, other).auroc.mean) for other in matrix.models] for one in matrix.models]
    )
    texts = [[area(value) for value in row] for row in values.tolist()]
    room = _LETTER * max(map(len, names))

    def draw(figure: "Canvas") -> None:
        axes = figure.subplots()
        points = 100 * (values - 0.5)
        own = [(place, place) for place in range(len(names))]
        draw_heat(axes, points, texts, differences(points, "AUROC less .50, points"), own)
        name_cells(axes, names, names, upright=True)
        axes.set_ylabel("learned on")
        axes.set_xlabel("asked about")

    size = (1.6 + room + _COLUMN * len(names), 0.6 + room + max(1.2, _ROW * len(names)))
    return Plot(draw, size, _alt(matrix))


def _alt(matrix: TransferMatrix) -> str:
    told = {
        "A model with itself": [one for one in matrix.transfers if one.trained_on == one.tested_on],
        "A model with another": [one for one in matrix.transfers if one.trained_on != one.tested_on],
    }
    parts = []
    for what, found in told.items():
        known = sorted(one.auroc.mean for one in found if one.auroc.mean is not None)
        if known:
            parts.append(f"{what}: AUROC {area(known[0])} to {area(known[-1])}")
    return f"A grid of {len(matrix.models)} models learned on by those asked about. {'. '.join(parts)}."

"""The tables and figures of detectors, in the order in which a report shows them."""

from collections.abc import Callable
from typing import Final

from lvqa_eval.reports.detectors import (
    auroc_figure,
    length_figure,
    measures,
    targets,
    terse_and_long,
    transfer_matrix,
)
from lvqa_eval.reports.detectors.detected import DetectorInputs
from lvqa_eval.reports.detectors.shared import PAPER_TABLES, lacking_detections
from lvqa_eval.reports.exhibit import Exhibit, Paper

Maker = Callable[[DetectorInputs], Exhibit]

EXHIBITS: Final[tuple[Maker, ...]] = (
    targets.exhibit,
    *measures.EXHIBITS,
    auroc_figure.exhibit,
    length_figure.exhibit,
    terse_and_long.exhibit,
)


def detector_exhibits(inputs: DetectorInputs, paper: Paper) -> tuple[Maker, ...]:
    """Return what makes the exhibits of detectors.

    Without detections that is one that says what makes them, where `paper` has such tables, and else none.
    """
    if inputs.detections is not None:
        several = len(inputs.detections.targets) > 1
        return (*EXHIBITS, transfer_matrix.exhibit) if several else EXHIBITS
    return (lacking,) if paper == "bear-bench" else ()


def lacking(inputs: DetectorInputs) -> Exhibit:
    """Return what stands for all of them without detections."""
    return Exhibit(
        name="detectors",
        label=PAPER_TABLES,
        title="Detectors of wrong answers",
        paper="bear-bench",
        definition=("How well scores tell wrong answers from right ones, by detector and model.",),
        missing=lacking_detections(inputs.runs),
    )

"""The tables and figures of Layered-VQA, in the order in which a report shows them."""

from collections.abc import Callable
from typing import Final

from lvqa_eval.reports.exhibit import Exhibit
from lvqa_eval.reports.layered import (
    attempts_figure,
    citations_figure,
    commitment,
    concentration_figure,
    controls,
    cost,
    depth,
    grounding,
    judges_figure,
    kinds,
    kinds_by_model,
    overall,
    ranking,
    recomposition_figure,
    reliability_figure,
    ungrounded,
    verbosity,
)
from lvqa_eval.reports.study.inputs import StudyInputs

EXHIBITS: Final[tuple[Callable[[StudyInputs], Exhibit], ...]] = (
    overall.exhibit,
    cost.exhibit,
    controls.exhibit,
    kinds.exhibit,
    commitment.exhibit,
    verbosity.exhibit,
    ungrounded.exhibit,
    depth.exhibit,
    kinds_by_model.exhibit,
    grounding.exhibit,
    ranking.exhibit,
    judges_figure.exhibit,
    citations_figure.exhibit,
    attempts_figure.exhibit,
    reliability_figure.exhibit,
    concentration_figure.exhibit,
    recomposition_figure.exhibit,
)

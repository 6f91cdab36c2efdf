"""Inputs of exhibits around a study of pages: readings are NaN until a test gives its own."""

from typing import Any

import numpy as np

from lvqa_eval.metrics.study import Study
from lvqa_eval.reports.bear.inputs import PageInputs, PageReadings
from lvqa_eval.runs.records import PageRecord


def page_inputs(study: Study[PageRecord], draws: int = 200, **given: Any) -> PageInputs:
    """Return the inputs of a study, without tags and other benchmarks unless they are `given`."""
    nothing = np.full(study.correct.shape, np.nan)
    standing = {
        "readings": PageReadings(nothing, nothing),
        "weights": study.weights(draws),
        "seed": 0,
        "judge": "consensus",
        "header": (("Dataset", "bear-bench 1.0.0"),),
        "runs": tuple(f"runs/{model.rpartition('/')[2]}" for model in study.models),
    }
    return PageInputs(study=study, **{**standing, **given})

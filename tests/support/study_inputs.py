"""Inputs of exhibits around a study: readings and rulings are NaN until a test gives its own."""

from typing import Any

import numpy as np

from lvqa_eval.metrics.attempts import MOST_ATTEMPTS
from lvqa_eval.metrics.citations import MOST_TURNS, CitationCounts
from lvqa_eval.metrics.grounding import MEASURES
from lvqa_eval.metrics.study import Study
from lvqa_eval.reports.study.inputs import Readings, Rulings, StudyInputs


def readings_of(study: Study, **given: Any) -> Readings:
    """Return readings of nothing, but for those `given` by name."""
    shape = study.correct.shape
    models, questions, runs = shape[0], shape[2], shape[3]
    none = np.zeros((questions, MOST_TURNS, MOST_TURNS), dtype=np.int64)
    empty = {
        "evidence": np.full(shape, np.nan),
        "turns": np.full(shape, np.nan),
        "characters": np.full(shape, np.nan),
        "multi_turn": np.full(shape, np.nan),
        "measures": np.full((models, questions, runs, len(MEASURES)), np.nan),
        "best_measures": np.full((models, questions, runs, len(MEASURES)), np.nan),
        "citations": tuple(CitationCounts(none, none, 0) for _ in range(models)),
    }
    return Readings(**{**empty, **given})


def rulings_of(study: Study, **given: Any) -> Rulings:
    """Return rulings of nothing, but for those `given` by name."""
    shape = study.correct.shape
    empty = {
        "first_attempt": np.full(shape, np.nan),
        "first_correct_attempt": np.full(shape, np.nan),
        "attempt_characters": np.full((*shape, MOST_ATTEMPTS), np.nan),
        "attempt_verdicts": np.full((*shape, MOST_ATTEMPTS), np.nan),
    }
    return Rulings(**{**empty, **given})


def inputs_of(study: Study, draws: int = 200, **given: Any) -> StudyInputs:
    """Return the inputs of a study, without rulings, baselines and panel unless they are `given`."""
    standing = {
        "readings": readings_of(study),
        "weights": study.weights(draws),
        "seed": 0,
        "judge": "consensus",
        "header": (("Dataset", "layered-vqa 1.0.0"),),
        "runs": tuple(f"runs/{model}" for model in study.models),
    }
    return StudyInputs(study=study, **{**standing, **given})

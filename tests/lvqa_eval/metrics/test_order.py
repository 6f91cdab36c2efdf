"""No statistic depends on the order of models, questions or runs."""

from dataclasses import replace

import numpy as np
import pytest

from lvqa_eval.metrics.attempts import attempt_profile
from lvqa_eval.metrics.commitment import commitment
from lvqa_eval.metrics.concentration import concentration
from lvqa_eval.metrics.groups import kind_contrast
from lvqa_eval.metrics.length_control import length_control
from lvqa_eval.metrics.recomposition import STREAMS, recomposition
from lvqa_eval.metrics.reliability import reliability
from lvqa_eval.metrics.study import Study
from lvqa_eval.metrics.ungrounded import ungrounded
from lvqa_eval.metrics.verbosity import verbosity
from tests.support.studies import random_study

CONDITIONS = ("full", "sharded-v", "recap-v")


def figures(study: Study, readings: np.ndarray) -> dict[str, np.ndarray]:
    """Return the field's values and ends of every statistic; readings are whole numbers from 1 to 6."""
    weights = study.weights(15)
    tables = {
        "excess of relational losses": kind_contrast(study, weights).excess,
        "recomposition": recomposition(study, STREAMS["scene"], weights),
        "unreliability": reliability(study, weights).unreliability,
        "ungrounded": ungrounded(study, readings, np.full_like(readings, 3), weights).table,
        "commitment": commitment(study, readings, np.full_like(readings, 6), weights).share,
        "attempts": attempt_profile(study, readings[..., None], readings[..., None], weights).correct,
        "length control": length_control(study, readings, weights).table,
        "verbosity": verbosity(study, distinct(study, readings), readings > 0, weights).accuracy,
    }
    found = {
        name: np.stack([table.field.value, table.field.low, table.field.high])
        for name, table in tables.items()
    }
    losses = concentration(study, "sharded-v", weights)
    found["concentration"] = np.array([losses.shares[0].value, losses.shares[1].low, losses.no_loss])
    return found


def distinct(study: Study, readings: np.ndarray) -> np.ndarray:
    """Make the readings of a model and condition differ, whatever the order of questions and runs."""
    place = np.array([int(question.question_id[1:]) for question in study.questions])
    return readings * 100 + place[:, None]


@pytest.mark.parametrize("axis", [0, 2, 3], ids=["models", "questions", "runs"])
def test_the_order_changes_nothing(axis):
    study = random_study(CONDITIONS, seed=21, models=3)
    readings = np.random.default_rng(4).integers(1, 7, study.correct.shape).astype(float)
    order = np.random.default_rng(axis).permutation(study.correct.shape[axis])
    turned = replace(
        study,
        models=tuple(study.models[row] for row in order) if axis == 0 else study.models,
        questions=tuple(study.questions[place] for place in order) if axis == 2 else study.questions,
        correct=np.take(study.correct, order, axis=axis),
        outcome=np.take(study.outcome, order, axis=axis),
    )
    here, there = figures(study, readings), figures(turned, np.take(readings, order, axis=axis))
    for name, found in here.items():
        if name == "verbosity" and axis == 3:
            continue  # equal lengths in two runs are ranked by the names of the runs
        np.testing.assert_allclose(there[name], found, rtol=0, atol=1e-9, err_msg=name)


def test_two_goes_give_the_same_bytes():
    study = random_study(CONDITIONS, seed=22)
    readings = np.random.default_rng(5).integers(1, 7, study.correct.shape).astype(float)
    here, there = figures(study, readings), figures(study, readings)
    assert all(here[name].tobytes() == there[name].tobytes() for name in here)

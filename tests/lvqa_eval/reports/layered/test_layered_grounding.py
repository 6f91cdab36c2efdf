import math
from dataclasses import replace

import numpy as np
import pytest

from lvqa_eval.metrics.grounding import MEASURES, layer_measures
from lvqa_eval.metrics.scores import OUTCOMES
from lvqa_eval.reports.layered import grounding
from lvqa_eval.reports.table import comma_separated
from tests.support.studies import NAN, study_of
from tests.support.study_inputs import inputs_of, readings_of
from tests.support.table_cells import at, table_of

GOLD, OTHER, DISTRACTORS, DEPTH = frozenset({1, 2}), frozenset({3}), frozenset({0, 4}), 5
NAMED = (frozenset({1, 2}), frozenset({1, 4}), frozenset({3, 9}))
CORRECT = [1, 1, 0, 0]


def measures(*sets):
    """Return the measures of the replies of `NAMED` against each one's gold set, and one that is unread."""
    found = [layer_measures(named, gold, DISTRACTORS, DEPTH) for named, gold in zip(NAMED, sets, strict=True)]
    return np.array([[*found, (NAN,) * len(MEASURES)]])[:, :, None]


def inputs(models=1):
    study = study_of(np.array([[CORRECT]] * models)[..., None], ["all-layers"])
    outcome = study.outcome.copy()
    outcome[:, :, 3] = OUTCOMES.index("unparsable")
    study = replace(study, outcome=outcome)
    gold, best = (
        np.repeat(measures(*sets), models, axis=0) for sets in ((GOLD, GOLD, GOLD), (GOLD, GOLD, OTHER))
    )
    return inputs_of(study, readings=readings_of(study, measures=gold, best_measures=best))


def test_eight_measures_over_the_replies_that_can_be_read():
    table = table_of(grounding.exhibit(inputs()), "grounding")
    assert [head.title for head in table.heads] == ["Model", *(f"{name}, %" for name in MEASURES)]
    (row,) = table.rows
    assert [cell.value for cell in row[1:]] == pytest.approx(
        [1.5 / 3, 1.5 / 3, 1.5 / 3, 1 / 3, 1 / 3, 1.5 / 3, 0.5 / 3, 0.5 / 3]
    )
    assert (row[1].n, row[1].planned) == (3, 4)


def test_joint_and_gap_over_all_that_count():
    (row,) = table_of(grounding.exhibit(inputs()), "grounding-joint").rows
    assert [cell.value for cell in row[1:]] == [0.5, 0.25, 0.25]
    assert row[2].n == 4


def test_against_the_best_sufficient_set():
    table = table_of(grounding.exhibit(inputs()), "grounding-best")
    assert at(table, "m0", "precision, %").value == pytest.approx(2 / 3)
    assert at(table, "m0", "recall, %").value == pytest.approx(2.5 / 3)
    assert [at(table, "m0", f"{name}, %").value for name in ("joint", "gap")] == [0.25, 0.25]


def test_what_cannot_be_read_is_counted_by_status():
    (row,) = table_of(grounding.exhibit(inputs()), "grounding-unread").rows
    assert row == ("m0", 0, 0, 0, 1, 1)
    table = table_of(grounding.exhibit(inputs(models=2)), "grounding-unread")
    assert [head.title for head in table.heads[1:]] == [
        f"{name}, number" for name in ("truncated", "refused", "empty", "unparsable", "all")
    ]
    assert table.rows[-1] == ("All models", 0, 0, 0, 2, 2)
    assert table.summary == 1


def test_basis():
    basis = dict(grounding.exhibit(inputs()).basis)
    assert basis["readable layers"].startswith(
        "n = 3 of 4 planned conversations; coverage 75.0 %; questions: 3;"
    )
    assert basis["joint and gap"].startswith("n = 4 of 4 planned conversations; coverage 100.0 %")


def test_the_papers_figures_of_the_mean_and_of_single_models():
    both = inputs(models=2)
    named = replace(both, study=replace(both.study, models=("Qwen/Qwen3-VL-4B", "other")))
    found = grounding.exhibit(named)
    assert (found.name, found.heading) == ("grounding", "Table 9. Grounding")
    rows = {row[0]: row[1:] for row in found.reported.rows}
    assert (rows["mean: accuracy"][0], rows["mean: accuracy"][1].value) == (0.587, 0.5)
    assert (rows["mean: joint"][0], rows["mean: joint"][1].value) == (0.09, 0.25)
    assert rows["Qwen3-VL-4B: accuracy"][1].value == 0.5
    assert (rows["Qwen3-VL-4B: F1"][0], rows["Qwen3-VL-4B: F1"][1].value) == (0.346, 0.5)
    assert math.isnan(rows["Qwen3.6-27B: F1"][1])


def test_without_all_layers_it_says_what_makes_it():
    found = grounding.exhibit(inputs_of(study_of(np.array([[CORRECT]])[..., None], ["full"])))
    assert found.missing == (
        "None of runs/m0 has all-layers. Make a run of each model that does: "
        "lvqa run --model NAME --conditions all-layers"
    )


def test_csv():
    head, row = comma_separated(table_of(grounding.exhibit(inputs()), "grounding-joint")).splitlines()
    assert head.startswith('Model,"accuracy, %","accuracy, % low"')
    assert row.startswith("m0,0.500000,")

import math

import numpy as np
import pytest

from lvqa_eval.reports.layered import cost
from lvqa_eval.reports.table import comma_separated, latex
from tests.support.studies import NAN, study_of, without
from tests.support.study_inputs import inputs_of
from tests.support.table_cells import at, table_of

CONDITIONS = ("sharded-q", "full", "concat-q")
CORRECT = [
    [[0, 0, 1, 0], [1, 1, 1, 0], [1, 0, 1, 0]],
    [[1, 0, 0, NAN], [1, 1, 0, 0], [1, 1, 0, 0]],
]
DELIVERED = study_of(np.array(CORRECT)[..., None], CONDITIONS)


@pytest.fixture
def found():
    return cost.exhibit(inputs_of(DELIVERED))


def test_the_columns_are_full_itself_and_the_losses_in_the_order_of_the_paper(found):
    heads = [head.title for head in found.tables[0].heads]
    assert heads == ["Model", "full, %", "concat-q, points", "sharded-q, points"]
    assert [row[0] for row in found.tables[0].rows] == ["m0", "m1", "Mean of 2 models"]


def test_losses_are_paired_and_their_mean_is_over_the_models(found):
    table = table_of(found, "table-1")
    assert at(table, "m0", "full, %").value == 0.75
    assert at(table, "m0", "concat-q, points").value == -0.25
    assert at(table, "m0", "sharded-q, points").value == -0.5
    assert at(table, "m1", "concat-q, points").value == 0
    assert at(table, "m1", "sharded-q, points").value == pytest.approx(-1 / 3)
    mean = at(table, "Mean of 2 models", "sharded-q, points")
    assert mean.value == pytest.approx(-5 / 12)
    assert (mean.n, mean.planned) == (7, 8)
    assert mean.low <= mean.value <= mean.high


def test_what_nobody_ran_is_named(found):
    assert table_of(found, "table-1").notes[0].startswith("Not run, so left out: shuffled-concat, recap-q,")


def test_a_family_is_retained_in_per_cent_of_the_models_own_full():
    first, last = [1, 1, 0, 0], [1, 0, 0, 0]
    correct = [[[1, 1, 1, 0], first, last], [first, first, first]]
    study = study_of(np.array(correct)[..., None], ("full", "evidence-first", "evidence-last"))
    table = table_of(cost.exhibit(inputs_of(study)), "table-1-retained")
    column = "evidence order, %"
    assert [at(table, row, column).value for row in ("m0", "m1", "Mean of 2 models")] == [50, 100, 75]
    assert math.isnan(at(table, "m0", "scene in layers, %").value)
    assert table.notes[0].startswith(
        "No model has a value in question in pieces, scene in layers, both at once"
    )


def test_the_papers_differences_are_taken_to_their_own_references(found):
    table = table_of(found, "table-1-reported")
    ours, theirs = "Measured here, points", "Reported, points"
    assert at(table, "concat-q minus full", ours).value == -0.125
    assert at(table, "sharded-q minus concat-q", theirs) == -0.103
    # m0 loses one of four questions, m1 one of the three that count in both.
    assert at(table, "sharded-q minus concat-q", ours).value == pytest.approx(-(1 / 4 + 1 / 3) / 2)
    assert at(table, "recap-v minus sharded-v", theirs) == 0.343
    assert math.isnan(at(table, "recap-v minus sharded-v", ours))
    assert "The interval that the paper prints of recap-v minus sharded-v: [+31.5, +37.3]." in table.notes


def test_a_condition_that_one_model_lacks_has_no_mean():
    study = without(DELIVERED, "m1", "sharded-q")
    table = table_of(cost.exhibit(inputs_of(study)), "table-1")
    assert math.isnan(at(table, "Mean of 2 models", "sharded-q, points").value)
    assert at(table, "m0", "sharded-q, points").value == -0.5
    assert "No value of m1 in sharded-q, so there is no mean over the models." in table.notes


def test_without_full_the_table_says_which_run_it_needs():
    found = cost.exhibit(inputs_of(study_of(np.ones((1, 1, 3, 1)), ["oracle"])))
    assert found.tables == ()
    assert found.missing == (
        "None of runs/m0 has full. "
        "Make a run of each model that does: lvqa run --model NAME --conditions full"
    )


def test_with_full_alone_there_is_no_cost():
    found = cost.exhibit(inputs_of(study_of(np.ones((1, 1, 3, 1)), ["full"])))
    assert found.missing.endswith("--conditions full,concat-v,sharded-v,recap-v,snowball-v")


def test_the_basis_counts_pairs(found):
    basis = dict(found.basis)
    assert basis["full"] == "n = 8 of 8 planned conversations; coverage 100.0 %; questions: 4; scenes: 4"
    assert basis["Differences"].startswith(
        "n = 15 of 16 planned pairs of conversations; coverage 93.7 % (75.0 %"
    )


def test_latex_and_csv_carry_the_intervals(found):
    table = table_of(found, "table-1")
    assert r"\midrule" + "\nMean of 2 models & 62.5" in latex(table)
    header, first = comma_separated(table).splitlines()[:2]
    assert header.startswith('Model,"full, %","full, % low","full, % high","full, % n","full, % coverage"')
    assert first.startswith("m0,0.750000,")

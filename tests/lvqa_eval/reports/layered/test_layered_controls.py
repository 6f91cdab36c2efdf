import math

import numpy as np
import pytest

from lvqa_eval.reports.layered import controls
from tests.support.scored_runs import question
from tests.support.studies import NAN, study_of
from tests.support.study_inputs import inputs_of
from tests.support.table_cells import at, table_of

CONDITIONS = ("full", "all-layers", "oracle")
CORRECT = [
    [[1, 1, 1, 0], [1, 1, 0, NAN], [0, 1, 0, 0]],
    [[1, 1, 0, 0], [1, 1, 1, 0], [1, 0, 0, 1]],
]
SETS = [((0, 1),), ((1, 2),), ((1,),), ((0, 2),)]
"""The background is in the gold set of the first question and of the last."""


def study(correct=CORRECT, conditions=CONDITIONS, sets=SETS):
    asked = [question(f"q{i}", f"s{i}", minimal) for i, minimal in enumerate(sets)]
    return study_of(np.array(correct, dtype=float)[..., None], conditions, asked=asked)


@pytest.fixture
def found():
    return controls.exhibit(inputs_of(study()))


def test_all_three_are_compared_on_what_counts_in_all_of_them(found):
    table = table_of(found, "table-2")
    # The last question does not count under all-layers, so full loses it too.
    assert at(table, "m0", "full, %").value == 1
    assert at(table, "m0", "all-layers minus full, points").value == pytest.approx(-1 / 3)
    assert at(table, "m0", "oracle minus full, points").value == pytest.approx(-2 / 3)
    assert at(table, "Mean of 2 models", "oracle minus full, points").value == pytest.approx(-1 / 3)
    assert at(table, "Mean of 2 models", "oracle minus all-layers, points").value == pytest.approx(-7 / 24)


def test_the_loss_of_oracle_is_split_by_background_with_the_size_of_each_part(found):
    table = table_of(found, "table-2-background")
    inside, outside = "background in gold", "background not in gold"
    assert [at(table, row, "Questions") for row in (inside, outside)] == [2, 2]
    assert at(table, inside, "full, %").value == 0.5
    assert at(table, inside, "oracle minus full, points").value == 0  # -1/2 and +1/2
    assert at(table, outside, "oracle minus full, points").value == -0.5  # both models lose one of two
    by_model = table_of(found, "table-2-background-models")
    assert at(by_model, "m0", "background in gold, points").value == -0.5


def test_questions_of_one_scene_are_one_scene():
    asked = [question(f"q{i}", f"s{i // 2}", minimal) for i, minimal in enumerate(SETS)]
    one = study_of(np.array(CORRECT)[..., None], CONDITIONS, asked=asked)
    table = table_of(controls.exhibit(inputs_of(one)), "table-2-background")
    assert [row[1:3] for row in table.rows] == [(2, 2), (2, 2)]


def test_the_paper_stands_beside_with_its_numbers_of_questions(found):
    table = found.reported
    row = "oracle minus full, background in gold"
    assert [at(table, row, head) for head in ("Reported questions", "Questions here")] == [97, 2]
    assert at(table, row, "Reported, points") == -0.171
    assert at(table, row, "Measured here, points").value == 0
    assert at(table, "all-layers minus full", "Reported, points") == -0.017
    assert at(table, "all-layers minus full", "Measured here, points").value == pytest.approx(-1 / 24)
    assert math.isnan(at(table, "oracle minus full", "Questions here"))


def test_a_set_without_background_evidence_has_a_dash_there():
    found = controls.exhibit(inputs_of(study(sets=[((1, 2),)] * 4)))
    table = table_of(found, "table-2-background")
    assert table.rows[0][1] == 0
    assert math.isnan(at(table, "background in gold", "oracle minus full, points").value)
    assert "No model has a value in background in gold." in table.notes


def test_one_model_has_no_second_table_by_model():
    found = controls.exhibit(inputs_of(study(CORRECT[:1])))
    assert [table.name for table in found.tables] == ["table-2", "table-2-background"]
    assert found.tables[1].title == "Loss by background, m0 alone"


def test_all_three_conditions_are_needed():
    found = controls.exhibit(inputs_of(study([[[1] * 4, [0] * 4]], ("full", "oracle"))))
    assert found.tables == ()
    assert found.missing == (
        "None of runs/m0 has all-layers. "
        "Make a run of each model that does: lvqa run --model NAME --conditions full,all-layers,oracle"
    )

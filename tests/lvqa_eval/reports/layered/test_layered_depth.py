import math

import numpy as np
import pytest

from lvqa_eval.reports.layered import depth
from tests.support.scored_runs import question
from tests.support.studies import study_of
from tests.support.study_inputs import inputs_of
from tests.support.table_cells import at, table_of

DEPTHS = [2, 6, 2, 6, 3]
FULL = [1, 1, 1, 0, 1]
CONCAT = [1, 0, 0, 0, 1]
ORACLE = [1, 0, 1, 0, 0]


def inputs(correct, conditions):
    asked = [question(f"q{i}", f"s{i // 2}", ((1,),), layers) for i, layers in enumerate(DEPTHS)]
    return inputs_of(study_of(np.array(correct, dtype=float)[..., None], conditions, asked=asked))


@pytest.fixture
def found():
    correct = [[FULL, CONCAT, ORACLE], [FULL, FULL, ORACLE]]
    return depth.exhibit(inputs(correct, ("full", "concat-v", "oracle")))


def test_a_row_is_a_number_of_layers_with_its_size_and_the_accuracy_of_full(found):
    table = table_of(found, "table-7")
    assert [row[:3] for row in table.rows] == [("2 layers", 2, 2), ("3 layers", 1, 1), ("6 layers", 2, 2)]
    assert [at(table, row, "full, %").value for row in ("2 layers", "3 layers", "6 layers")] == [1, 1, 0.5]


def test_losses_are_means_over_the_models(found):
    table = table_of(found, "table-7")
    concat, oracle = "concat-v minus full, points", "oracle minus full, points"
    assert at(table, "2 layers", concat).value == -0.25
    assert at(table, "6 layers", concat).value == -0.25
    assert at(table, "3 layers", oracle).value == -1
    assert at(table, "6 layers", oracle).value == -0.5
    by_model = table_of(found, "table-7-concat-v")
    assert at(by_model, "m0", "2 layers, points").value == -0.5
    assert at(by_model, "m1", "2 layers, points").value == 0


def test_a_depth_that_one_scene_has_is_named_for_its_missing_interval(found):
    table = table_of(found, "table-7")
    assert "Accuracy under full: from one scene, so without an interval: 3 layers." in table.notes
    assert math.isnan(at(table, "3 layers", "full, %").low)


def test_the_paper_stands_beside_both_losses_since_it_does_not_say_which_it_means(found):
    table = found.reported
    assert at(table, "2 layers", "Reported, points") == -0.05
    assert at(table, "2 layers", "concat-v minus full, measured here, points").value == -0.25
    assert at(table, "6 layers", "oracle minus full, measured here, points").value == -0.5
    assert at(table, "any number", "full reported, %") == 0.6
    assert at(table, "any number", "full, measured here, %").value == 0.8
    assert math.isnan(at(table, "any number", "Reported, points"))
    assert "Which condition the two differences are of does not stand beside them." in table.notes
    assert [head.reported for head in table.heads] == [False, True, False, False, True, False]


def test_one_loss_alone_is_shown():
    found = depth.exhibit(inputs([[FULL, ORACLE]], ("full", "oracle")))
    assert [table.name for table in found.tables] == ["table-7"]
    assert [head.title for head in found.tables[0].heads][3:] == ["full, %", "oracle minus full, points"]


def test_without_full_or_without_both_losses_it_says_which_run_it_needs():
    found = depth.exhibit(inputs([[ORACLE]], ["oracle"]))
    assert found.missing.endswith("lvqa run --model NAME --conditions full,oracle")
    found = depth.exhibit(inputs([[FULL]], ["full"]))
    assert found.missing == (
        "None of runs/m0 has concat-v and oracle. "
        "Make a run of each model that does: lvqa run --model NAME --conditions full,concat-v,oracle"
    )

import numpy as np

from lvqa_eval.reports.layered import kinds_by_model
from tests.support.studies import study_of
from tests.support.study_inputs import inputs_of
from tests.support.table_cells import at, table_of

# Categories take turns: direct_ask, spatial, counting, attribute_binding.
FULL = [1, 1, 1, 1, 1, 1, 0, 1]
ORACLE = [1, 0, 0, 0, 1, 1, 0, 1]
CONCAT = [0, 0, 1, 0, 1, 1, 0, 1]


def inputs(conditions=("full", "concat-v", "oracle"), models=2):
    correct = np.array([[FULL, CONCAT, ORACLE], [FULL, FULL, FULL]], dtype=float)[:models, ..., None]
    return inputs_of(study_of(correct, conditions))


def test_every_model_has_its_excess_under_every_condition():
    found = kinds_by_model.exhibit(inputs())
    table = table_of(found, "table-8")
    assert [row[0] for row in table.rows] == ["m0", "m1", "Mean of 2 models"]
    assert at(table, "m0", "oracle, points").value == 0.25  # loses 2 of 4 against 1 of 4
    assert at(table, "m0", "concat-v, points").value == -0.25  # loses 1 of 4 against 2 of 4
    assert at(table, "m1", "oracle, points").value == 0
    assert at(table, "Mean of 2 models", "concat-v, points").value == -0.125


def test_the_changes_behind_it_are_shown_for_two_conditions():
    table = table_of(kinds_by_model.exhibit(inputs()), "table-8-changes")
    assert [head.title for head in table.heads] == [
        "Model",
        "concat-v, single object, points",
        "concat-v, relational, points",
        "oracle, single object, points",
        "oracle, relational, points",
    ]
    assert [figure.value for figure in table.rows[0][1:]] == [-0.5, -0.25, -0.25, -0.5]
    assert [figure.value for figure in table.rows[2][1:]] == [-0.25, -0.125, -0.125, -0.25]


def test_without_these_two_there_is_the_excess_alone():
    found = kinds_by_model.exhibit(inputs(("full", "recap-q", "sharded-q"), models=1))
    assert [table.name for table in found.tables] == ["table-8"]
    assert [row[0] for row in found.tables[0].rows] == ["m0"]


def test_without_full_it_says_which_run_it_needs():
    found = kinds_by_model.exhibit(inputs(("concat-q", "concat-v", "oracle")))
    assert found.tables == ()
    assert found.missing.startswith("None of runs/m0, runs/m1 has full.")

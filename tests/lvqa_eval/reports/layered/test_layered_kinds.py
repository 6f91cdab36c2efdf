import math

import numpy as np
import pytest

from lvqa_eval.reports.layered import kinds
from tests.support.studies import NAN, study_of, without
from tests.support.study_inputs import inputs_of
from tests.support.table_cells import at, table_of

# Categories take turns: direct_ask, spatial, counting, attribute_binding.
FULL = [1, 1, 1, 1, 1, 1, 0, 1]
ORACLE = [1, 0, 0, 0, 1, 1, 0, 1]
SINGLE, RELATIONAL, EXCESS = "Single object, points", "Relational, points", "Excess D, points"


def study(correct=((FULL, ORACLE), (FULL, FULL)), conditions=("full", "oracle")):
    return study_of(np.array(correct, dtype=float)[..., None], conditions)


def test_a_condition_has_both_changes_and_their_excess():
    table = table_of(kinds.exhibit(inputs_of(study())), "table-3")
    # m0 loses one of four about a single object and two of four relational ones, m1 none.
    assert at(table, "oracle", SINGLE).value == -0.125
    assert at(table, "oracle", RELATIONAL).value == -0.25
    assert at(table, "oracle", EXCESS).value == 0.125
    assert table.title == "Change from full by kind of question, mean of 2 models"


def test_conditions_are_rows_in_the_order_of_the_paper():
    found = kinds.exhibit(inputs_of(study([[ORACLE, FULL, FULL]], ("oracle", "concat-v", "full"))))
    assert [row[0] for row in found.tables[0].rows] == ["concat-v", "oracle"]


def test_which_categories_are_relational_is_stated_and_can_be_chosen():
    found = kinds.exhibit(inputs_of(study()))
    assert found.definition[0] == (
        "Relational questions are those of the categories spatial, counting, multi_hop, a choice; questions "
        "about a single object are all others: attribute_binding, direct_ask."
    )
    assert dict(found.basis)["Kinds"] == "4 single object in 4 scenes; 4 relational in 4 scenes"
    found = kinds.exhibit(inputs_of(study(), relational=("counting",)))
    table = table_of(found, "table-3")
    assert at(table, "oracle", RELATIONAL).value == -0.25  # m0 loses one of two
    assert at(table, "oracle", SINGLE).value == pytest.approx(-1 / 6)
    assert "attribute_binding, direct_ask, spatial." in found.definition[0]


def test_draws_without_a_kind_are_counted():
    few = [ORACLE[0], 0, NAN, 0, 1, NAN, NAN, 1]  # one relational question counts
    found = kinds.exhibit(inputs_of(study([[FULL, few]]), draws=100))
    table = table_of(found, "table-3")
    dropped = at(table, "oracle", EXCESS).dropped
    assert 0 < dropped < 100
    assert dict(found.basis)["Draws left out of D"] == f"{dropped} of 100, in the condition with most"
    assert table.notes[-2].endswith(f"left out of the interval: oracle ({dropped}).")


def test_a_condition_without_a_mean_is_not_counted_as_dropping_every_draw():
    one = without(study([[FULL, ORACLE, ORACLE]] * 2, ("full", "oracle", "concat-v")), "m1", "concat-v")
    found = kinds.exhibit(inputs_of(one))
    table = table_of(found, "table-3")
    assert math.isnan(at(table, "concat-v", EXCESS).value)
    dropped = at(table, "oracle", EXCESS).dropped
    assert dropped < 200 == at(table, "concat-v", EXCESS).dropped
    assert dict(found.basis)["Draws left out of D"].startswith(f"{dropped} of 200")
    assert "No value of m1 in concat-v, so there is no mean over the models." in table.notes


def test_the_paper_stands_beside():
    table = kinds.exhibit(inputs_of(study())).reported
    row = "oracle minus full, relational"
    assert at(table, row, "Reported, points") == -0.228
    assert at(table, row, "Measured here, points").value == -0.25
    assert at(table, "oracle minus full, single object", "Reported, points") == -0.081
    assert math.isnan(at(table, "concat-v minus full, relational", "Measured here, points"))


def test_questions_of_one_kind_alone_are_no_contrast():
    found = kinds.exhibit(inputs_of(study(), relational=("occlusion",)))
    assert found.missing == (
        "No question is relational: found the categories attribute_binding, counting, direct_ask, spatial; "
        "held relational are occlusion. It takes runs on a dataset that has both."
    )


def test_without_full_it_says_which_run_it_needs():
    found = kinds.exhibit(inputs_of(study([[ORACLE, ORACLE]], ("concat-v", "oracle"))))
    assert found.missing.endswith("lvqa run --model NAME --conditions full")
    found = kinds.exhibit(inputs_of(study([[FULL]], ["full"])))
    assert found.missing.endswith("lvqa run --model NAME --conditions full,concat-v,oracle")

import math

import numpy as np
import pytest

from lvqa_eval.reports.field import field_rows, field_table, headlines
from tests.support.studies import study_of, without
from tests.support.study_inputs import inputs_of

# Two models, two conditions, four questions of a scene each, one run.
CORRECT = np.array([[[1, 1, 1, 0], [1, 0, 0, 0]], [[1, 1, 0, 0], [0, 0, 0, 0]]])[..., None]


def rows_of(study):
    return field_rows(inputs_of(study))


def test_each_condition_has_the_mean_over_the_models_in_the_papers_order():
    rows = rows_of(study_of(CORRECT[:, ::-1], ["sharded-v", "full"]))
    assert [row.condition for row in rows] == ["full", "sharded-v"]
    assert (rows[0].accuracy.value, rows[0].accuracy.n, rows[0].difference) == (5 / 8, 8, None)
    assert rows[1].accuracy.value == 1 / 8
    assert rows[1].difference.value == -1 / 2


def test_without_full_there_is_no_difference():
    rows = rows_of(study_of(CORRECT, ["concat-v", "sharded-v"]))
    assert [row.difference for row in rows] == [None, None]
    assert [(one.value, one.is_difference) for one in headlines(rows)[3:]] == [(5 / 8, False), (1 / 8, False)]


def test_the_head_of_a_page_says_what_was_not_run():
    study = study_of(CORRECT, ["full", "sharded-v"])
    shown = {one.condition: one for one in headlines(rows_of(study))}
    assert list(shown) == ["full", "concat-q", "sharded-q", "concat-v", "sharded-v"]
    assert (shown["full"].value, shown["full"].is_difference, shown["full"].absent) == (5 / 8, False, "")
    assert (shown["sharded-v"].value, shown["sharded-v"].is_difference) == (-1 / 2, True)
    assert (math.isnan(shown["concat-q"].value), shown["concat-q"].absent) == (True, "not run")
    partly = {one.condition: one for one in headlines(rows_of(without(study, "m1", "sharded-v")))}
    assert partly["sharded-v"].absent == "not run by all"


@pytest.mark.parametrize(("models", "title"), [(1, "One model"), (2, "Mean of 2 models")])
def test_the_table_says_what_it_is_the_mean_of(models, title):
    rows = rows_of(study_of(CORRECT[:models], ["full", "sharded-v"]))
    table = field_table(rows, models)
    assert table.title == title
    assert table.rows[0][3:] == (4 * models, 1.0)

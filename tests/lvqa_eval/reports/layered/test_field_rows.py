import math

import numpy as np
import pytest

from lvqa_eval.metrics.delivery import accuracy_table, cost_of_delivery
from lvqa_eval.reports.layered import field_rows
from lvqa_eval.reports.layered.field_rows import Beside
from lvqa_eval.reports.reported import ReportedFigure, Unit
from lvqa_eval.reports.table import Head, markdown_lines
from tests.support.studies import NAN, random_study, study_of, without
from tests.support.study_inputs import inputs_of

FULL, ORACLE = [1, 1, 1, 0], [1, 0, 0, 0]


def accuracy_of(correct, conditions=("full", "oracle"), **scenes):
    study = study_of(np.array(correct, dtype=float)[..., None], conditions, **scenes)
    return accuracy_table(study, study.weights(50))


TWO = [[FULL, ORACLE], [[1, 1, 1, 1], [1, 1, 0, 0]]]


def test_models_come_first_and_their_mean_last():
    table = accuracy_of(TWO)
    rows = field_rows.model_rows(table)
    assert [row[0] for row in rows] == ["m0", "m1", "Mean of 2 models"]
    assert [[figure.value for figure in row[1:]] for row in rows] == [[0.75, 0.25], [1, 0.5], [0.875, 0.375]]
    assert field_rows.summary(table) == 1


def test_one_model_has_no_mean():
    table = accuracy_of([TWO[0]])
    assert [row[0] for row in field_rows.model_rows(table)] == ["m0"]
    assert field_rows.summary(table) == 0
    assert field_rows.mean_of(table.models) == "m0 alone"


def test_every_head_has_its_unit():
    study = random_study(("full", "oracle"))
    weights = study.weights(50)
    tables = accuracy_table(study, weights, ["full"]), cost_of_delivery(study, weights)
    assert field_rows.heads(*tables) == (
        Head("Model"),
        Head("full, %", "share"),
        Head("oracle, points", "points"),
    )


def test_columns_can_be_picked_in_another_order():
    table = field_rows.pick(accuracy_of(TWO), ["oracle", "full"])
    assert table.columns == ("oracle", "full")
    assert [table.of_field(one).value for one in table.columns] == [0.375, 0.875]
    assert table.at("m0", "oracle").questions == 4


def test_conditions_stand_in_the_order_of_the_paper_with_others_last():
    found = field_rows.in_paper_order(["mine", "oracle", "concat-v", "full"])
    assert found == ("full", "concat-v", "oracle", "mine")


def test_conditions_that_nobody_ran_are_named():
    study = study_of(np.ones((1, 14, 2, 1)), field_rows.LAYERED_VQA.conditions[:14])
    assert field_rows.not_run(study) == ("Not run, so left out: all-layers, oracle.",)


def test_what_lacks_conditions_says_which_command_makes_them():
    inputs = inputs_of(study_of(np.ones((2, 1, 2, 1)), ["full"]))
    assert field_rows.lacking_conditions(inputs, ["full"]) is None
    assert field_rows.lacking_conditions(inputs, ["full", "oracle"]) == (
        "None of runs/m0, runs/m1 has oracle. "
        "Make a run of each model that does: lvqa run --model NAME --conditions full,oracle"
    )


def test_models_that_lack_a_column_are_named_once():
    study = without(without(random_study(("full", "concat-v", "oracle")), "m1", "oracle"), "m1", "concat-v")
    weights = study.weights(50)
    tables = accuracy_table(study, weights), cost_of_delivery(study, weights)
    note = "No value of m1 in concat-v, oracle, so there is no mean over the models."
    assert field_rows.own_notes(*tables) == (note,)
    shown = field_rows.model_table("t", "T", *tables)
    assert markdown_lines(shown)[4].endswith("| – | – |")


def test_dropped_draws_are_counted_by_column():
    # One question of three scenes counts under oracle: draws without its scene have nothing to divide by.
    table = accuracy_of([[[1, 1, 1], [1, 0, NAN]], [[1, 1, 1], [1, NAN, NAN]]])
    counts = [table.at(model, "oracle").dropped for model in table.models]
    assert 0 < counts[0] < counts[1]
    (note,) = field_rows.dropped_notes(table)
    assert note.endswith(f"left out of the interval: oracle ({counts[0]} to {counts[1]}).")
    (note,) = field_rows.dropped_notes(table, means=True)
    assert note.endswith(f": oracle ({counts[1]}).")


def test_figures_without_an_interval_are_named_where_only_some_have_none():
    alone = field_rows.alone_notes(accuracy_of([[[1, 1, 1], [1, NAN, NAN]]]))
    assert alone == ("Accuracy: from one scene, so without an interval: m0 oracle.",)
    nowhere = field_rows.alone_notes(accuracy_of([TWO[0]], scenes=[0, 0, 0, 0]))
    assert nowhere == ("Accuracy: from one scene, so without an interval.",)


def test_the_basis_counts_all_cells_and_names_the_worst():
    table = accuracy_of([[[1, 1, NAN], [1, 0, 1]]])
    assert field_rows.basis(table) == (
        ("n", "5 of 6 planned conversations"),
        ("Coverage", "83.3 % (66.6 % in the cell with the least)"),
        ("Questions", "2 to 3 in each column"),
        ("Scenes", "2 to 3 in each column"),
    )
    ((label, text),) = field_rows.basis(field_rows.pick(table, ["oracle"]), "Alone")
    assert (label, text) == (
        "Alone",
        "n = 3 of 3 planned conversations; coverage 100.0 %; questions: 3; scenes: 3",
    )


def test_reported_figures_never_share_a_column_with_ours():
    pairs = [
        Beside("oracle", ReportedFigure(-0.148, Unit.DIFFERENCE, "a paper"), 0.05),
        Beside("concat-v", ReportedFigure(-0.187, Unit.DIFFERENCE, "a paper")),
    ]
    table = field_rows.reported_table("t", pairs, ("m0", "m1"), "Difference")
    assert table.title == "Reported in a paper, and measured here"
    assert [head.reported for head in table.heads] == [False, True, False]
    assert table.rows[0] == ("oracle", -0.148, 0.05)
    assert table.rows[1][1] == -0.187
    assert math.isnan(table.rows[1][2])
    assert table.notes == ("Reported: mean of the paper's 13 assistants. Measured here: mean of 2 models.",)


def test_reported_counts_are_whole_numbers():
    pairs = [Beside("scenes", ReportedFigure(93.0, Unit.COUNT, "a paper"), 12)]
    assert field_rows.reported_table("t", pairs, ()).rows == (("scenes", 93, 12),)


def test_figures_of_two_units_are_no_table():
    pairs = [
        Beside("one", ReportedFigure(0.5, Unit.SHARE, "a paper")),
        Beside("other", ReportedFigure(0.5, Unit.DIFFERENCE, "a paper")),
    ]
    with pytest.raises(ValueError, match="t: found difference of shares, share, allowed: one"):
        field_rows.reported_table("t", pairs, ())

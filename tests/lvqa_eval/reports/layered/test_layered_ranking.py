import math

import numpy as np
import pytest

from lvqa_eval.judging.panel import Panel
from lvqa_eval.reports.layered import ranking
from lvqa_eval.runs.records import Key
from tests.support.studies import NAN, study_of, without
from tests.support.study_inputs import inputs_of, readings_of
from tests.support.table_cells import at, table_of

# Accuracies of full and oracle: 1/4 and 1/2, 3/4 and 1, 1/2 and 1/2.
CORRECT = [
    [[1, 0, 0, 0], [1, 1, 0, 0]],
    [[1, 1, 1, 0], [1, 1, 1, 1]],
    [[1, 1, 0, 0], [1, 0, 1, 0]],
]
STUDY = study_of(np.array(CORRECT, dtype=float)[..., None], ("oracle", "full"))


def panel(votes, conditions, size=3):
    """Return a panel of three judges; `votes` (judges, assistants, items) is of these items' conditions."""
    votes = np.array(votes, dtype=np.int8)
    judges, assistants, items = votes.shape
    keys = [Key(condition, f"q{i}", 1) for i, condition in enumerate(conditions)] * assistants
    return Panel(
        judges=tuple(f"j{i}" for i in range(judges)),
        assistants=tuple(f"m{i}" for i in range(assistants)),
        own=np.full(assistants, -1),
        votes=votes.reshape(judges, -1),
        statuses=np.zeros((judges, assistants * items), dtype=np.int8),
        keys=tuple(keys),
        assistant_of=np.repeat(np.arange(assistants), items),
        scene_of=np.tile(np.arange(items), assistants),
        scenes=items,
        failed=np.zeros(assistants * items, dtype=np.bool_),
        baseline=np.zeros(assistants * items, dtype=np.bool_),
        size=size,
    )


def test_models_are_ranked_by_the_mean_of_their_accuracies():
    table = table_of(ranking.exhibit(inputs_of(STUDY)), "rankings")
    assert [row[0] for row in table.rows] == ["m1", "m2", "m0"]
    assert [row[1].value for row in table.rows] == [0.875, 0.5, 0.375]
    assert [row[2] for row in table.rows] == [1, 2, 3]


def test_equals_share_the_better_rank():
    one = study_of(np.array([CORRECT[0], CORRECT[0], CORRECT[1]], dtype=float)[..., None], STUDY.conditions)
    table = table_of(ranking.exhibit(inputs_of(one)), "rankings")
    assert [(row[0], row[2]) for row in table.rows] == [("m2", 1), ("m0", 2), ("m1", 2)]


def test_only_conditions_that_all_models_have_are_counted():
    found = ranking.exhibit(inputs_of(without(STUDY, "m1", "oracle")))
    table = table_of(found, "rankings")
    assert dict(found.basis)["Conditions"] == "full"
    assert [(row[0], row[1].value) for row in table.rows] == [("m1", 1), ("m0", 0.5), ("m2", 0.5)]
    assert "Left out, since not every model has them: oracle." in table.notes


def test_a_model_of_low_coverage_has_no_rank_and_comes_last():
    correct = np.array(CORRECT, dtype=float)
    correct[1, 0, 0] = NAN
    found = ranking.exhibit(inputs_of(study_of(correct[..., None], STUDY.conditions)))
    table = table_of(found, "rankings")
    assert [row[0] for row in table.rows] == ["m2", "m0", "m1"]
    assert table.rows[0][2] == 1
    assert math.isnan(table.rows[2][2])


def test_length_moves_models_along_one_slope():
    correct = np.array([[[1, 0, 1, 0]], [[1, 1, 0, 0]]], dtype=float)[..., None]
    characters = np.array([[[7, 1, 7, 1]], [[3, 3, 1, 1]]], dtype=float)[..., None]
    study = study_of(correct, ["full"])
    found = ranking.exhibit(inputs_of(study, readings=readings_of(study, characters=characters)))
    # log2(1 + n): m0 3 1 3 1, m1 2 2 1 1. Within models Sxy = 2 + 1, Sxx = 4 + 1: slope 3/5.
    ((slope, tau),) = table_of(found, "rankings-slope").rows
    assert slope.value == pytest.approx(3 / 5)
    assert math.isnan(tau)  # the two tie before
    table = table_of(found, "rankings-length")
    # Means 2 and 1.5, that of the field 1.75.
    assert at(table, "m0", "at equal length, %").value == pytest.approx(0.5 - 0.6 * 0.25)
    assert at(table, "m1", "at equal length, %").value == pytest.approx(0.5 + 0.6 * 0.25)
    assert [(row[0], row[3], row[4]) for row in table.rows] == [("m1", 1, 1), ("m0", 1, 2)]


def test_without_lengths_and_without_a_panel_their_rankings_are_named_as_missing():
    found = ranking.exhibit(inputs_of(STUDY))
    assert [table.name for table in found.tables] == ["rankings"]
    length, judge = found.tables[0].notes[-2:]
    assert length.startswith("At equal length: not there, since no two replies")
    assert judge == (
        "Without a judge: not there, since fewer than two judges have judged every run. "
        "Judge with another: lvqa judge runs/m0 runs/m1 runs/m2 --judge NAME@URL"
    )


def test_each_judge_is_left_out_in_turn():
    # By majority m0 has 2 of 2, m1 1, m2 0; without j0 the other two must agree: m0 has 1, m1 1, m2 0.
    votes = [
        [[1, 1], [1, 0], [0, 0]],
        [[1, 1], [1, 0], [0, 0]],
        [[1, 0], [1, 0], [0, 0]],
    ]
    found = ranking.exhibit(inputs_of(STUDY, panel=panel(votes, ("full", "oracle"))))
    table = table_of(found, "rankings-judges")
    assert [head.title for head in table.heads][2:] == ["m0, rank", "m1, rank", "m2, rank"]
    assert table.rows[0][2:] == (1, 2, 3)
    assert at(table, "j0", "m1, rank") == 1
    assert table.rows[1][2:] == (1, 1, 3)
    assert table.rows[3][2:] == (1, 2, 3)
    # Of three pairs two agree and one is tied on one side: 2 / sqrt(3 · 2).
    assert at(table, "j0", "Kendall's tau to the whole panel") == pytest.approx(2 / math.sqrt(6))
    assert at(table, "j2", "Kendall's tau to the whole panel") == 1
    assert dict(found.basis)["Panel"] == "j0, j1, j2; more than half of 3 must have voted"


def test_the_panel_rules_on_the_common_conditions_alone():
    votes = [[[1, 0], [0, 1], [1, 0]]] * 3
    one = without(STUDY, "m1", "oracle")
    found = ranking.exhibit(inputs_of(one, panel=panel(votes, ("full", "oracle"))))
    assert table_of(found, "rankings-judges").rows[0][2:] == (1, 3, 1)
    assert dict(found.basis)["Conversations before the panel"] == "3"


def test_one_model_is_no_ranking():
    found = ranking.exhibit(inputs_of(STUDY.only(["m0"])))
    assert found.tables == ()
    assert found.missing == (
        "One model, m0, is no ranking. Report the runs of several together: lvqa report runs/m0 RUN"
    )


def test_models_without_a_common_condition_are_not_ranked():
    one = without(without(STUDY, "m1", "oracle"), "m2", "full")
    found = ranking.exhibit(inputs_of(one))
    assert found.missing.startswith("There is no condition in which each of m0, m1, m2 has a conversation")

import math

import numpy as np
import pytest

from lvqa_eval.reports.layered import commitment
from lvqa_eval.reports.table import comma_separated, latex
from tests.support.studies import NAN, study_of, without
from tests.support.study_inputs import inputs_of, readings_of, rulings_of
from tests.support.table_cells import at, table_of

# Conversations of four turns: first answers in turns 1, 1, 2, 4; then none, no ruling, a failure, no verdict.
RIGHT = [1, 0, 1, 0, 1, 1, 0, NAN]
ATTEMPTS = [1, 1, 2, 4, 0, NAN, 1, 1]
TURNS = [4, 4, 4, 4, 4, 4, NAN, 4]


def grid(*rows):
    """Return (models, 1 condition, questions, 1 run)."""
    return np.array(rows, dtype=float)[:, None, :, None]


def inputs(right=(RIGHT,), attempts=(ATTEMPTS,), **given):
    study = study_of(grid(*right), ["sharded-v"])
    readings = readings_of(study, turns=grid(*[TURNS] * len(right)))
    rulings = rulings_of(study, first_attempt=grid(*attempts))
    return inputs_of(study, **{"readings": readings, "rulings": rulings, "post_hoc": "j.post-hoc", **given})


def test_shares_and_accuracies_by_both_ways_to_tell_a_fifth():
    found = commitment.exhibit(inputs())
    assert [table.name for table in found.tables] == [
        *("table-4", "table-4-accuracy", "table-4-start", "table-4-start-accuracy")
    ]
    (row,) = table_of(found, "table-4").rows
    assert [cell.value for cell in row[1:6]] == [0, 0.5, 0.25, 0, 0.25]
    assert row[6] == "fifth 2"
    (row,) = table_of(found, "table-4-accuracy").rows
    np.testing.assert_array_equal([cell.value for cell in row[1:]], [NAN, 0.5, 1, NAN, 0])
    (row,) = table_of(found, "table-4-start").rows
    assert [cell.value for cell in row[1:6]] == [0.5, 0.25, 0, 0.25, 0]
    assert row[6] == "fifth 1"
    (row,) = table_of(found, "table-4-start-accuracy").rows
    np.testing.assert_array_equal([cell.value for cell in row[1:]], [0.5, 1, NAN, 0, NAN])


def test_each_way_says_what_it_fits_and_the_basis_what_is_left_out():
    found = commitment.exhibit(inputs())
    end, start = (one for one in found.definition if one.startswith("By the"))
    assert "ceil(5t/n)" in end
    assert "ten of eleven models" in end
    assert "1 + floor(5(t - 1)/n)" in start
    assert "of all models" in start
    basis = dict(found.basis)
    assert basis["n"] == "4 of 8 planned conversations"
    assert basis["Left out"] == "1 without an answer, 1 without a valid ruling, 1 that the model failed"
    assert basis["Post-hoc judge"] == "j.post-hoc"
    assert basis["Conditions"].startswith("sharded-v (not run: sharded-q, recap-q, snowball-q, recap-v, ")


def test_the_mean_has_a_most_frequent_fifth_of_its_own():
    found = commitment.exhibit(inputs([RIGHT, [1] * 8], [ATTEMPTS, [4] * 8]))
    table = table_of(found, "table-4")
    assert [row[6] for row in table.rows] == ["fifth 2", "fifth 5", "fifth 5"]
    mean = at(table, "Mean of 2 models", "fifth 5, %")
    # Of the second model seven count and were held to their end, with their answers in turn 4 of 4.
    assert (mean.value, mean.n, table.summary) == ((0.25 + 1) / 2, 4 + 7, 1)
    accuracy = table_of(found, "table-4-accuracy")
    assert math.isnan(at(accuracy, "Mean of 2 models", "fifth 2, %").value)
    assert any("m1 in fifth 2, fifth 3" in note for note in accuracy.notes)


def test_a_model_that_lacks_a_condition_has_no_value_and_no_most_frequent_fifth():
    both = np.concatenate([grid(RIGHT, RIGHT)] * 2, axis=1)
    study = without(study_of(both, ["sharded-v", "recap-v"]), "m1", "recap-v")
    attempts, turns = (np.concatenate([grid(row, row)] * 2, axis=1) for row in (ATTEMPTS, TURNS))
    found = commitment.exhibit(
        inputs_of(
            study,
            readings=readings_of(study, turns=turns),
            rulings=rulings_of(study, first_attempt=attempts),
            post_hoc="j",
        )
    )
    table = table_of(found, "table-4")
    assert [row[6] for row in table.rows] == ["fifth 2", "", ""]
    assert table.notes[0].startswith("No value of m1 in fifth 1, fifth 2, fifth 3, fifth 4, fifth 5")


def test_the_papers_figures_stand_in_a_column_of_their_own():
    reported = commitment.exhibit(inputs()).reported
    assert [head.reported for head in reported.heads] == [False, True, False, False, False, False]
    assert [row[1] for row in reported.rows] == [0.388, 0.458, 0.46, 0.473, 0.403]
    assert at(reported, "fifth 2", "Accuracy here, end of turn, %").value == 0.5
    assert at(reported, "fifth 2", "Share here, end of turn, %").value == 0.5
    assert at(reported, "fifth 2", "Accuracy here, start of turn, %").value == 1
    assert at(reported, "fifth 2", "Share here, start of turn, %").value == 0.25
    assert "Measured here: m0 alone." in reported.notes[0]
    assert "no distribution over the fifths" in reported.notes[1]


def test_without_rulings_or_conditions_it_says_what_makes_them():
    found = commitment.exhibit(inputs(rulings=None, post_hoc=None))
    assert found.tables == ()
    assert found.missing == (
        "No judge has ruled turn by turn on every run. Let one do so: "
        "lvqa judge runs/m0 --judge NAME@URL --protocol post-hoc"
    )
    single = inputs_of(study_of(grid(RIGHT), ["full"]))
    assert commitment.exhibit(single).missing.startswith("None of runs/m0 has any of sharded-q, recap-q, ")
    assert commitment.exhibit(single).missing.endswith(",aligned-vq,misaligned-vq")


def test_files():
    table = table_of(commitment.exhibit(inputs()), "table-4")
    head, row = comma_separated(table).splitlines()
    assert head.startswith('Model,"fifth 1, %","fifth 1, % low","fifth 1, % high","fifth 1, % n",')
    assert head.endswith("Most frequent")
    assert row.startswith("m0,0.000000,")
    assert row.endswith(",fifth 2")
    assert r"fifth 2, \%" in latex(table)


@pytest.mark.parametrize("name", ["exact-match"])
def test_a_provisional_judge_of_turns_is_labelled(name):
    basis = dict(commitment.exhibit(inputs(post_hoc=name)).basis)
    assert basis["Post-hoc judge"] == "exact-match (provisional: exact text match, no judge model)"

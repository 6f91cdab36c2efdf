import math

import numpy as np

from lvqa_eval.reports.layered import verbosity
from lvqa_eval.reports.table import comma_separated
from tests.support.studies import NAN, random_study, study_of, without
from tests.support.study_inputs import inputs_of, readings_of
from tests.support.table_cells import at, table_of

# Ten questions, two to a fifth; the third fifth of one turn is half right, the last of several is all wrong.
LENGTHS = np.arange(1.0, 11.0)
SINGLE = [1, 1, 1, 1, 1, 0, 0, 0, 0, 0]
SEVERAL = [1, 1, 1, 1, 1, 1, 1, 1, 0, 0]


def inputs(models=1):
    study = study_of(np.array([[SINGLE, SEVERAL]] * models)[..., None], ["full", "sharded-v"])
    shape = study.correct.shape
    characters = np.broadcast_to(np.stack([LENGTHS, 100 * LENGTHS])[None, :, :, None], shape)
    multi = np.broadcast_to(np.array([0.0, 1.0])[None, :, None, None], shape)
    return inputs_of(
        study, readings=readings_of(study, characters=characters.copy(), multi_turn=multi.copy())
    )


def test_accuracy_and_mean_length_by_fifth_for_one_turn_and_several():
    table = table_of(verbosity.exhibit(inputs()), "table-5")
    assert [row[0] for row in table.rows] == [f"fifth {number}" for number in range(1, 6)]
    columns = list(zip(*[[cell.value for cell in row[1:]] for row in table.rows], strict=True))
    assert columns == [
        (1, 1, 0.5, 0, 0),
        (1.5, 3.5, 5.5, 7.5, 9.5),
        (1, 1, 1, 1, 0),
        (150, 350, 550, 750, 950),
    ]
    assert [head.title for head in table.heads[1:3]] == [
        "one turn: accuracy, %",
        "one turn: mean length, characters",
    ]
    assert [head.kind for head in table.heads[1:]] == ["share", "number"] * 2


def test_the_basis_counts_what_is_in_a_fifth_and_what_is_not():
    given = inputs()
    given.readings.characters[0, 0, 9] = NAN
    given.study.correct[0, 1, :3] = NAN
    basis = dict(verbosity.exhibit(given).basis)
    assert basis["one turn"] == (
        "n = 9 of 10 planned conversations; coverage 90.0 %; questions: 9; scenes: 9; "
        "without a reply to measure: 1"
    )
    assert basis["several turns"].startswith(
        "n = 7 of 10 planned conversations; coverage 70.0 %; questions: 7;"
    )
    assert basis["Conditions of several turns"] == "sharded-v"


def test_models_have_tables_of_their_own_where_there_are_several():
    assert [table.name for table in verbosity.exhibit(inputs()).tables] == ["table-5"]
    found = verbosity.exhibit(inputs(models=2))
    table = table_of(found, "table-5-several-turns")
    assert [row[0] for row in table.rows] == ["m0", "m1", "Mean of 2 models"]
    assert at(table, "m1", "fifth 5, %").value == 0
    assert at(table, "m1", "fifth 5, characters").value == 950


def test_a_model_that_lacks_a_condition_is_named_in_its_panel_alone():
    study = without(random_study(["full", "sharded-v"], models=2), "m1", "sharded-v")
    multi = np.broadcast_to(np.array([0.0, 1.0])[None, :, None, None], study.correct.shape)
    characters = np.random.default_rng(0).integers(1, 99, study.correct.shape).astype(float)
    found = verbosity.exhibit(
        inputs_of(study, readings=readings_of(study, characters=characters, multi_turn=multi))
    )
    table = table_of(found, "table-5")
    assert [note.partition(" in ")[0] for note in table.notes] == ["Several turns: No value of m1"]
    assert math.isfinite(table.rows[0][1].value)
    assert math.isnan(table.rows[0][3].value)


def test_the_definition_says_whose_length_it_is():
    definition = " ".join(verbosity.exhibit(inputs()).definition)
    assert "Length: characters of the final reply" in definition
    assert "speaks of the length of the evidence, its text of that of the response" in definition


def test_the_papers_figures_stand_beside_ours():
    reported = verbosity.exhibit(inputs()).reported
    assert reported.rows[0][:2] == ("single turn, fifth 1", 0.558)
    assert reported.rows[9][:2] == ("multi turn, fifth 5", 0.41)
    assert [row[2].value for row in reported.rows] == [1, 1, 0.5, 0, 0, 1, 1, 1, 1, 0]


def test_one_panel_alone_leaves_the_other_blank():
    study = study_of(np.array([[SINGLE]])[..., None], ["full"])
    zeros = np.zeros(study.correct.shape)
    found = verbosity.exhibit(
        inputs_of(study, readings=readings_of(study, characters=zeros + 5, multi_turn=zeros))
    )
    assert len(table_of(found, "table-5").heads) == 3
    assert math.isnan(at(found.reported, "multi turn, fifth 1", "Measured here, %"))
    assert comma_separated(found.tables[0]).startswith('Length of the reply,"one turn: accuracy, %",')


def test_without_a_conversation_there_is_nothing_to_measure():
    study = study_of(np.array([[SINGLE]])[..., None], ["full"])
    found = verbosity.exhibit(inputs_of(study))
    assert found.missing == (
        "None of runs/m0 holds a conversation. The same command goes on: lvqa run --model NAME"
    )

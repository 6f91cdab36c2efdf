import numpy as np
import pytest

from lvqa_eval.reports.layered.attempts_figure import exhibit
from tests.support.studies import NAN, random_study, study_of
from tests.support.study_inputs import inputs_of, readings_of, rulings_of

CONDITIONS = ("full", "sharded-v")


def by_hand(models=1):
    """Attempts of 10 and 20 characters (wrong, right), of 40 (right), and a conversation without any."""
    study = study_of(np.ones((models, 2, 3, 1)), CONDITIONS)
    lengths = np.full((*study.correct.shape, 12), NAN)
    verdicts = lengths.copy()
    lengths[:, 1, 0, 0, :2], verdicts[:, 1, 0, 0, :2] = (10, 20), (0, 1)
    lengths[:, 1, 1, 0, 0], verdicts[:, 1, 1, 0, 0] = 40, 1
    characters = np.tile(np.array([[4.0], [6.0], [8.0]]), (models, 2, 1, 1))
    multi = np.zeros(study.correct.shape)
    multi[:, 1] = 1
    return inputs_of(
        study,
        readings=readings_of(study, characters=characters, multi_turn=multi),
        rulings=rulings_of(study, attempt_characters=lengths, attempt_verdicts=verdicts),
        post_hoc="org-judge.post-hoc",
    )


def test_length_and_correctness_up_to_the_last_number_that_is_reached():
    pooled = exhibit(by_hand()).tables[0]
    assert [(row[0], row[1].value, row[2].value, row[3]) for row in pooled.rows] == [
        ("1", 25.0, 0.5, 2),
        ("2", 20.0, 1.0, 1),
    ]
    assert [head.title for head in pooled.heads] == ["Attempt", "Length, characters", "Right, %", "n"]


def test_single_turns_stand_beside():
    found = exhibit(by_hand(2))
    (table,) = (table for table in found.tables if table.name == "figure-6-single-turn")
    assert [row[1].value for row in table.rows] == [6.0, 6.0, 6.0]
    assert table.rows[0][1].n == 3


def test_reported_figures():
    rows = {row[0]: row[1:] for row in exhibit(by_hand()).reported.rows}
    assert rows["attempt 1"][0] == 86
    assert rows["attempt 1"][1].value == 25.0
    assert rows["attempt 1"][2] == 0.34
    assert rows["attempt 1"][3].value == 0.5
    assert rows["attempt 10"][0] == 57
    assert np.isnan(rows["attempt 10"][1])
    assert rows["single turn"][0] == 18
    assert rows["single turn"][1].value == 6.0
    assert np.isnan(rows["single turn"][2:]).all()


def test_what_it_rests_on():
    basis = dict(exhibit(by_hand()).basis)
    assert basis["Post-hoc judge"] == "org-judge.post-hoc"
    assert basis["Conditions"] == "sharded-v"
    assert basis["With an attempt"].startswith("2 of 3 planned conversations (66.6 %)")
    assert basis["Attempts"] == "3"


def test_the_description_has_the_numbers():
    alt = exhibit(by_hand()).plot.alt
    assert "attempt 1: 25.0 [" in alt
    assert "attempt 2: 20.0 characters, 100.0 % right, n 1. Single turn: 6.0 [" in alt


@pytest.mark.parametrize(
    ("conditions", "command"),
    [
        (CONDITIONS, "lvqa judge runs/m0 runs/m1 --judge NAME@URL --protocol post-hoc"),
        (("full",), "evidence-first,evidence-last,aligned-vq,misaligned-vq"),
    ],
)
def test_what_is_missing(conditions, command):
    assert exhibit(inputs_of(random_study(conditions))).missing.endswith(command)


def test_rulings_without_any_attempt():
    inputs = by_hand()
    found = exhibit(inputs_of(inputs.study, rulings=rulings_of(inputs.study), post_hoc="org-judge"))
    ((number, length, right, n),) = found.tables[0].rows
    assert (number, n) == ("1", 0)
    assert np.isnan([length.value, right.value]).all()
    assert "attempt 1: not known characters" in found.plot.alt

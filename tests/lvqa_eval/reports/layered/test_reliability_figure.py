import numpy as np
import pytest

from lvqa_eval.reports.layered.reliability_figure import exhibit
from tests.support.studies import NAN, random_study, study_of
from tests.support.study_inputs import inputs_of

PAIR = ("full", "sharded-q")


def by_hand():
    """One model, four questions, two runs; the last question lacks a run of sharded-q.

    Of full one question is decided both ways, of sharded-q one of three, and it is another.
    """
    full = [[1, 1], [1, 0], [0, 0], [1, 1]]
    pieces = [[1, 0], [0, 0], [0, 0], [1, NAN]]
    return study_of([[full, pieces]], PAIR)


def test_levels_over_the_questions_whose_runs_all_count():
    table = exhibit(inputs_of(by_hand())).tables[0]
    rows = {row[0]: [one.value for one in row[1:]] for row in table.rows}
    assert rows["full"] == [pytest.approx(5 / 8), 3 / 4, 1 / 4]
    assert rows["sharded-q"] == [pytest.approx(1 / 6), pytest.approx(1 / 3), pytest.approx(1 / 3)]
    assert table.title == "By condition: m0"
    assert [head.title for head in table.heads] == [
        "Condition",
        "Accuracy, %",
        "Aptitude, %",
        "Unreliability, %",
    ]


def test_changes_are_paired():
    found = exhibit(inputs_of(by_hand()))
    (row,) = found.tables[1].rows
    assert row[0] == "sharded-q minus full"
    # Over the first three questions alone: 1/6 less 1/2, 1/3 less 2/3, 1/3 less 1/3.
    assert [one.value for one in row[1:]] == [pytest.approx(-1 / 3), pytest.approx(-1 / 3), 0.0]
    assert len(found.tables) == 2


def test_both_baselines_stand_beside_a_printed_figure_that_names_none():
    reported = exhibit(inputs_of(by_hand())).reported
    rows = {row[0]: row[1:] for row in reported.rows}
    assert rows["unreliability, full"][:2][0] == 0.29
    assert rows["unreliability, full"][1].value == 0.25
    assert (
        rows["accuracy, sharded-q minus full"][2] == rows["accuracy, sharded-q minus concat-q"][2] == -0.142
    )
    assert rows["accuracy, sharded-q minus full"][3].value == pytest.approx(-1 / 3)
    assert np.isnan(rows["accuracy, sharded-q minus concat-q"][3])
    assert (
        rows["accuracy, sharded-v minus full"][2] == rows["accuracy, sharded-v minus concat-v"][2] == -0.099
    )
    assert rows["unreliability, sharded-v minus concat-v"][2] == 0.076
    assert [head.reported for head in reported.heads] == [False, True, False, True, False]


def test_the_description_has_the_numbers():
    alt = exhibit(inputs_of(by_hand())).plot.alt
    assert alt.startswith("m0. Questions decided both ways: full 25.0 [")
    assert "sharded-q minus full: accuracy −33.3 [" in alt


def test_several_models_have_tables_of_their_own():
    found = exhibit(inputs_of(random_study(PAIR, models=3)))
    assert [table.name for table in found.tables] == [
        "figure-7-conditions",
        "figure-7-changes",
        *(f"figure-7-{measure}" for measure in ("accuracy", "aptitude", "unreliability")),
        *(f"figure-7-{measure}-changes" for measure in ("accuracy", "aptitude", "unreliability")),
    ]
    assert found.tables[4].rows[-1][0] == "Mean of 3 models"


def test_one_run_tells_nothing():
    found = exhibit(inputs_of(random_study(PAIR, runs=1)))
    assert found.missing == (
        "runs/m0, runs/m1: one run of each condition, which does not tell how often an answer changes. "
        "Make runs of each model with several: lvqa run --model NAME --runs 3"
    )


def test_without_a_pair_there_are_levels_alone():
    found = exhibit(inputs_of(random_study(("concat-v",), models=1)))
    assert [table.name for table in found.tables] == ["figure-7-conditions"]
    assert "Changes" not in found.plot.alt

import numpy as np
import pytest

from lvqa_eval.reports.layered.judges_figure import exhibit
from tests.support.figure_inputs import panel_of
from tests.support.studies import random_study
from tests.support.study_inputs import inputs_of

# Judges by assistants by four items; MATRIX has the means, assistants by judges.
VOTES = [
    [[1, 1, 1, 1], [1, 0, 0, 0], [0, 1, 0, 0]],
    [[1, 1, 0, 0], [1, 1, 1, 0], [0, 0, 1, 0]],
    [[1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 0, 1]],
]
MATRIX = [[1, 0.5, 0.5], [0.25, 0.75, 0.5], [0.25, 0.25, 0.25]]
ASSISTANTS = ["org/one", "org/two", "org/three"]


def by_hand():
    panel = panel_of(VOTES, [0, 1, -1], ["org-one", "org-two", "other"], ASSISTANTS)
    return inputs_of(random_study(["full"], models=3), panel=panel)


def table(found, name):
    (one,) = (table for table in found.tables if table.name == f"figure-4-{name}")
    return one


def test_verdicts_and_residuals():
    found = exhibit(by_hand())
    assert [list(row[1:]) for row in table(found, "cross-judging").rows] == MATRIX
    residuals = table(found, "residuals")
    matrix = np.array(MATRIX)
    rows, columns = matrix.mean(axis=1, keepdims=True), matrix.mean(axis=0)
    expected = matrix - rows - columns + matrix.mean()
    np.testing.assert_allclose([row[1:] for row in residuals.rows], expected, atol=1e-12)
    assert [head.title for head in residuals.heads][1:] == [
        "org-one, points",
        "org-two, points",
        "other, points",
    ]


def test_ability_and_leniency_by_the_name_of_the_model():
    rows = {row[0]: row[1:] for row in table(exhibit(by_hand()), "traits").rows}
    assert list(rows) == [*ASSISTANTS, "other"]
    ability, leniency = rows["org/one"]
    assert (ability.value, leniency.value) == (pytest.approx(2 / 3), pytest.approx(0.5))
    assert ability.low <= ability.value <= ability.high
    assert (ability.n, ability.scenes, ability.dropped) == (12, 4, 0)
    assert rows["org/two"][1].value == pytest.approx(0.5)
    assert np.isnan(rows["org/three"][1])
    assert np.isnan(rows["other"][0])
    assert rows["other"][1].value == pytest.approx(1.25 / 3)


def fitted_excess():
    """What judge one gives itself beyond a least-squares fit to the seven cells between different models."""
    cells = [(a, j) for a in range(3) for j in range(3) if (a, j) not in {(0, 0), (1, 1)}]
    design = np.array([[*(a == row for row in range(3)), *(j == row for row in range(3))] for a, j in cells])
    effects = np.linalg.lstsq(design.astype(float), [MATRIX[a][j] for a, j in cells], rcond=None)[0]
    return MATRIX[0][0] - effects[0] - effects[3]


def test_self_preference_raw_and_corrected():
    rows = {row[0]: row for row in table(exhibit(by_hand()), "self-preference").rows}
    assert rows["org/one"][1] == pytest.approx(1 - 2 / 3 - 1 / 2 + 4.25 / 9)
    assert rows["org/one"][5] == pytest.approx(fitted_excess())


def test_reported_figures():
    rows = {row[0]: row[1:] for row in exhibit(by_hand()).reported.rows}
    assert rows["leniency, least"][0] == 0.404
    assert rows["leniency, least"][1].value == pytest.approx(1.25 / 3)
    assert rows["ability, greatest"][1].value == pytest.approx(2 / 3)
    # All three judges agree on the first item of one, and on that of three.
    assert rows["verdicts that all judges share"][:2] == (0.278, pytest.approx(2 / 12))
    assert rows["self-preference, raw, mean"][2] == 0.026
    assert rows["self-preference, raw, mean"][3].n == 8
    assert np.isnan(rows["self-preference, raw, Ministral-3-8B"][3])


def test_what_it_rests_on_and_its_description():
    found = exhibit(by_hand())
    basis = dict(found.basis)
    assert basis["Judges"] == "3: org-one, org-two, other"
    assert basis["n"] == "36 verdicts of 36, 12 conversations before each judge"
    assert basis["Coverage"] == "100.0 % of the verdicts asked for"
    assert found.plot.alt.startswith(
        "Assistants: 3; judges: 3. A grid of residuals; the one farthest from zero "
    )
    assert "Leniency goes from 41.7 [" in found.plot.alt
    assert "Mean self-preference, raw +" in found.plot.alt


def test_a_lost_verdict_leaves_its_cell_to_the_others():
    votes = np.array(VOTES)
    votes[2, 0] = -1
    inputs = inputs_of(
        random_study(["full"]), panel=panel_of(votes, [-1, -1, -1], ["a", "b", "c"], ASSISTANTS)
    )
    found = exhibit(inputs)
    rows = {row[0]: row[1:] for row in table(found, "traits").rows}
    assert rows["org/one"][0].value == pytest.approx(3 / 4)
    assert rows["c"][1].value == pytest.approx(3 / 8)
    assert "self-preference" not in {one.name.removeprefix("figure-4-") for one in found.tables}


def test_without_a_panel():
    assert exhibit(inputs_of(random_study(["full"]))).missing == (
        "Fewer than two judges have judged every run. Let two or more do so, then compare them: "
        "lvqa judge runs/m0 runs/m1 --judge NAME@URL, then lvqa panel runs/m0 runs/m1"
    )

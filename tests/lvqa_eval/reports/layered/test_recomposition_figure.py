import numpy as np

from lvqa_eval.reports.layered.recomposition_figure import exhibit
from lvqa_eval.reports.table import comma_separated
from tests.support.studies import random_study, study_of, without
from tests.support.study_inputs import inputs_of

SCENE = ("full", "sharded-v", "recap-v")
BOTH = (*SCENE, "sharded-q", "recap-q")


def by_hand():
    """Changes of the first model: -1/2, +1/2, 0; of the second -1/2, +1, +1/2."""
    first = [[[1], [1]], [[0], [1]], [[1], [1]]]
    second = [[[1], [0]], [[0], [0]], [[1], [1]]]
    return study_of([first, second], SCENE)


def test_changes_and_their_mean():
    found = exhibit(inputs_of(by_hand()))
    (table,) = found.tables
    assert [[one.value for one in row[1:]] for row in table.rows] == [
        [-0.5, 0.5, 0.0],
        [-0.5, 1.0, 0.5],
        [-0.5, 0.75, 0.25],
    ]
    assert [row[0] for row in table.rows] == ["m0", "m1", "Mean of 2 models"]
    assert table.summary == 1
    assert comma_separated(table).startswith('Model,"fragmenting, points","fragmenting, points low",')


def test_a_stream_that_nobody_ran_is_named():
    found = exhibit(inputs_of(by_hand()))
    assert found.basis[-1] == ("Left out", "the question stream, since nobody ran sharded-q, recap-q")
    rows = {row[0]: row[1:] for row in found.reported.rows}
    assert rows["scene stream, restoring"][0] == 0.344
    assert rows["scene stream, restoring"][1].value == 0.75
    assert rows["question stream, overshoot"][0] == 0.068
    assert np.isnan(rows["question stream, overshoot"][1])


def test_the_description_has_the_numbers():
    alt = exhibit(inputs_of(by_hand())).plot.alt
    assert alt.startswith(
        "Changes of accuracy in points, with 95 % intervals. Mean of 2 models. scene stream: "
    )
    assert "fragmenting −50.0 [" in alt
    assert "overshoot +25.0 [" in alt


def test_neither_stream():
    found = exhibit(inputs_of(random_study(["full", "concat-v"])))
    assert found.missing.endswith("--conditions full,sharded-q,recap-q,sharded-v,recap-v")
    assert (found.tables, found.plot) == ((), None)


def test_a_model_without_a_condition_has_no_row_of_numbers_and_there_is_no_mean():
    study = without(random_study(BOTH, models=2), "m1", "recap-v")
    found = exhibit(inputs_of(study))
    question, scene = found.tables
    assert np.isfinite([one.value for one in question.rows[-1][1:]]).all()
    assert np.isnan([one.value for one in (*scene.rows[1][1:], *scene.rows[2][1:])]).all()
    assert any("No value of m1" in note for note in scene.notes)
    assert "scene stream: fragmenting not known" in found.plot.alt

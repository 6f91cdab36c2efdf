import numpy as np
import pytest

from lvqa_eval.metrics.citations import MOST_TURNS, CitationCounts
from lvqa_eval.reports.layered.citations_figure import exhibit
from tests.support.studies import random_study, study_of
from tests.support.study_inputs import inputs_of, readings_of


def by_hand():
    """Two layers, in turns 1 and 2 of three; the first is cited 3, 1 and 0 times, the second 0, 2 and 2."""
    study = study_of(np.ones((1, 1, 2, 1)), ["recap-v"])
    cited = np.zeros((2, MOST_TURNS, MOST_TURNS), dtype=np.int64)
    chances = cited.copy()
    chances[:, :2, :3] = 4
    cited[0, 0, :2] = (2, 1)
    cited[1, 0, 0] = 1
    cited[0, 1, 1:3] = (2, 2)
    counts = (CitationCounts(cited, chances, 5),)
    return inputs_of(study, readings=readings_of(study, citations=counts))


def test_shares_by_turn_of_arrival():
    share, rate, on_arrival = exhibit(by_hand()).tables
    assert [[one.value for one in row[1:]] for row in share.rows] == [[0.75, 0.25, 0.0], [0.0, 0.5, 0.5]]
    assert [[one.value for one in row[1:]] for row in rate.rows] == [[3 / 8, 1 / 8, 0.0], [0.0, 2 / 8, 2 / 8]]
    assert [row[0] for row in share.rows] == ["1", "2"]
    assert [head.title for head in share.heads] == ["Arrived in turn", "turn 1, %", "turn 2, %", "turn 3, %"]
    assert on_arrival.rows[0][1].value == pytest.approx(5 / 8)


def test_what_it_rests_on():
    assert exhibit(by_hand()).basis == (
        ("Conditions", "recap-v"),
        ("Citations", "8; of 2 questions and 2 scenes that have any"),
        ("Chances to cite", "48 pairs of a layer and a reply"),
        ("Left out", "5 citations of layers never sent and images not in the message"),
    )


def test_reported_figures():
    rows = {row[0]: row[1:] for row in exhibit(by_hand()).reported.rows}
    assert rows["all layers"][0] == 0.4
    assert rows["all layers"][1].value == pytest.approx(5 / 8)
    assert rows["layers of the first turn"][0] == 0.12
    assert rows["layers of the first turn"][1].value == 0.75
    assert rows["layers of the sixth turn"][0] == 0.76
    assert np.isnan(rows["layers of the sixth turn"][1])


def test_the_description_has_the_numbers():
    alt = exhibit(by_hand()).plot.alt
    assert "by turn, 1: 75.0 %, 2: 50.0 %. Of all citations 62.5 [" in alt


def test_nothing_run_and_nothing_cited():
    assert exhibit(inputs_of(random_study(["full"]))).missing.endswith("--conditions sharded-v,recap-v")
    found = exhibit(inputs_of(random_study(["sharded-v"])))
    assert found.missing is None
    assert found.plot is None
    assert np.isnan(found.tables[2].rows[0][1].value)

"""What is told of many studies: coverage and effects by hand, then the whole script on a small size."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lvqa_eval.metrics.bootstrap import Estimate
from scripts.simulated.coverage import coverage, intervals, true_cells
from scripts.simulated.draw import draw, draw_votes
from scripts.simulated.effects import Effect, recovered, study_effects
from scripts.simulated.judges import judge_effects, truthfulness
from scripts.simulated.measure import Measured
from scripts.simulated.model import Size, stated_model
from scripts.simulated.population import population
from scripts.simulated.replies import read_replies, reply_effects

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "simulate_study.py"
SMALL = ("--assistants", "3", "--questions", "30", "--scenes", "10", "--repetitions", "1", "--judges", "3")


def test_coverage_counts_the_intervals_that_hold_the_truth():
    truth = np.array([0.5, 0.2])
    found = np.array([[[0.55, 0.25], [0.4, 0.2], [0.6, 0.3]], [[0.7, 0.1], [0.6, np.nan], [0.8, np.nan]]])
    one = coverage("accuracy", found, truth)
    assert one.covered.tolist() == [[1, 1], [0, 0]]
    assert (one.pooled, one.se, one.accepted) == (0.5, pytest.approx(0.5), False)
    np.testing.assert_allclose(one.error, [[0.05, 0.05], [0.2, -0.1]])
    np.testing.assert_allclose(one.width, [[0.2, 0.1], [0.2, np.nan]])


def effect(value, low, high, planted=-0.1):
    return [Effect("loss", planted, Estimate(value, low, high, 1, 1, 0))]


def test_an_effect_shows_where_its_mean_has_the_planted_sign_beyond_its_error():
    (one,) = recovered([effect(-0.1, -0.2, 0.0), effect(-0.2, -0.3, -0.15), effect(0.01, -0.2, 0.1)])
    assert one.mean == pytest.approx(-0.29 / 3)
    assert one.se == pytest.approx(np.std([-0.1, -0.2, 0.01], ddof=1) / np.sqrt(3))
    assert (one.same_sign, one.held, one.shows) == (pytest.approx(2 / 3), pytest.approx(2 / 3), False)
    (steady,) = recovered([effect(-0.1, -0.2, 0.0), effect(-0.11, -0.2, 0.0)])
    assert steady.shows
    (wrong,) = recovered([effect(0.1, 0.0, 0.2)])
    assert np.isnan(wrong.se)
    assert not wrong.shows
    faults = Measured({}, [steady, wrong], None).faults
    assert faults == ["loss: planted -0.100, found +0.100"]


def test_cells_of_studies_stand_where_their_true_values_stand():
    model = stated_model(Size(assistants=2, questions=40, scenes=12, repetitions=1, judges=2))
    drawn = draw(model, 0)
    found, true = intervals(drawn, drawn.study.weights(50)), true_cells(model)
    assert found.keys() == true.keys()
    assert {name: cells.shape for name, cells in found.items()} == {
        name: (3, len(cells)) for name, cells in true.items()
    }
    assert [len(true[name]) for name in ("accuracy", "delta", "grounded accuracy")] == [32, 30, 16]
    assert true["accuracy"][17] == population(model).accuracy[1, 1]
    assert found["accuracy"][0, 17] == np.nanmean(drawn.study.correct[1, 1])
    assert found["delta, mean of assistants"].shape == (3, 15)


def test_effects_of_a_large_study_come_near_to_what_was_planted():
    model = stated_model(Size(assistants=4, questions=1500, scenes=465, repetitions=1, judges=4))
    drawn = draw(model, seed=1)
    weights = drawn.study.weights(20)
    votes = draw_votes(drawn, 1)
    found = [*study_effects(drawn, weights), *judge_effects(drawn, votes, weights)]
    apart = {one.name: abs(one.found.value - one.planted) for one in found}
    groups = [name for name in apart if name.startswith("change under")]
    assert max(value for name, value in apart.items() if name not in groups and "raw" not in name) < 0.035
    assert max(apart[name] for name in groups) < 0.09
    panel = truthfulness(drawn, votes)
    assert panel.shows
    assert panel.consensus > 0.93 > panel.best > panel.worst > 0.8


def test_words_of_replies_hold_what_was_planted():
    model = stated_model(Size(assistants=2, questions=200, scenes=70, repetitions=1, judges=0))
    drawn = draw(model, seed=1)
    found = reply_effects(drawn, read_replies(drawn, 1), drawn.study.weights(20))
    apart = {one.name: abs(one.found.value - one.planted) for one in found}
    assert len(apart) == 10
    assert max(apart.values()) < 0.06
    assert apart["layers named under all-layers: recall"] < 0.02


def run(*options):
    return subprocess.run([sys.executable, SCRIPT, *options], capture_output=True, text=True, check=False)


def test_the_script_states_its_model_and_prints_both_tables():
    done = run("--studies", "2", "--draws", "40", *SMALL)
    assert "A final answer is right with probability Phi(x)" in done.stdout
    assert "2 studies, seed 0, 40 draws; each: 3 assistants, 30 questions, 10 scenes" in done.stdout
    assert "| accuracy | 48 |" in done.stdout
    assert "| concat-v less full | −18.7 |" in done.stdout
    assert done.returncode == (not done.stdout.endswith("every planted effect shows.\n"))
    assert done.stderr == ""  # no bar where there is no terminal


def test_the_script_refuses_a_folder_with_content(tmp_path):
    (tmp_path / "note.txt").write_text("mine")
    refused = run("--runs", str(tmp_path), *SMALL)
    assert refused.returncode == 1
    assert refused.stderr == f"Error: {tmp_path}: found content, allowed: an empty folder or a new one\n"

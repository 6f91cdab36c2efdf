"""From run folders to statistics: two models that held the same small run."""

import numpy as np
import pytest

from lvqa_eval.metrics.attempts import first_attempt, first_correct_attempt, turn_count
from lvqa_eval.metrics.citations import citations, count_citations
from lvqa_eval.metrics.commitment import commitment
from lvqa_eval.metrics.delivery import accuracy_table, cell_accuracy, cost_of_delivery
from lvqa_eval.metrics.scores import score_run
from lvqa_eval.metrics.study import Study
from lvqa_eval.metrics.ungrounded import evidence_turn, ungrounded
from lvqa_eval.metrics.verbosity import is_multi_turn, reply_characters, verbosity
from tests.support.small_run import CONDITIONS, small_run


@pytest.fixture
def runs(tmp_path):
    found = {}
    for model in ("a", "b"):
        store = small_run(tmp_path / model)
        found[model] = (
            store,
            store.read_conversations().records,
            store.read_judgements("exact-match").records,
        )
    return found


@pytest.fixture
def study(runs):
    return Study.join({model: score_run(*run) for model, run in runs.items()})


def test_accuracies_are_those_of_the_runs(study):
    weights = study.weights(100)
    table = accuracy_table(study, weights)
    assert table.columns == CONDITIONS
    # full: ten of twelve are right, and all have a verdict.
    full = table.at("a", "full")
    cell = cell_accuracy(study, "a", "full")
    assert (full.value, full.n, full.planned) == (cell.value, cell.valid, cell.planned)
    assert (full.value, full.n, full.planned) == (10 / 12, 12, 12)
    # sharded-v: + - - T - - and - + X - ? .; X, ? and . do not count, T is wrong.
    sharded = table.at("b", "sharded-v")
    assert (sharded.value, sharded.n, sharded.planned) == (2 / 9, 9, 12)
    assert cost_of_delivery(study, weights).of_field("sharded-v").n == 2 * 9


def test_readings_of_conversations_and_rulings(runs, study):
    def stacked(which, read):
        return np.stack([study.grid(run[which], read) for run in runs.values()])

    turns, multi = stacked(1, turn_count), stacked(1, is_multi_turn) == 1
    evidence, characters = stacked(1, evidence_turn), stacked(1, reply_characters)
    first, right = stacked(2, first_attempt), stacked(2, first_correct_attempt)
    aligned = study.conditions.index("aligned-vq")
    assert (turns[:, aligned] == 3).all()
    assert (evidence[:, aligned] == 2).all()
    weights = study.weights(50)
    # Layers 1 and 2 come in turns 1 and 2; every right answer is given in turn 1.
    found = ungrounded(study, right, evidence, weights, ["aligned-vq"])
    assert [found.table.at("a", column).value for column in found.table.columns] == [0.5, 1.0, 0.0]
    early = commitment(study, first, turns, weights, ["aligned-vq"])
    assert early.share.cells.value.tolist() == [[0, 1, 0, 0, 0]] * 2
    assert verbosity(study, characters, multi, weights).characters.at("a", "5").value == len("a circle")
    silent = citations(
        study, [count_citations(study, run[1], ["aligned-vq"]) for run in runs.values()], weights
    )
    assert silent.hit_rate.value[0, 0] == 0.0
    assert silent.hit_rate.n[0, 0] == 2 * 12

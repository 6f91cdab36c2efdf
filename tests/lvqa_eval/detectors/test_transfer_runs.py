"""Probes carried over between runs: which features are taken, and what the command prints and keeps."""

import numpy as np
import pytest
from click.testing import CliRunner

from lvqa_eval.detectors import transfer_runs
from lvqa_eval.detectors.cli import detect
from lvqa_eval.detectors.saved_transfer import read_transfer
from lvqa_eval.detectors.signals import Signals
from lvqa_eval.detectors.transfer import TransferError
from lvqa_eval.runs.store import RunStore
from tests.support.scored_runs import conversation, judgement, question, turn, write_run


def answered(folder, model, seed):
    """Twenty questions about as many scenes, half of the answers wrong."""
    wrong = np.random.default_rng(seed).permutation(20) < 10
    questions = [question(f"q{i:02}", f"s{i:02}") for i in range(20)]
    conversations = [
        conversation("full", one.question_id, turns=[turn(composite=True, reply="red")]) for one in questions
    ]
    judgements = [
        judgement("full", one.question_id, correct=not bad) for one, bad in zip(questions, wrong, strict=True)
    ]
    return write_run(
        folder, ["full"], 1, questions, conversations, {"exact-match": judgements}, model={"name": model}
    )


def states(answers, reader):
    """Hidden states in whose first number the verdict stands."""
    noise = np.random.default_rng(5).normal(size=(len(answers), 4)).astype(np.float32)
    noise[:, 0] += np.where(answers.incorrect, 3.0, -3.0)
    about = {"model": {"name": reader}, "rules": 1, "pictures": "as sent", "depth": 4}
    return Signals(reader, hidden=dict.fromkeys((2, 3, 4), noise), depth=4, about=about)


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """Two runs; `read` has for each the models that read its answers."""
    stores = [answered(tmp_path / f"model-{name}", f"model-{name}", seed) for seed, name in enumerate("ab")]
    read = {store.folder: ["reader"] for store in stores}
    monkeypatch.setattr(
        transfer_runs,
        "read_sources",
        lambda store, answers, features: tuple(states(answers, one) for one in read[store.folder]),
    )
    return stores, read


def test_the_command_prints_and_keeps_how_probes_carry_over(runs):
    stores, _ = runs
    folders = [str(store.folder) for store in stores]
    names = ["--detector", "answer-length", "--draws", "50", "--transfer"]
    done = CliRunner().invoke(detect, [*folders, *names], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert "The probe of one model on the answers of another (reader, full, 5 folds, seed 0)" in done.output
    assert done.output.count("100.0 [100.0, 100.0]") == 8
    for store in stores:
        matrix = read_transfer(RunStore.open(store.folder))
        assert matrix.models == ("model-a", "model-b")
        assert matrix.at("model-a", "model-b").auroc.mean == 1.0


@pytest.mark.parametrize(
    ("readers", "found"),
    [((["one"], ["other"]), "found 0"), ((["one", "other"], ["other", "one"]), "found 2")],
)
def test_one_reader_of_all_runs_is_needed(runs, readers, found):
    stores, read = runs
    read.update({store.folder: one for store, one in zip(stores, readers, strict=True)})
    folders = [str(store.folder) for store in stores]
    done = CliRunner().invoke(detect, [*folders, "--detector", "answer-length", "--draws", "5", "--transfer"])
    assert isinstance(done.exception, TransferError)
    assert found in str(done.exception)
    assert "lvqa features RUN… --model PATH" in str(done.exception)

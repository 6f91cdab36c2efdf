from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lvqa_eval.detectors import sources as module
from lvqa_eval.detectors.gather import gather_answers
from lvqa_eval.detectors.signals import NATIVE, PatchSignals, Signals, TokenSignals
from lvqa_eval.detectors.sources import SourcesError, has, missing, read_sources
from lvqa_eval.runs.records import TokenLogprobs
from lvqa_eval.runs.store import RunStore
from tests.support.detectors import Given
from tests.support.scored_runs import conversation, judgement, question, turn, write_run

EXACT = TokenSignals(np.array([-3.0]), np.array([1.0]), np.array([1.0]))
STATES = {4: np.zeros((2, 3), np.float32)}


def told_run(folder, logprobs=True):
    """Two answers; the server has told the log-probability of their one token."""
    told = TokenLogprobs(("red",), (-0.5,), ((-0.5, -2.0),), (0,)) if logprobs else None
    said = replace(turn(reply="red"), logprobs=told)
    questions = [question(f"q{i}", f"s{i}") for i in range(2)]
    held = [conversation("full", f"q{i}", turns=[said]) for i in range(2)]
    ruled = [judgement("full", f"q{i}", correct=i == 0) for i in range(2)]
    return write_run(folder, ["full"], 1, questions, held, {"exact-match": ruled})


@pytest.fixture
def read(tmp_path, monkeypatch):
    """Return what reads the sources of a run whose feature folders hold given signals."""

    def sources(held, *wanted, logprobs=True):
        from lvqa_eval.detectors.features import read as features

        folder = tmp_path / "run"
        store = RunStore.open(folder) if folder.exists() else told_run(folder, logprobs)
        monkeypatch.setattr(
            features, "feature_folders", lambda run: [run / "features" / name for name in held]
        )
        monkeypatch.setattr(features, "read_features", lambda folder, answers: held[folder.name])
        return read_sources(store, gather_answers(store, "exact-match", "full"), wanted)

    return sources


def test_every_run_has_its_words_and_what_its_server_told(read):
    answer, native = read({})
    assert (answer.source, native.source) == ("answer", NATIVE)
    assert [one.logprobs.tolist() for one in native.tokens] == [[-0.5], [-0.5]]
    assert native.about == {}


def test_a_run_without_log_probabilities_has_its_words_alone(read):
    assert [one.source for one in read({}, logprobs=False)] == ["answer"]


def test_proxies_come_behind_the_model_itself_by_name(read):
    held = {name: Signals(name, hidden=STATES) for name in ("small", "big")}
    assert [one.source for one in read(held)] == ["answer", NATIVE, "big", "small"]


def test_tokens_that_the_server_told_go_before_those_of_native_features(read):
    held = {"own": Signals(NATIVE, [EXACT] * 2, STATES, depth=4, about={"model": "some/model-4b"})}
    _, native = read(held)
    assert [one.logprobs.tolist() for one in native.tokens] == [[-0.5], [-0.5]]
    assert native.hidden is STATES
    assert native.about == {"model": "some/model-4b", "tokens": "as the server told them"}


def test_without_a_word_of_the_server_native_features_have_the_tokens(read):
    held = {"own": Signals(NATIVE, [EXACT] * 2, STATES)}
    _, native = read(held, logprobs=False)
    assert [one.logprobs.tolist() for one in native.tokens] == [[-3.0], [-3.0]]


def test_features_are_chosen_by_the_name_of_their_folder(read):
    held = {name: Signals(name, hidden=STATES) for name in ("big", "small")}
    assert [one.source for one in read(held, "small")] == ["answer", NATIVE, "small"]
    with pytest.raises(SourcesError, match="run: features: found other, allowed: big, small"):
        read(held, "small", "other")
    with pytest.raises(SourcesError, match=r"allowed: none yet; make some: lvqa features .*run --model PATH"):
        read({}, "big")


def test_two_folders_of_one_source_are_to_be_chosen_from(read):
    held = {name: Signals(NATIVE, hidden=STATES) for name in ("coarse", "fine")}
    with pytest.raises(SourcesError, match="coarse and fine hold features of native: choose one"):
        read(held)
    assert len(read(held, "fine")) == 2


def test_judges_come_last(read, monkeypatch):
    from lvqa_eval.detectors.verdicts import read as verdicts

    judged = [Signals("org-judge", verdicts=np.array([1.0, 0.0]), about={"judge": "org/judge"})]
    monkeypatch.setattr(verdicts, "verdict_signals", lambda run, answers: judged)
    assert [one.source for one in read({"big": Signals("big")})] == ["answer", NATIVE, "big", "org-judge"]


@pytest.mark.parametrize(
    ("signals", "held"),
    [
        (Signals("answer"), {"answer"}),
        (Signals("p", tokens=[None, EXACT]), {"tokens"}),
        (Signals("p", tokens=[None, None]), set()),
        (Signals("p", hidden=STATES), {"hidden"}),
        (Signals("p", patches=[PatchSignals({}, ()), None]), {"patches"}),
        (Signals("p", patches=[None]), set()),
        (Signals("j", verdicts=np.array([np.nan])), {"verdicts"}),
    ],
)
def test_what_a_source_holds(signals, held):
    assert {need for need in module._NEEDED if has(signals, need)} == held


def test_what_detectors_lack_is_told_with_the_command_that_makes_it():
    needs = {"a": "answer", "t": "tokens", "h": "hidden", "i": "hidden", "p": "patches", "v": "verdicts"}
    detectors = [Given([0.0], name, need) for name, need in needs.items()]
    held = [Signals("answer"), Signals("p", tokens=[EXACT])]
    assert list(missing(detectors, held, Path("runs/a b"))) == [
        "h, i: need hidden states; make them: lvqa features 'runs/a b' --model PATH",
        "p: needs states of image patches; make them: lvqa features 'runs/a b' --model PATH",
        "v: needs verdicts without the reference; make them: lvqa verdicts 'runs/a b' --judge NAME@URL",
    ]
    assert list(missing(detectors[1:2], held[:1], Path("runs/x"))) == [
        "t: needs log-probabilities of tokens; make them: lvqa features runs/x --model PATH, or a run with "
        "--logprobs 20"
    ]

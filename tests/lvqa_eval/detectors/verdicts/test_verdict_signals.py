"""Verdicts in a run's folder as signals, and the two detectors that read them."""

import math

import numpy as np
import pytest

from lvqa_eval.detectors.answers import Answer, Answers
from lvqa_eval.detectors.detector import DETECTORS
from lvqa_eval.detectors.model_as_judge import ModelAsJudge, ModelAsJudgeProb
from lvqa_eval.detectors.signals import Signals
from lvqa_eval.detectors.verdicts.read import verdict_signals
from lvqa_eval.detectors.verdicts.record import VerdictRecord
from lvqa_eval.detectors.verdicts.store import VerdictStore, verdict_judges
from lvqa_eval.runs.identity import IdentityChangedError
from lvqa_eval.runs.lines import LogInUseError
from lvqa_eval.runs.store import RunFolderError
from lvqa_eval.statuses import Status
from tests.support.scored_runs import conversation, question

NAN = math.nan


def record(name, incorrect=None, score=None, status=Status.OK):
    return VerdictRecord("full", name, 1, status, incorrect, score)


def keep(folder, judge, *records, **settings):
    with VerdictStore(folder, judge) as store:
        store.start({"judge": judge, **settings})
        for one in records:
            store.append(one)


@pytest.fixture
def answers():
    names = ("q1", "q2", "q3", "q4")
    items = [Answer(question(name, "s1"), conversation("full", name), name == "q1") for name in names]
    return Answers("some/model", "full", "exact-match", tuple(items), {})


def test_verdicts_stand_in_the_order_of_the_answers(tmp_path, answers):
    keep(
        tmp_path,
        "b.v2-judge",
        record("q3", False, 0.125),
        record("q1", True, 0.75),
        record("q2", status=Status.UNPARSABLE),
        record("other", True, 1.0),
    )
    keep(tmp_path, "a-judge", record("q4", True), record("q2", status=Status.TIMEOUT))
    assert verdict_judges(tmp_path) == ["a-judge", "b.v2-judge"]
    first, second = verdict_signals(tmp_path, answers)
    assert (first.source, first.about, first.verdict_scores) == ("a-judge", {"judge": "a-judge"}, None)
    np.testing.assert_array_equal(first.verdicts, [NAN, NAN, NAN, 1])
    assert second.source == "b.v2-judge"
    np.testing.assert_array_equal(second.verdicts, [1, NAN, 0, NAN])
    np.testing.assert_array_equal(second.verdict_scores, [0.75, NAN, 0.125, NAN])
    assert verdict_signals(tmp_path / "none", answers) == []


def test_the_detectors_give_verdicts_and_probabilities(answers):
    verdicts, scores = np.array([1, NAN, 0, 0]), np.array([0.75, NAN, 0.125, NAN])
    signals = Signals("judge", verdicts=verdicts, verdict_scores=scores)
    given = ModelAsJudge().read(answers, signals)
    assert given.binary
    np.testing.assert_array_equal(given.values, verdicts)
    ranked = ModelAsJudgeProb().read(answers, signals)
    assert not ranked.binary
    np.testing.assert_array_equal(ranked.values, scores)
    bare = ModelAsJudgeProb().read(answers, Signals("judge", verdicts=verdicts))
    np.testing.assert_array_equal(bare.values, [NAN] * 4)
    for name in ("model_as_judge", "model_as_judge_prob"):
        detector = DETECTORS.get(name)()
        assert (detector.name, detector.needs) == (name, "verdicts")


def test_a_verdict_beats_a_failure_whichever_comes_last(tmp_path):
    keep(
        tmp_path,
        "j",
        record("q1", status=Status.SERVER_ERROR),
        record("q1", True),
        record("q1", status=Status.TIMEOUT),
        record("q2", False),
        record("q2", True),
    )
    found = {key.question_id: one.incorrect for key, one in VerdictStore(tmp_path, "j").records().items()}
    assert found == {"q1": True, "q2": True}


def test_a_file_has_one_writer_and_one_way_of_asking(tmp_path):
    keep(tmp_path, "j", record("q1", True), seed=0)
    with VerdictStore(tmp_path, "j") as store:
        with pytest.raises(RunFolderError, match="not opened for appending"):
            store.append(record("q2", True))
        with pytest.raises(IdentityChangedError, match="seed: this run has 0, asked for 1"):
            store.start({"judge": "j", "seed": 1})
        store.check({"judge": "j"}, later=("seed",))
        store.start({"judge": "j", "seed": 0})
        with pytest.raises(LogInUseError), VerdictStore(tmp_path, "j") as other:
            other.start({"judge": "j", "seed": 0})
    (tmp_path / "verdicts" / "j.yaml").unlink()
    with VerdictStore(tmp_path, "j") as store, pytest.raises(RunFolderError, match=r"j\.yaml is missing"):
        store.start({"judge": "j", "seed": 0})

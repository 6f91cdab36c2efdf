import csv
import math

import pytest

from lvqa_eval.detectors.answer_length import AnswerLength
from lvqa_eval.detectors.detect import detect_run
from lvqa_eval.detectors.detector import DETECTORS
from lvqa_eval.detectors.summary import plain
from lvqa_eval.extensions import UnknownExtensionError
from lvqa_eval.runs.store import RunStore
from lvqa_eval.statuses import Status
from tests.support.scored_runs import conversation, judgement, question, turn, write_run

LONG, SHORT = "I am not sure but it may be red", "red"


def length_run(folder):
    """Long answers are wrong, but for one; one is cut off, one has no verdict."""
    questions = [question(f"q{i}", f"s{i}") for i in range(6)]
    answers = [(LONG, False), (LONG, False), (SHORT, True), (SHORT, True), ("a red circle", False)]
    conversations = [
        conversation("full", f"q{i}", turns=[turn(composite=True, reply="two words"), turn(reply=reply)])
        for i, (reply, _) in enumerate(answers)
    ]
    conversations += [
        conversation("full", "q5", status=Status.TRUNCATED, turns=[turn(composite=True, reply="so " * 99)]),
        conversation("oracle", "q0", turns=[turn([1, 2], reply=SHORT)]),
    ]
    judgements = [judgement("full", f"q{i}", correct=right) for i, (_, right) in enumerate(answers)]
    return write_run(folder, ["full", "oracle"], 1, questions, conversations, {"exact-match": judgements})


def test_the_built_in_detector_is_found_by_name():
    assert DETECTORS.names()[0] == "answer-length"
    assert DETECTORS.get("answer-length") is AnswerLength
    with pytest.raises(UnknownExtensionError, match="detectors: found 'oracle', allowed: answer-length"):
        DETECTORS.get("oracle")


@pytest.mark.parametrize(
    ("replies", "expected"),
    [
        (["one two", " It is  a\nred circle. "], 5.0),
        (["a"], 1.0),
        ([" "], math.nan),
        ([None], math.nan),
        ([], math.nan),
    ],
)
def test_answer_length_counts_the_words_of_the_last_reply(replies, expected):
    record = conversation("full", "q1", turns=[turn(reply=reply) for reply in replies])
    assert AnswerLength().score(question("q1", "s1"), record) == pytest.approx(expected, nan_ok=True)


def test_a_run_is_scored_and_the_scores_are_written(tmp_path):
    store = length_run(tmp_path / "run")
    summary = detect_run(store, "exact-match", AnswerLength())
    assert summary.path == store.folder / "detections" / "answer-length.csv"
    with summary.path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows == [
        ["judge", "condition", "question_id", "run", "scene_id", "score", "incorrect"],
        ["exact-match", "full", "q0", "1", "s0", "9.0", "1"],
        ["exact-match", "full", "q1", "1", "s1", "9.0", "1"],
        ["exact-match", "full", "q2", "1", "s2", "1.0", "0"],
        ["exact-match", "full", "q3", "1", "s3", "1.0", "0"],
        ["exact-match", "full", "q4", "1", "s4", "3.0", "1"],
    ]
    found = summary.by_condition["full"]
    assert (found.auroc, found.average_precision, found.prevalence, found.n) == (1.0, 1.0, 0.6, 5)
    assert summary.pooled == found
    # Of twelve planned: the truncated one, the one without a verdict, and five that were never held.
    assert summary.left_out == 7


def test_a_condition_of_one_class_is_undefined_and_the_mean_says_so(tmp_path):
    store = length_run(tmp_path / "run")
    with RunStore.open(store.folder) as writer:
        writer.start_judge("exact-match", {"judge": "exact-match"})
        writer.append_judgement("exact-match", judgement("oracle", "q0", correct=True))
    summary = detect_run(store, "exact-match", AnswerLength())
    assert math.isnan(summary.by_condition["oracle"].auroc)
    text = plain(summary)
    assert "Mean AUROC over conditions: 100.0, defined in 1 of 2." in text
    assert "Left out, without an answer or a verdict: 6 conversations." in text


def test_scores_of_nothing_to_say_are_empty(tmp_path):
    class Silent:
        name = "silent"

        def score(self, question, conversation):
            return math.nan

    summary = detect_run(length_run(tmp_path / "run"), "exact-match", Silent())
    assert summary.pooled.unscored == 5
    assert ",,1" in summary.path.read_text(encoding="utf-8")
    assert "full" in plain(summary)


def test_a_detector_cannot_write_elsewhere(tmp_path):
    class Elsewhere:
        name = "../elsewhere"

        def score(self, question, conversation):
            return 0.0

    with pytest.raises(ValueError, match=r"detector: name: found '\.\./elsewhere', allowed: a name without"):
        detect_run(length_run(tmp_path / "run"), "exact-match", Elsewhere())

"""From a run with detections in its folder to its report."""

import json
from dataclasses import replace

import numpy as np
import pytest

from lvqa_eval.detectors.answer_length import AnswerLength
from lvqa_eval.detectors.detect import Choices as DetectChoices
from lvqa_eval.detectors.detect import detect_run
from lvqa_eval.detectors.saved import DetectionsError, save_detections, save_scores
from lvqa_eval.detectors.saved_transfer import read_transfer, save_transfer
from lvqa_eval.detectors.transfer import Transfer, TransferMatrix
from lvqa_eval.reports.detectors.detected import Scorer
from lvqa_eval.reports.detectors.read import read_targets
from lvqa_eval.reports.parts import make_report
from lvqa_eval.reports.report import Choices
from lvqa_eval.reports.write import render_report
from lvqa_eval.runs.store import RunStore
from tests.support.detected_targets import quality
from tests.support.scored_runs import conversation, judgement, question, turn, write_run

LENGTH = Scorer("answer-length", "answer")
WORDS = ("a", "a b", "a b c", "a b c d", "a b c d e", "a b c d e f")


@pytest.fixture
def store(tmp_path):
    """Give a run of 36 answers about 12 scenes; of six lengths the longer ones are more often wrong."""
    questions = [question(f"q{i:02d}", f"s{i // 3:02d}") for i in range(36)]
    rng = np.random.default_rng(4)
    conversations, judgements = [], []
    for i, one in enumerate(questions):
        reply = WORDS[i % 6]
        conversations.append(
            conversation("full", one.question_id, turns=(turn(composite=True, reply=reply),))
        )
        judgements.append(judgement("full", one.question_id, correct=rng.random() > 0.15 * (i % 6)))
    return write_run(tmp_path / "run", ["full"], 1, questions, conversations, {"strict": judgements})


def detected(store):
    found = detect_run(store, "strict", "full", [AnswerLength()], choices=DetectChoices(folds=3, draws=20))
    save_detections(store, found.target)
    save_scores(store, found)
    return found


def test_what_was_saved_is_read_again(store):
    found = detected(store)
    (target,) = read_targets({"some/model": store}).targets
    assert (target.name, target.found) == ("some/model", found.target)
    assert target.answers.words.tolist() == [float(i % 6 + 1) for i in range(36)]
    assert target.answers.fold.tolist() == found.folds.of.tolist()
    assert target.answers.incorrect.tolist() == found.answers.incorrect.tolist()
    assert target.answers.cluster_of.tolist() == [i // 3 for i in range(36)]
    assert target.answers.scores[LENGTH].tolist() == target.answers.words.tolist()
    assert target.random.n == 36
    assert [one.detector for one in target.detections] == ["answer-length"]


def test_a_report_shows_them_and_only_where_there_are_any(store):
    bare = make_report([store.folder], Choices(draws=20)).parts[0]
    assert not [one for one in bare.exhibits if one.name.startswith("detectors")]
    detected(store)
    made = make_report([store.folder], Choices(draws=20))
    names = [one.name for one in made.exhibits if one.name.startswith("detectors")]
    assert names == [
        "detectors-targets",
        "detectors-balanced-accuracy",
        "detectors-auroc",
        "detectors-average-precision",
        "detectors-auroc-figure",
        "detectors-length",
        "detectors-terse-and-long",
    ]
    short = replace(
        made.parts[0],
        exhibits=tuple(one for one in made.exhibits if one.name.startswith("detectors")),
        conditions=None,
        field=(),
    )
    files = render_report(replace(made, parts=(short,)))
    assert {"figures/detectors-auroc-figure.svg", "figures/detectors-terse-and-long.png"} <= files.keys()
    page = files["index.html"]
    assert "Answers that detectors were set against" in page
    assert "nan" not in files["tables/detectors-auroc-1.csv"]
    assert json.loads(files["report.json"])["exhibits"][1]["label"] == ""


def test_conditions_and_models_name_the_targets(store):
    found = detected(store)
    record = replace(found.target, condition="sharded-v", words=(1.0, 9.0, 12.0))
    store.identity.settings["conditions"].append("sharded-v")
    save_detections(store, record)
    targets = read_targets({"some/model": store})
    assert [one.name for one in targets.targets] == ["some/model, full", "some/model, sharded-v"]
    assert targets.targets[1].answers is None


def test_runs_without_detections_are_named(store, tmp_path):
    detected(store)
    other = write_run(tmp_path / "other", ["full"], 1, [question("q00", "s00")], [], {"strict": []})
    assert read_targets({"some/model": store, "org/bare": other}).lacking == ("org/bare",)
    assert read_targets({"org/bare": other}) is None


def test_a_table_of_answers_that_is_not_that_of_the_record_is_refused(store):
    detected(store)
    path = store.folder / "detections" / "full.csv"
    path.write_text("\n".join(path.read_text().splitlines()[:-1]) + "\n")
    with pytest.raises(DetectionsError, match=r"full\.csv: found 35 answers under judge, .*, needed 36"):
        read_targets({"some/model": store})


def test_transfers_are_kept_in_each_run(store, tmp_path):
    other = write_run(tmp_path / "other", ["full"], 1, [question("q00", "s00")], [], {"strict": []})
    matrix = TransferMatrix(
        "native", "full", ("a", "b"), 3, 0, (Transfer("a", "b", 36, 0, quality(0.6), quality(None)),)
    )
    assert read_transfer(store) is None
    paths = save_transfer([store, other], matrix)
    assert [path.parent.parent.name for path in paths] == ["run", "other"]
    assert read_transfer(RunStore.open(other.folder)) == matrix
    assert read_targets({"a": store}) is None
    detected(store)
    assert read_targets({"a": store}).transfer == matrix
    paths[0].write_text("{}")
    with pytest.raises(DetectionsError, match=r"transfer\.json: no transfers"):
        read_transfer(store)

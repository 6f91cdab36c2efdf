import csv
import json
import math

import numpy as np
import pytest
from click.testing import CliRunner

from lvqa_eval.detectors.detect import Choices, detect, detect_run
from lvqa_eval.detectors.gather import gather_answers
from lvqa_eval.detectors.protocol import DetectorError
from lvqa_eval.detectors.saved import DetectionsError, read_detections, save_detections, save_scores
from lvqa_eval.detectors.signals import Signals
from lvqa_eval.detectors.summary import print_detected
from lvqa_eval.main import main
from lvqa_eval.runs.store import RunStore
from lvqa_eval.statuses import Status
from tests.support.answered_pages import JUDGE, answered_run
from tests.support.detectors import Given, Learner
from tests.support.page_studies import page
from tests.support.scored_runs import conversation, judgement, question, turn, write_run

FEW = Choices(folds=3, draws=100)
LONG, SHORT = "I am not sure but it may be red", "red"


def layered_run(folder, conditions=("full",)):
    """Thirty questions about ten scenes; of three answers one is wrong, and mostly long. One is cut off."""
    questions = [question(f"q{i:02d}", f"s{i // 3}") for i in range(30)]
    wrong = [i % 3 == 0 for i in range(30)]
    replies = [LONG if bad == (i % 7 != 0) else SHORT for i, bad in enumerate(wrong)]
    held = [
        conversation(one, f"q{i:02d}", turns=[turn(composite=True, reply=reply)])
        if i < 29
        else conversation(one, "q29", status=Status.TRUNCATED)
        for one in conditions
        for i, reply in enumerate(replies)
    ]
    ruled = [judgement(one, f"q{i:02d}", correct=not wrong[i]) for one in conditions for i in range(29)]
    return write_run(folder, list(conditions), 1, questions, held, {"exact-match": ruled})


@pytest.fixture
def store(tmp_path):
    return layered_run(tmp_path / "run")


@pytest.fixture
def answers(store):
    return gather_answers(store, "exact-match", "full")


def test_each_detector_is_asked_once_a_source_that_has_what_it_needs(answers):
    asked = []

    class Asked(Given):
        def read(self, answers, signals):
            asked.append((self.name, signals.source))
            return super().read(answers, signals)

    states = {4: np.zeros((29, 2))}
    verdicts = answers.incorrect * 1.0
    sources = [
        Signals("answer"),
        Signals("native", hidden=states, about={"layers": [4]}),
        Signals("proxy", hidden=states),
        Signals("org-judge", verdicts=verdicts),
    ]
    detectors = [
        Asked(np.arange(29.0), "states", "hidden"),
        Asked(np.arange(29.0), "tokens", "tokens"),
        Asked(verdicts, "asked", "verdicts", binary=True),
    ]
    found = detect(answers, "layered-vqa", sources, detectors, FEW)
    assert asked == [("states", "native"), ("states", "proxy"), ("asked", "org-judge")]
    assert list(found.scores) == [
        "answer-length@answer",
        "states@native",
        "states@proxy",
        "asked@org-judge",
    ]
    assert [(one.detector, one.source) for one in found.target.detections][-1] == ("random", "answer")
    assert found.target.settings["sources"] == {"native": {"layers": [4]}}


def test_the_record_says_what_was_measured_on_what(answers):
    target = detect(answers, "layered-vqa", [Signals("answer")], [], FEW).target
    assert (target.model, target.condition, target.judge) == ("some/model-4b", "full", "exact-match")
    assert (target.answers, target.incorrect, target.documents) == (29, 10, 10)
    assert target.left_out == {"truncated": 1}
    assert target.words == (1.0, 1.0, 9.0)
    told = {name: target.settings[name] for name in ("folds", "folds_wanted", "fold_seed", "draws", "seed")}
    assert told == {"folds": 3, "folds_wanted": 3, "fold_seed": 0, "draws": 100, "seed": 0}
    assert set(target.settings["versions"]) == {"lvqa", "numpy", "scikit-learn"}
    length, random = target.detections
    assert (length.detector, length.n, length.unscored) == ("answer-length", 29, 0)
    assert sum(one.n for one in random.folds) == 29


def test_all_detectors_share_one_map_of_folds_and_one_set_of_draws(answers):
    one = Given(answers.words, "one")
    target = detect(answers, "layered-vqa", [Signals("answer")], [one], FEW).target
    length, again, _ = target.detections
    assert length.folds == again.folds
    assert (length.auroc, length.balanced_accuracy) == (again.auroc, again.balanced_accuracy)
    assert [(line.value, line.low, line.high) for line in target.differences] == [(0.0, 0.0, 0.0)] * 3


def test_the_same_seeds_give_the_same_bytes_and_others_do_not(store, tmp_path):
    def written(**seeds):
        found = detect_run(store, "exact-match", "full", [], choices=Choices(folds=3, draws=100, **seeds))
        return save_detections(store, found.target).read_bytes(), save_scores(store, found).read_bytes()

    first, again = written(), written()
    assert first == again
    assert written(seed=1)[0] != first[0]
    assert written(seed=1)[1] == first[1]
    assert written(fold_seed=3)[1] != first[1]


def test_a_detector_without_a_single_score_is_named_and_has_no_row(answers):
    found = detect(answers, "layered-vqa", [Signals("answer")], [Given([math.nan] * 29, "silent")], FEW)
    assert [one.detector for one in found.target.detections] == ["answer-length", "random"]
    assert found.missing == ("silent@answer: no answer has a score",)


@pytest.mark.parametrize("name", ["random", "twin"])
def test_names_of_detectors_are_their_own(answers, name):
    detectors = [Given(np.zeros(29), name), Given(np.zeros(29), "twin")]
    with pytest.raises(DetectorError, match=f"detectors: found {name} more than once, allowed: once"):
        detect(answers, "layered-vqa", [Signals("answer")], detectors, FEW)


def test_detectors_that_all_lack_their_input_are_refused_with_the_command(store):
    with pytest.raises(DetectorError, match=r"states: needs hidden states; make them: lvqa features .*run "):
        detect_run(store, "exact-match", "full", [Given(np.zeros(29), "states", "hidden")])


def test_what_was_written_is_read_again(store):
    learner = Learner(lambda train, test: (np.arange(len(train)) * 1.0, np.arange(len(test)) * 1.0))
    found = detect_run(store, "exact-match", "full", [learner], choices=FEW)
    assert read_detections(store) == {}
    path = save_detections(store, found.target)
    assert path == store.folder / "detections" / "full.json"
    assert read_detections(store) == {"full": found.target}
    path.write_text('{"model": 3}')
    with pytest.raises(
        DetectionsError, match=r"full\.json: no detections: Expected `str`, got `int`.*lvqa detect"
    ):
        read_detections(store)


def test_every_answer_is_written_with_its_scores(store):
    values = np.arange(29.0)
    values[:3] = math.nan, math.inf, 0.1
    found = detect_run(store, "exact-match", "full", [Given(values, "own")], choices=FEW)
    with save_scores(store, found).open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    first = ["judge", "question_id", "run", "cluster", "words", "fold", "incorrect"]
    assert head == [*first, "answer-length@answer", "own@answer"]
    assert len(rows) == 29
    folds = [row.pop(5) for row in rows]
    assert folds == [str(fold + 1) for fold in found.folds.of]
    assert set(folds) == {"1", "2", "3"}
    assert rows[:3] == [
        ["exact-match", "q00", "1", "s0", "1", "1", "1.0", ""],
        ["exact-match", "q01", "1", "s0", "1", "0", "1.0", "inf"],
        ["exact-match", "q02", "1", "s0", "1", "0", "1.0", "0.1"],
    ]


def shown(found, capsys):
    print_detected(found)
    return capsys.readouterr().out


def test_the_summary_shows_figures_noise_and_what_is_missing(answers, capsys):
    verdicts = answers.incorrect * 1.0
    verdicts[:2] = math.nan
    sources = [Signals("answer"), Signals("org-judge", verdicts=verdicts)]
    detectors = [Given(verdicts, "asked", "verdicts", binary=True)]
    found = detect(answers, "layered-vqa", sources, detectors, FEW, ("probe: needs more",))
    text = shown(found, capsys)
    lines = [line.split() for line in text.splitlines()]
    length = found.target.detections[0]
    row = next(line for line in lines if line[:2] == ["answer-length", "answer"])
    assert row[2] == f"{length.balanced_accuracy.mean * 100:.1f}"
    assert row[3:5] == [
        f"[{length.balanced_accuracy.low * 100:.1f},",
        f"{length.balanced_accuracy.high * 100:.1f}]",
    ]
    assert row[5] == f"{length.auroc.mean * 100:.1f}"
    assert row[-2:] == ["29", "0"]
    asked = next(line for line in lines if line[:2] == ["asked", "org-judge"])
    assert asked[2:5] == ["100.0", "[100.0,", "100.0]"]
    assert asked[5:] == ["-", "-", "27", "2"]
    assert "Answers    29 about 10 scenes, 34.5 % incorrect; words (quartiles) 1, 1, 9" in text
    assert "Left out   1 truncated" in text
    assert "Folds      3, by scene, seed 0; figures are means" in text
    assert "asked of org-judge: 2 without a verdict are left out; balanced accuracy 100.0 if all" in text
    assert "Of such scores 95 % have an AUROC from " in text
    assert "10 scenes are few for a bootstrap" in text
    assert "provisional: exact text match" in text
    assert "not measured: probe: needs more" in text


def test_the_summary_says_over_how_many_folds_a_mean_goes(tmp_path, capsys):
    pages = [page(f"p{i:02d}", f"d{i // 4}") for i in range(12)]
    said = {one.question_id: ("a b" if i < 2 else "a", i not in (0, 4)) for i, one in enumerate(pages)}
    store = RunStore.open(answered_run(tmp_path / "run", "org/model-9B", pages, said))
    text = shown(detect_run(store, JUDGE, "default", []), capsys)
    assert "Folds      3 of 5 wanted, by document, seed 0" in text
    row = next(line for line in text.splitlines() if line.startswith("answer-length"))
    assert "in 2 of 3" in row


def test_answers_that_are_all_right_say_so(tmp_path, capsys):
    pages = [page(f"p{i}", f"d{i}") for i in range(6)]
    said = {one.question_id: ("a", True) for one in pages}
    store = RunStore.open(answered_run(tmp_path / "run", "org/model-9B", pages, said))
    text = shown(detect_run(store, JUDGE, "default", []), capsys)
    assert "No fold has both correct and incorrect answers: nothing can be told apart." in text


def test_the_command_prints_and_writes_each_run_and_condition(tmp_path):
    folder = layered_run(tmp_path / "layered", ("full", "sharded-v")).folder
    pages = [page(f"p{i:02d}", f"d{i // 2}") for i in range(24)]
    said = {one.question_id: ("a b" if i % 3 else "a", i % 3 > 0) for i, one in enumerate(pages)}
    other = answered_run(tmp_path / "pages", "org/model-9B", pages, said)
    options = ["--detector", "answer-length", "--draws", "50", "--folds", "3"]
    command = ["detect", str(folder), *options, "--condition", "sharded-v", "--condition", "full"]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 0, done.output
    assert done.output.count("\nFolds ") == 2
    assert done.output.index("sharded-v") < done.output.index("Condition  full")
    assert sorted(path.name for path in (folder / "detections").iterdir()) == [
        *("full.csv", "full.json", "sharded-v.csv", "sharded-v.json")
    ]
    assert list(read_detections(RunStore.open(folder))) == ["full", "sharded-v"]

    done = CliRunner().invoke(main, ["detect", str(folder), str(other), *options])
    assert done.exit_code == 0, done.output
    assert [line for line in done.output.splitlines() if line.startswith("Condition")] == [
        "Condition  full",
        "Condition  default",
    ]
    found = json.loads((other / "detections" / "default.json").read_text())
    assert (found["benchmark"], found["model"], found["judge"]) == ("bear-bench", "org/model-9B", JUDGE)
    # Right answers have two words, wrong ones one: the length points the wrong way.
    assert found["detections"][0]["auroc"]["mean"] == 0.0


def test_every_installed_detector_runs_without_a_name(tmp_path):
    folder = layered_run(tmp_path / "run").folder
    done = CliRunner().invoke(main, ["detect", str(folder), "--draws", "20"])
    assert done.exit_code == 0, done.output
    assert "not measured: max_prob, mean_prob, log_likelihood" in done.output
    assert "--model PATH" in done.output
    assert f"lvqa verdicts {folder} --judge NAME@URL" in done.output


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--detector", "oracle"], "Error: detectors: found 'oracle', allowed: answer-length, "),
        (["--condition", "oracle"], "condition: found 'oracle', allowed: full"),
        (["--judge", "nobody"], "judge: found 'nobody', allowed: exact-match"),
        (["--features", "none"], "features: found none, allowed: none yet; make some: lvqa features "),
    ],
)
def test_what_is_not_there_is_one_error(tmp_path, arguments, told):
    folder = layered_run(tmp_path / "run").folder
    done = CliRunner().invoke(main, ["detect", str(folder), *arguments])
    assert done.exit_code == 1
    assert told in done.output
    assert not (folder / "detections").exists()

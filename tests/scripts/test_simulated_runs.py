"""A simulated study as run folders: read back, verified, and accepted by a panel."""

import shutil
from pathlib import Path

import pytest

from lvqa_eval.judging.panel_report import make_panel
from lvqa_eval.metrics.scores import score_run
from lvqa_eval.reports.choice import choose_judge
from lvqa_eval.runs.store import RunStore
from lvqa_eval.runs.verify import verify
from scripts.simulated.draw import draw
from scripts.simulated.model import Size, stated_model
from scripts.simulated.patterns import CONDITIONS
from scripts.simulated.runs import RunsFolderError, write_runs

SMALL = Size(assistants=4, questions=12, scenes=5, repetitions=2, judges=3)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    return write_runs(tmp_path_factory.mktemp("simulated") / "runs", SMALL, seed=2)


def test_every_run_is_whole_and_says_that_it_is_simulated(folders):
    assert [folder.name for folder in folders] == [f"simulated-0{number}" for number in range(1, 5)]
    for folder in folders:
        found = verify(folder)
        assert found.problems == []
        assert found.plan.size == 16 * 12 * 2
        settings = RunStore.open(folder).identity.settings
        assert settings["model"]["name"] == folder.name
        assert settings["dataset"]["name"] == "simulated"
        assert settings["simulated"]["study"]["questions"] == 12
        assert settings["conditions"] == list(CONDITIONS)


def test_what_is_read_back_is_what_was_drawn(folders):
    drawn = draw(stated_model(SMALL), seed=2)
    for place, folder in enumerate(folders):
        store = RunStore.open(folder)
        assert store.judges() == [*drawn.model.judges, "simulated-reader.post-hoc"]
        conversations = store.conversations()
        assert len(conversations) == 384
        scores = score_run(store, conversations, store.judgements("simulated-reader.post-hoc"))
        there = ~drawn.missing[place]
        assert (scores.correct[there] == drawn.right[place][there]).all()
        assert [one.depth for one in scores.questions] == [one.depth for one in drawn.questions.records]


def test_the_same_seed_writes_the_same_bytes(folders, tmp_path):
    again = write_runs(tmp_path / "again", SMALL, seed=2)[:1]
    files = [path for path in sorted(again[0].rglob("*")) if path.is_file()]
    assert len(files) == 11
    for path in files:
        assert path.read_bytes() == (folders[0] / path.relative_to(again[0])).read_bytes(), path


def test_a_panel_forms_its_consensus(folders, tmp_path):
    judged = [Path(shutil.copytree(folder, tmp_path / folder.name)) for folder in folders]
    report = make_panel(judged, None, None, draws=50, seed=0)
    assert report.kept == ("consensus",)
    assert dict(report.header)["Assistants"] == "simulated-01, simulated-02, simulated-03, simulated-04"
    preferred = next(table for table in report.tables if table.name == "self_preference")
    assert [row[0] for row in preferred.rows] == ["simulated-01", "simulated-02", "simulated-03", "mean"]
    assert choose_judge(RunStore.open(judged[3])) == "consensus"


def test_a_folder_with_content_is_left_alone(tmp_path):
    (tmp_path / "note.txt").write_text("mine")
    with pytest.raises(RunsFolderError, match="found content, allowed: an empty folder or a new one"):
        write_runs(tmp_path, SMALL, seed=0)
    assert [path.name for path in tmp_path.iterdir()] == ["note.txt"]

"""`lvqa runs list`: every run in one line, also where one is broken."""

import json
import os
import re
import time

import pytest
from click.testing import CliRunner

from lvqa_eval.main import main
from lvqa_eval.runs.overview import list_runs
from lvqa_eval.runs.store import RunFolderError
from tests.support.small_run import small_run

MOMENT = 1_769_862_600
"""2026-01-31 12:30 UTC."""


@pytest.fixture
def runs(tmp_path, monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    store = small_run(tmp_path / "runs" / "small")
    for path in [*store.folder.rglob("*")]:
        os.utime(path, (MOMENT, MOMENT))
    yield tmp_path / "runs"
    monkeypatch.undo()
    time.tzset()


def listed(*arguments):
    result = CliRunner().invoke(main, ["runs", "list", *map(str, arguments)])
    return result.exit_code, result.output


def test_a_run_is_one_line(runs):
    code, output = listed(runs)
    head, rule, row = output.splitlines()
    assert code == 0
    assert re.split("  +", head) == [
        "Run",
        "Model",
        "Dataset",
        "Conditions",
        "Done",
        "Not ok",
        "Judges",
        "Last change",
    ]
    assert set(rule) == {"-", " "}
    assert [cell.strip() for cell in row.split("  ") if cell] == [
        "small",
        "some/model-4b",
        "layered-vqa 1.0.0",
        "4",
        "46/48",
        "1 truncated, 1 empty, 1 timeout",
        "exact-match",
        "2026-01-31 12:30",
    ]


def test_everything_is_there_as_json(runs):
    code, output = listed(runs, "--json")
    assert code == 0
    assert json.loads(output) == [
        {
            "name": "small",
            "folder": str(runs / "small"),
            "model": "some/model-4b",
            "dataset": "layered-vqa 1.0.0",
            "conditions": ["full", "sharded-v", "aligned-vq", "misaligned-vq"],
            "done": 46,
            "planned": 48,
            "not_ok": {"truncated": 1, "empty": 1, "timeout": 1},
            "judges": {"exact-match": 43},
            "changed": "2026-01-31T12:30:00+00:00",
            "unread_lines": 0,
            "fault": None,
        }
    ]


def test_a_broken_run_does_not_hide_the_others(runs):
    for name, text in (("a-torn", "model: [1"), ("b-planless", "model: m\nruns: 0\n")):
        (runs / name).mkdir()
        (runs / name / "run.yaml").write_text(text)
        (runs / name / "questions.jsonl").touch()
    with (runs / "small" / "conversations.jsonl").open("ab") as file:
        file.write(b'{"condition":"full","quest')
    (runs / "no-run").mkdir()
    code, output = listed(runs)
    lines = output.splitlines()
    assert code == 0
    assert [line.split("  ")[0] for line in lines[2:5]] == ["a-torn", "b-planless", "small"]
    assert "1 truncated, 1 empty, 1 timeout, 1 unread lines" in lines[4]
    assert lines[5].startswith(f"a-torn: {runs}/a-torn/run.yaml: not readable as YAML: ")
    assert (
        lines[6]
        == f"b-planless: {runs}/b-planless/run.yaml: conditions: found None, allowed: a list of names"
    )
    assert len(lines) == 7


def test_baselines_are_planned_beside_conditions(tmp_path):
    small_run(tmp_path / "run", baselines={"question-only": "hash"})
    (run,) = list_runs(tmp_path)
    assert run.conditions == ("full", "sharded-v", "aligned-vq", "misaligned-vq", "question-only")
    assert (run.done, run.planned) == (46, 60)


def test_a_run_lists_itself_and_an_empty_place_says_so(runs, tmp_path):
    assert [run.name for run in list_runs(runs / "small")] == ["small"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(RunFolderError, match="empty: found no run"):
        list_runs(tmp_path / "empty")
    with pytest.raises(RunFolderError, match="nowhere: no such folder"):
        list_runs(tmp_path / "nowhere")

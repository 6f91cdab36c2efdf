"""`lvqa report` from the command line."""

import pytest
from click.testing import CliRunner

from lvqa_eval.main import main
from lvqa_eval.reports.layered import all_exhibits
from tests.support.made_reports import exhibits
from tests.support.small_run import small_run

TABLES = [f"tables/conditions.{kind}" for kind in ("csv", "md", "tex")]


@pytest.fixture(autouse=True)
def two_exhibits(monkeypatch):
    made = [lambda _inputs, one=one: one for one in exhibits()[2:]]
    monkeypatch.setattr(all_exhibits, "EXHIBITS", tuple(made))


@pytest.fixture
def lvqa(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(*words):
        return CliRunner().invoke(main, [str(word) for word in words])

    return run


def test_one_run_is_reported_in_its_own_folder(lvqa, tmp_path):
    small_run(tmp_path / "runs" / "one")
    done = lvqa("report", "runs/one", "--draws", 50)
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert lines[0].startswith("Model      some/model-4b")
    assert [line.split()[1] for line in lines if line.startswith("full ")] == ["83.3"]
    assert lines[-4:] == [
        "",
        "1 of 2 exhibits made",
        "not made: Table 4. First commitment. No judge has ruled turn by turn. Let one do so: "
        "lvqa judge one other --judge NAME@URL",
        "report: runs/one/report/index.html",
    ]
    for name in ("index.html", "report.json", *TABLES, "tables/rankings.csv"):
        assert (tmp_path / "runs/one/report" / name).is_file()
    again = lvqa("report", "runs/one", "--draws", 50)
    assert again.output == done.output


def test_several_runs_need_a_place_of_their_own(lvqa, tmp_path):
    for name in ("one", "other"):
        small_run(tmp_path / name, model={"name": f"org/{name}"})
    refused = lvqa("report", "one", "other")
    assert refused.exit_code == 2
    assert "--out: where the report of several runs goes" in refused.output
    done = lvqa("report", "one", "other", "--draws", 50, "--relational", "spatial", "--out", "both")
    assert done.exit_code == 0, done.output
    assert "Mean of 2 models" in done.output
    assert done.output.endswith("report: both/index.html\n")
    page = (tmp_path / "both/index.html").read_text(encoding="utf-8")
    assert (
        "lvqa report one other --judge exact-match --relational spatial --draws 50 --seed 0 --out report"
        in page
    )
    assert not (tmp_path / "both/tables/conditions.csv").exists()


def test_a_folder_with_other_things_is_refused_before_anything_is_read(lvqa, tmp_path):
    small_run(tmp_path / "one")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.tex").write_text("mine")
    done = lvqa("report", "one", "--out", "out")
    assert done.exit_code == 1
    assert done.output.startswith("Error: out: holds what is not of a report's making (thesis.tex)")
    assert (tmp_path / "out" / "thesis.tex").read_text() == "mine"


def test_unknown_categories_are_refused_with_those_that_there_are(lvqa, tmp_path):
    small_run(tmp_path / "one")
    done = lvqa("report", "one", "--relational", "spatial,colour")
    assert done.exit_code == 1
    assert "relational: found colour, allowed: spatial" in done.output

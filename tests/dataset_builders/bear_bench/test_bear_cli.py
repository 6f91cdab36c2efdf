"""The group of commands: their order, how counts are printed, and all stages in one call."""

import pytest
from click.testing import CliRunner

from dataset_builders.bear_bench.cli import bear
from dataset_builders.bear_bench.counts import StageCount, counted
from dataset_builders.bear_bench.records import Drop
from lvqa_eval.main import main
from tests.support.bear_work import bear_work

STAGES = ["licence", "render", "classify", "density", "sample"]


def test_the_stages_are_listed_in_their_order():
    listed = bear.list_commands(None)
    assert listed[: len(STAGES) + 2] == [
        "collect",
        *STAGES,
        *(["quality"] if "quality" in listed else ["finish"]),
    ]
    shown = CliRunner().invoke(main, ["build", "--help"]).output
    assert "bear " in shown
    assert "layered-vqa" in shown


def test_a_count_shows_groups_in_their_order_and_reasons_by_frequency():
    drops = [Drop(id=str(number), stage="x", reason=reason) for number, reason in enumerate("abbccc")]
    count = counted("render", "pages", 1234, drops, ["science", "business", "science"])
    assert list(count.lines()) == [
        "render: 1,234 pages kept, 6 dropped",
        "  kept           1  business",
        "  kept           2  science",
        "  dropped        3  c",
        "  dropped        2  b",
        "  dropped        1  a",
    ]


@pytest.fixture
def stages(monkeypatch):
    """Put in the place of each stage what writes down how it was called."""
    called = []
    for name in STAGES:
        command = bear.commands[name]
        monkeypatch.setattr(command, "callback", lambda _name=name, **given: called.append((_name, given)))
    return called


def test_all_takes_every_stage_with_its_own_defaults(stages, tmp_path):
    work = tmp_path / "work"
    ran = CliRunner().invoke(main, ["build", "bear", "all", str(work), "--dpi", "100", "--workers", "2"])
    assert ran.exit_code == 0, ran.output
    assert [name for name, _ in stages] == STAGES
    given = dict(stages)
    assert given["render"]["dpi"] == 100
    assert (given["licence"]["workers"], given["density"]["workers"]) == (2, 2)
    # Not given, so that each stage has its own.
    assert (given["sample"]["seed"], given["sample"]["per_language"], given["density"]["percentile"]) == (
        42,
        1500,
        67,
    )
    assert {one["work"].folder for one in given.values()} == {work}
    assert ran.stdout == f"{work}: next: lvqa annotate bear {work}; then: lvqa build bear finish {work}\n"


def test_all_writes_the_dataset_where_there_are_questions(stages, tmp_path):
    work, out = bear_work(tmp_path / "work", pages=1), tmp_path / "bear-bench"
    ran = CliRunner().invoke(main, ["build", "bear", "all", str(work.folder), "--out", str(out)])
    assert ran.exit_code == 0, ran.output
    assert ran.stdout.endswith(f"{out}: 4 pages, version 1.0.0\n")
    assert (out / "manifest.json").is_file()


def test_a_count_of_nothing_is_told_too():
    assert list(StageCount("finish", "pages", 0).lines()) == ["finish: 0 pages kept, 0 dropped"]

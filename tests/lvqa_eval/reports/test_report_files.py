"""The files of a report: what each holds, that they come whole, and that nothing else is lost for them."""

import csv
import json
from dataclasses import replace

import pytest

from lvqa_eval.reports import write
from lvqa_eval.reports.conditions.table import condition_table
from lvqa_eval.reports.stems import check_names
from lvqa_eval.reports.write import OccupiedError, check_free, write_report
from tests.support.made_reports import exhibits, made_part, made_report, made_source
from tests.support.small_run import small_run

TABLES = ("table-1-1", "table-1-2", "table-1-reported", "figure-2", "rankings")


def files(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    return write_report(made_report(), tmp_path_factory.mktemp("made") / "deep" / "report").parent


def test_every_table_and_figure_has_its_files(written):
    tables = [f"tables/{name}.{kind}" for name in TABLES for kind in ("csv", "md", "tex")]
    assert files(written) == sorted(
        ["index.html", "report.json", "figures/figure-2.svg", "figures/figure-2.png", *tables]
    )


def test_a_table_has_all_beside_it_that_it_needs(written):
    with (written / "tables/table-1-1.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert rows[0]["concat-v, points"] == "-0.200000"
    assert rows[0]["concat-v, points coverage"] == "1.000000"
    text = (written / "tables/table-1-1.md").read_text(encoding="utf-8")
    assert text.startswith("# Table 1. Cost of delivery\n\n- Models: org/one-4b, org/other-72b\n")
    assert "- Coverage: 100.0 %\n- Definition: Accuracy less that of full, paired.\n" in text
    assert "| Mean of 2 models | 0.0 [−2.0, +2.0] |" in text
    latex = (written / "tables/table-1-1.tex").read_text(encoding="utf-8")
    assert "% Definition: Accuracy less that of full, paired.\n" in latex
    assert latex.count(r"\midrule") == 2


def test_the_manifest_names_what_shaped_the_report_and_every_file(written):
    told = json.loads((written / "report.json").read_bytes())
    assert told["files"] == files(written)
    assert told["runs"][1] == {
        "run": "other",
        "benchmark": "layered-vqa",
        "model": "org/other-72b",
        "identity": "0123abcd",
        "dataset": {"name": "layered-vqa", "version": "1.0.0", "manifest_sha256": "ab" * 32},
        "judge": "consensus",
        "post_hoc": None,
        "judges": {"consensus": "4567cdef"},
    }
    assert (told["draws"], told["seed"]) == (100, 0)
    assert told["relational"] == ["spatial", "counting", "multi_hop"]
    by_name = {one["name"]: one for one in told["exhibits"]}
    assert by_name["figure-2"]["files"][-2:] == ["figures/figure-2.svg", "figures/figure-2.png"]
    assert (by_name["table-4"]["files"], by_name["table-1"]["missing"]) == ([], None)
    assert by_name["table-4"]["missing"].startswith("No judge has ruled turn by turn.")


def test_the_page_shows_the_figure_that_is_written(written):
    svg = (written / "figures/figure-2.svg").read_text(encoding="utf-8").strip()
    text = (written / "index.html").read_text(encoding="utf-8")
    assert svg[: svg.index(">")] in text
    assert text.count("<path ") == svg.count("<path ")


def test_the_same_report_gives_the_same_bytes(written, tmp_path):
    again = write_report(made_report(), tmp_path / "again").parent
    for name in files(written):
        assert (written / name).read_bytes() == (again / name).read_bytes(), name


def test_one_run_has_its_condition_table_among_them(tmp_path):
    table = condition_table(small_run(tmp_path / "run"), "exact-match", draws=50)
    part = made_part(sources=(made_source(),), conditions=table, exhibits=())
    write_report(made_report(part), tmp_path / "out")
    tables = [f"tables/conditions.{kind}" for kind in ("csv", "md", "tex")]
    assert files(tmp_path / "out") == ["index.html", "report.json", *tables]


def test_an_older_report_leaves_nothing_behind(tmp_path):
    out = tmp_path / "report"
    few = made_report(made_part(exhibits=exhibits()[2:]))
    write_report(replace(few, parts=(made_part(exhibits=exhibits()[3:]),)), out)
    write_report(few, out)
    assert files(out) == [
        "index.html",
        "report.json",
        *(f"tables/rankings.{kind}" for kind in ("csv", "md", "tex")),
    ]
    write_report(made_report(made_part(exhibits=())), out)
    assert files(out) == ["index.html", "report.json"]
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


def test_a_report_that_fails_leaves_the_older_one_as_it_was(tmp_path, monkeypatch):
    out = tmp_path / "report"
    write_report(made_report(made_part(exhibits=())), out)
    before = (out / "index.html").read_bytes()
    monkeypatch.setattr(write, "render_report", lambda _: {"index.html": "half", "tables/a.csv": None})
    with pytest.raises(TypeError):
        write_report(made_report(), out)
    assert (out / "index.html").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


def test_a_folder_with_other_files_is_not_replaced(tmp_path):
    out = tmp_path / "report"
    check_free(out)
    write_report(made_report(made_part(exhibits=())), out)
    check_free(out)
    (out / "tables").mkdir()
    (out / "tables" / "notes.txt").write_text("mine")
    with pytest.raises(OccupiedError) as error:
        write_report(made_report(), out)
    assert str(error.value) == (
        f"{out}: holds what is not of a report's making (tables/notes.txt), and a report takes the whole "
        "folder; name another with --out, or move these away"
    )
    for number in range(4):
        (tmp_path / f"{number}.txt").write_text("")
    with pytest.raises(OccupiedError, match=r"\(0\.txt, 1\.txt, 2\.txt and 4 more\)"):
        check_free(tmp_path)


def test_two_exhibits_of_one_name_are_refused():
    one, *_ = exhibits()
    with pytest.raises(ValueError, match=r"found the name\(s\) table-1 more than once"):
        check_names((one, replace(one, label="Table 2")))
    with pytest.raises(ValueError, match=r"found the name\(s\) runs more than once"):
        check_names((replace(one, name="runs"),))
    check_names((one, replace(one, paper="bear-bench")))

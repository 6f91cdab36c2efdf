"""From pages to verdicts, consensus, report and comparison, as the command line does it; figures by hand."""

import csv
import json

import pytest
from click.testing import CliRunner

from lvqa_eval.main import main
from lvqa_eval.reports.bear import error_types
from lvqa_eval.reports.bear.join import page_inputs
from lvqa_eval.reports.bear.ocr_counts import OcrCount, write_ocr_counts
from lvqa_eval.reports.bear.tags import ERROR_TAGS, ErrorTagsError, read_tags
from lvqa_eval.runs.records import Key
from lvqa_eval.runs.store import RunStore
from tests.support.page_folder import page_folder
from tests.support.page_talker import Talker
from tests.support.scored_runs import question, write_run
from tests.support.steady_server import steady_server

CONDITIONS = "default,cot,downsample-2"


def lvqa(*words, code=0):
    result = CliRunner().invoke(main, [str(word) for word in words])
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture(scope="module")
def held(tmp_path_factory):
    """Give the folder of a run that everything of it was judged by two models, and by their consensus."""
    folder = tmp_path_factory.mktemp("pages")
    dataset = page_folder(folder / "bear-bench")
    run = folder / "runs" / "one"
    with steady_server(reply=Talker(), names=("talker", "strict", "lenient")) as url:
        about = ("--model", "talker", "--base-url", url, "--dataset", dataset, "--out", run)
        asked = ("--conditions", CONDITIONS, "--baseline", "question-only")
        told = lvqa("run", "--benchmark", "bear", *about, *asked)
        assert "32 of 32 conversations; held now: 1 empty, 1 refused, 1 truncated" in told
        # Without a protocol judges are asked as the benchmark has it.
        lvqa("judge", run, "--judge", "exact-match", "--judge", f"strict@{url}", "--judge", f"lenient@{url}")
        lvqa("panel", run)
    return run


@pytest.fixture(scope="module")
def report(held, tmp_path_factory):
    """Write the report of the run under the strict judge; what the command printed, and the folder."""
    folder = tmp_path_factory.mktemp("reported")
    count = OcrCount("docvqa", "image", 3, 0, (0, 1, 2), (10, 20, 60), {}, "tesseract 5")
    write_ocr_counts(folder / "ocr.json", {"DocVQA": count})
    words = ("--judge", "strict.xml", "--draws", 50, "--ocr", folder / "ocr.json")
    return lvqa("report", held, *words, "--out", folder / "report"), folder / "report"


def rows_of(path):
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_judges_are_asked_in_xml_and_rule_on_what_ended_well(held):
    store = RunStore.open(held)
    assert store.judges() == ["consensus", "exact-match", "lenient.xml", "strict.xml"]
    assert store.judge_identity("strict.xml").settings["protocol"] == "xml"
    ruled = store.judgements("strict.xml")
    assert len(ruled) == 32
    right = {key.question_id for key, one in ruled.items() if key.condition == "default" and one.is_correct}
    assert right == {"business-en-1", "business-ru-1", "science-en-1"}
    assert ruled[Key("default", "business-en-1", 1)].reasoning == "By the reference."
    assert ruled[Key("default", "science-en-2", 1)].flags == ("not asked: the conversation is empty",)
    plain = store.judgements("exact-match")
    assert {key: one.final_turn_correct for key, one in plain.items()} == {
        key: one.final_turn_correct for key, one in ruled.items()
    }


def test_the_table_of_one_run(report):
    told, folder = report
    lines = [line.split() for line in told.splitlines()]
    assert ["Questions", "8", "in", "4", "documents"] in lines
    assert "document-cluster bootstrap, 50 draws" in told
    # Three of eight; of the Russian pages one of four, of which one was cut off.
    assert ["overall", "8", "4", "37.5"] in [line[:4] for line in lines]
    assert [line[-3:] for line in lines if line[:1] == ["ru"]] == [["4", "100.0", "25.0"]]
    assert ["ru-business", "2", "1", "50.0", "2", "100.0", "50.0"] in lines
    assert ["ru-science", "2", "1", "0.0", "2", "100.0", "0.0"] in lines
    assert "11 of 13 exhibits made" in told
    assert "not made: Figure 4. Types of errors." in told
    assert "not made: Tables 6 to 8. Detectors of wrong answers." in told
    by_condition = {row["Condition"]: row for row in rows_of(folder / "tables/bear-overview-1.csv")}
    assert {name: row["Accuracy, %"] for name, row in by_condition.items()} == {
        "default": "0.375000",
        "cot": "0.875000",
        "downsample-2": "0.125000",
        "question-only (baseline)": "0.000000",
    }
    assert [by_condition[name]["Less default, points"] for name in ("cot", "downsample-2")] == [
        "0.500000",
        "-0.250000",
    ]
    assert by_condition["default"]["Truncated, %"] == "0.125000"
    (default, *_) = rows_of(folder / "tables/bear-overview-2.csv")
    counted = ("Planned", "Right", "Wrong", "Truncated", "Refused", "Empty", "Missing")
    assert [default[name] for name in counted] == ["8", "3", "2", "1", "1", "1", "0"]


def test_every_table_and_figure_of_the_paper_is_written(report):
    _, folder = report
    manifest = json.loads((folder / "report.json").read_text())
    assert [one["label"] for one in manifest["exhibits"]] == [
        "",
        *(f"Table {n}" for n in range(1, 6)),
        *(f"Figure {n}" for n in range(2, 8)),
        "Tables 6 to 8",
    ]
    assert {one["benchmark"] for one in manifest["runs"]} == {"bear-bench"}
    for number in (2, 3, 5, 6, 7):
        assert (folder / f"figures/bear-figure-{number}.svg").is_file()
    (row,) = rows_of(folder / "tables/bear-table-5.csv")
    # 2, 2, 2, 3, 3 and 3 words; with four of thinking in one reply of 2.
    assert (row["answer, words"], row["answer and thinking, words"]) == ("2.500000", "3.000000")
    assert row["truncated, %"] == "0.125000"
    (gain,) = rows_of(folder / "tables/bear-table-3.csv")
    assert gain["gain, points"] == "0.500000"
    texts = {row["Benchmark"]: row["Mean, characters"] for row in rows_of(folder / "tables/bear-table-1.csv")}
    # Heights of 180, 97, and of 52 and 56 three times, over 1,000.
    assert texts == {"DocVQA": "30.000000", "BEAR-Bench": "1075.125000"}
    page = (folder / "index.html").read_text()
    assert "lvqa report one --judge strict.xml --ocr ocr.json --draws 50 --seed 0" in page
    assert '<p class="kind">BEAR-Bench report</p>' in page


def test_the_consensus_is_reported_where_nobody_is_named(held):
    inputs = page_inputs([held], draws=20)
    assert inputs.judge == "consensus"
    assert inputs.baselines is not None
    assert inputs.baselines.conditions == ("question-only",)
    # An even split of two judges is wrong: the consensus is as strict as the strict one.
    assert float(inputs.study.of(["default"]).mean()) == 3 / 8
    assert dict(inputs.header)["Judge"] == "consensus of lenient.xml, strict.xml"


def test_tags_of_wrong_answers_make_the_figure_of_error_types(held):
    path = held / ERROR_TAGS
    wrong = {"condition": "default", "question_id": "business-en-2", "run": 1}
    path.write_text(json.dumps({**wrong, "tags": ["C3", "C4"]}) + "\n")
    try:
        found = error_types.exhibit(page_inputs([held], "strict.xml", draws=20))
        (row,) = found.tables[1].rows
        # Model, wrong, tagged, C1 to C5, none.
        assert row == ("talker", 2, 1, 0, 0, 1, 1, 0, 0)
        path.write_text(json.dumps({**wrong, "tags": ["C9"]}) + "\n[]\n")
        with pytest.raises(ErrorTagsError) as caught:
            read_tags(held)
        assert "default, question business-en-2, run 1: tags: found 'C9', allowed: C1, C2" in str(
            caught.value
        )
        assert "line 2" in str(caught.value)
    finally:
        path.unlink()
    assert read_tags(held) is None


def test_runs_over_other_pages_or_splits_make_no_report(held, tmp_path):
    with steady_server(reply=Talker()) as url:
        dataset = held.parents[1] / "bear-bench"
        about = ("--model", "talker", "--base-url", url, "--dataset", dataset, "--language", "ru")
        lvqa("run", "--benchmark", "bear", *about, "--out", tmp_path / "russian")
    lvqa("judge", tmp_path / "russian", "--judge", "exact-match")
    assert "Split      language ru" in lvqa("runs", "show", tmp_path / "russian")
    words = ("report", held, tmp_path / "russian", "--judge", "exact-match", "--out", tmp_path / "both")
    told = lvqa(*words, code=1)
    assert f"split: {held} has nothing, {tmp_path / 'russian'} has {{language: ru}}" in told
    assert "question business-en-1: talker" in told
    header = dict(page_inputs([tmp_path / "russian"], draws=20).header)
    assert (header["Split"], header["Questions"]) == ("language ru", "4 in 2 documents")


def test_two_runs_are_compared_by_condition_and_cell(held, tmp_path):
    told = lvqa("compare", held, held, "--judge", "strict.xml", "--out", tmp_path / "compared", "--draws", 50)
    lines = [line.split() for line in told.splitlines()]
    assert ["default", "37.5", "37.5", "0.0", "[0.0,", "0.0]", "8", "100.0", "100.0", "0", "0"] in lines
    assert [line[:4] for line in lines if line[:2] == ["category:", "ru-science"]] == [
        ["category:", "ru-science", "33.3", "33.3"]
    ]
    assert "4 documents are few for a bootstrap" in told
    assert "2 in 1 documents" not in told
    layered = write_run(tmp_path / "layered", ["full"], 1, [question("q1", "s1")], [], {"strict.xml": []})
    told = lvqa("compare", held, layered.folder, "--judge", "strict.xml", code=1)
    assert "benchmark: A has bear-bench, B has layered-vqa" in told


def test_a_page_that_flipped_is_shown_with_its_picture(held, tmp_path):
    dataset = held.parents[1] / "bear-bench"
    with steady_server(reply=_all_wrong) as url:
        about = ("--model", "talker", "--base-url", url, "--dataset", dataset, "--conditions", CONDITIONS)
        lvqa("run", "--benchmark", "bear", *about, "--out", tmp_path / "wrong")
    lvqa("judge", tmp_path / "wrong", "--judge", "exact-match")
    words = ("--judge", "exact-match", "--dataset", dataset, "--out", tmp_path / "compared", "--draws", 20)
    told = lvqa("compare", held, tmp_path / "wrong", *words)
    # Right before: three by default, seven with steps, one on smaller pages.
    assert "Questions that flipped: 0 to right, 11 to wrong" in told
    page = (tmp_path / "compared" / "index.html").read_text()
    assert page.count("data:image/webp;base64,") >= 11
    assert "the page, turn 1" in page
    flips = rows_of(tmp_path / "compared" / "flips.csv")
    assert {row["category"] for row in flips} == {"en-business", "ru-business", "en-science", "ru-science"}


def test_runs_are_checked_and_exported(held, tmp_path):
    import pyarrow.parquet as parquet

    assert "no problems; 32 of 32 conversations are final" in lvqa("runs", "verify", held, "--complete")
    told = lvqa("export", held, "--out", tmp_path / "out")
    assert "32 conversations, 128 judgements, 8 questions" in told
    table = parquet.read_table(tmp_path / "out" / "conversations.parquet")
    assert set(table.column("source_document").to_pylist()) == {
        f"{domain}-{language}" for domain in ("business", "science") for language in ("en", "ru")
    }


def test_what_needs_layers_says_so(held):
    told = lvqa("sample-size", "--from", held, "--judge", "strict.xml", code=1)
    assert "found a run of bear-bench, needed one of layered-vqa" in told


def test_the_plan_of_a_run_over_pages(held):
    dataset = held.parents[1] / "bear-bench"
    words = ("run", "--benchmark", "bear", "--model", "nobody/model", "--dataset", dataset, "--plan")
    told = [line.split() for line in lvqa(*words).splitlines()]
    assert ["default", "8", "8", "8", "8", "1"] in [line[:6] for line in told]
    assert not [line for line in told if line[:1] in (["cot"], ["downsample-2"])]


def _all_wrong(body):
    usage = {"prompt_tokens": 1, "completion_tokens": 1}
    message = {"role": "assistant", "content": "nothing"}
    return {"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}

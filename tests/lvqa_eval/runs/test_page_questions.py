"""Runs over pages: their questions in the run folder, and what reads any run."""

import json

import pytest

from lvqa_eval.judging.exact_match import ExactMatchJudge
from lvqa_eval.judging.run import judge_run
from lvqa_eval.metrics.scores import score_pages, score_run
from lvqa_eval.metrics.study import Study, StudyError
from lvqa_eval.runs.export import ExportError, export_runs
from lvqa_eval.runs.identity import IdentityChangedError
from lvqa_eval.runs.overview import overview
from lvqa_eval.runs.pictures import Name, PictureRecord
from lvqa_eval.runs.records import PageRecord, QuestionRecord
from lvqa_eval.runs.store import RunFolderError, RunStore
from lvqa_eval.runs.transcript import Labels, transcript
from lvqa_eval.runs.verify import verify
from tests.support.page_studies import page
from tests.support.scored_runs import conversation, judgement, question, turn, write_run

PAGES = [page("q2", "report", reasoning_steps=None), page("q1", "report", language="ru", page=7)]


def said(name, reply):
    return conversation("default", name, turns=(turn(composite=True, reply=reply),))


def page_run(folder, replies=("42", "41"), judgements=None, **settings):
    return write_run(
        folder,
        ["default"],
        1,
        PAGES,
        [said(one.question_id, reply) for one, reply in zip(PAGES, replies, strict=True)],
        judgements or {},
        **{"benchmark": "bear-bench", "sampling": {}, "seed": 0, "user": None, **settings},
    )


def test_pages_stand_in_the_run_as_they_were_given(tmp_path):
    store = page_run(tmp_path / "run")
    assert list(store.questions().values()) == PAGES
    assert store.questions_of(PageRecord)["q2"].reasoning_steps is None
    line = json.loads((tmp_path / "run" / "questions.jsonl").read_text().splitlines()[1])
    assert (line["question_id"], line["language"], line["page"]) == ("q1", "ru", 7)
    assert (line["contains_tables"], line["source_document"]) == (False, "report")
    assert "cluster" not in line


def test_a_run_is_resumed_with_the_same_pages_alone(tmp_path):
    identity = page_run(tmp_path / "run").identity
    with RunStore.create_or_resume(tmp_path / "run", identity, PAGES) as store:
        assert len(store.finished()) == 2
    with pytest.raises(IdentityChangedError, match=r"q1\.page: this run has 7, asked for 8"):
        RunStore.create_or_resume(
            tmp_path / "run", identity, [PAGES[0], page("q1", "report", language="ru", page=8)]
        )


def test_a_run_that_names_no_benchmark_is_of_layered_scenes(tmp_path):
    for name, settings in (("old", {}), ("new", {"benchmark": "layered-vqa"})):
        store = write_run(tmp_path / name, ["full"], 1, [question("q1", "s1")], [], {}, **settings)
        assert type(store.questions()["q1"]) is QuestionRecord


def test_a_run_of_another_benchmark_is_refused_by_name(tmp_path):
    store = page_run(tmp_path / "run")
    with pytest.raises(RunFolderError, match="run: found a run of bear-bench, needed one of layered-vqa"):
        store.questions_of(QuestionRecord)
    with pytest.raises(RunFolderError, match="needed one of layered-vqa"):
        score_run(store, {}, {})
    layered = write_run(tmp_path / "layered", ["full"], 1, [question("q1", "s1")], [], {})
    with pytest.raises(RunFolderError, match="found a run of layered-vqa, needed one of bear-bench"):
        score_pages(layered, {}, {})


def test_an_unknown_benchmark_is_named_with_what_is_allowed(tmp_path):
    folder = tmp_path / "run"
    page_run(folder)
    path = folder / "run.yaml"
    path.write_text(path.read_text().replace("bear-bench", "bare-bench"))
    told = "run.yaml: benchmark: found 'bare-bench', allowed: layered-vqa, bear-bench"
    with pytest.raises(RunFolderError, match=told):
        RunStore.open(folder)
    assert told in overview(folder).fault
    assert [line for line in verify(folder).problems if told in line]


def test_a_sound_run_of_pages_has_no_problem(tmp_path):
    page_run(tmp_path / "run")
    assert verify(tmp_path / "run").problems == []
    damaged = tmp_path / "run" / "questions.jsonl"
    damaged.write_text(damaged.read_text().replace('"page":7', '"page":"7"'))
    assert any("page: Expected `int`, got `str`" in line for line in verify(tmp_path / "run").problems)


async def test_answers_about_pages_are_judged_and_scored(tmp_path):
    page_run(tmp_path / "run")
    with RunStore.open(tmp_path / "run") as store:
        await judge_run(store, ExactMatchJudge(), in_flight=2)
        scores = score_pages(store, store.conversations(), store.judgements("exact-match"))
    assert [one.question_id for one in scores.questions] == ["q1", "q2"]
    assert scores.correct.tolist() == [[[0.0], [1.0]]]
    assert (scores.scenes, scores.scene_of.tolist()) == (("report",), [0, 0])


def test_runs_over_pages_are_joined_and_differences_named(tmp_path):
    store = page_run(tmp_path / "run", judgements={"j": [judgement("default", "q1")]})
    scores = score_pages(store, store.conversations(), store.judgements("j"))
    assert Study.join({"a": scores, "b": scores}).correct.shape == (2, 1, 2, 1)
    other = score_pages(store, {}, {})
    changed = type(scores)(
        other.conditions, (page("q1", "paper"), *other.questions[1:]), other.correct, other.outcome
    )
    with pytest.raises(StudyError) as caught:
        Study.join({"a": scores, "b": changed})
    assert "q1: source_document: a has 'report', b has 'paper'" in str(caught.value)
    assert "q1: language: a has 'ru', b has 'en'" in str(caught.value)


def test_a_conversation_about_a_page_is_shown_with_its_document():
    labels = Labels(_Label(), _Label())
    picture = PictureRecord("q1", None, "0" * 64, "1" * 64, 9, 850, 1100, 1700, 2200, 0.5, 0, 0)
    found = transcript(PAGES[1], said("q1", "41"), {}, {Name("q1", None): picture}, labels)
    told = [f"{line.label}: {line.text}" for line in found]
    assert told[0] == ": default, question q1, run 1: ok"
    assert told[1] == "page: 7 of report; ru, business, 10-K"
    assert told[2:4] == ["question: What is the total?", "answer: 42"]
    assert any("850x1100, of 1700x2200" in line for line in told)
    assert not any(line.startswith("evidence") for line in told)


class _Label:
    name, sha256 = "composite_label", ""

    def fill(self, **_):
        return "Page"


def test_runs_over_pages_are_exported_with_their_own_columns(tmp_path):
    import pyarrow.parquet as parquet

    page_run(tmp_path / "run")
    assert export_runs([tmp_path / "run"], tmp_path / "out") == {
        "conversations": 2,
        "judgements": 0,
        "questions": 2,
    }
    questions = parquet.read_table(tmp_path / "out" / "questions.parquet")
    assert questions.column("reasoning_steps").to_pylist() == [3, None]
    assert questions.column("contains_tables").to_pylist() == [False, False]
    conversations = parquet.read_table(tmp_path / "out" / "conversations.parquet")
    assert conversations.column("source_document").to_pylist() == ["report", "report"]
    write_run(tmp_path / "layered", ["full"], 1, [question("q1", "s1")], [], {})
    with pytest.raises(ExportError) as caught:
        export_runs([tmp_path / "run", tmp_path / "layered"], tmp_path / "both", allow_mixed=True)
    assert str(caught.value).splitlines() == [
        "runs of different benchmarks; export each by itself:",
        "  layered-vqa: layered",
        "  bear-bench: run",
    ]

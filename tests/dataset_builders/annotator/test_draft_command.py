"""`lvqa annotate draft`: which questions are drafted, what is kept, and what the next call goes on with."""

import asyncio
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from dataset_builders.annotator import actions
from dataset_builders.annotator.contents import Draft, SceneContent
from dataset_builders.annotator.draft_cli import draft
from dataset_builders.annotator.problems import problems
from dataset_builders.annotator.store import Store, StoreError
from dataset_builders.layered_vqa.annotation.prompts import PromptsError, load_prompts
from lvqa_eval.errors import LvqaError
from tests.support.annotations import error_store, scene_store, write
from tests.support.chat_server import error, hangs, says, serving
from tests.support.draft_replies import ASKED, EVIDENCE, PASS, REVISED, SHARDS, changed, drafting_steps
from tests.support.judged_runs import models

ROOT = Path(__file__).resolve().parents[3]
PREFLIGHT = [says(), says()]
ASKS = SceneContent(question=ASKED.question, answer="red", answer_description="a colour", category="spatial")
GOOD = [SHARDS, EVIDENCE, PASS]


@pytest.fixture
def work(tmp_path):
    """Fill a work folder: one question about each of three scenes, all with the author."""
    store = scene_store(tmp_path / "work", scenes=3)
    for item in store.items():
        write(store, item.id, "author", "Ann", ASKS, finish=False)
    store.close()
    return tmp_path / "work"


async def call(work, *replies, model="org/model", options=("--concurrency", "1")):
    """Return the result of the command and the requests after those of the preflight."""
    async with serving(*PREFLIGHT, *drafting_steps(*replies), routes=[models(model)]) as server:
        words = [str(work), "--model", model, "--url", server.url, *options]
        result = await asyncio.to_thread(CliRunner().invoke, draft, words)
    assert result.exception is None or isinstance(result.exception, LvqaError), result.exception
    return result, server.bodies[len(PREFLIGHT) :]


def kept(work):
    """Return the drafts of each item, in order."""
    store = Store.open(work)
    found = {
        one.id: [Draft.model_validate_json(stored.draft) for stored in store.drafts(one.id)]
        for one in store.items()
    }
    store.close()
    return found


async def test_drafts_are_kept_with_their_verdicts_and_can_be_finished_as_they_are(work):
    result, _ = await call(work, *GOOD, SHARDS, EVIDENCE, REVISED, "no", "no")
    assert result.output.splitlines() == ["left alone: none", "drafts: 1 flagged, 1 passed, 1 revised"]
    assert result.exit_code == 0
    (first,), (second,), (third,) = kept(work).values()
    assert (first.verdict, first.issues, first.model) == ("pass", (), "org/model")
    assert problems(first.content, depth=5) == []
    assert (first.content.question, first.content.minimal_sets) == (ASKED.question, ((1, 2),))
    assert [(one.span, one.support) for one in first.content.shards] == [
        *(((0, 11), ()), ((19, 25), (1,)), ((26, 44), (1, 2))),
    ]
    assert first.details["roles"] == [{"layer": 1, "role": "target"}, {"layer": 2, "role": "anchor"}]
    assert (first.details["confidence"], first.details["seed"]) == (90, 0)
    assert second.verdict == "revised"
    assert second.issues == ("gold_layers: The star is needed too.",)
    assert second.content.minimal_sets == ((1, 2, 3),)
    assert third.verdict == "flag_for_human"
    assert third.issues[0].startswith("shard: reply: one-object: found none")
    assert third.content == ASKS
    store = Store.open(work)
    item = store.items()[0].id
    number = store.newest(item, "author").number
    saved = actions.save(store, item, "author", "Ann", number, first.content)
    assert actions.finish(store, item, "author", "Ann", saved.revision.number).stage == "check"
    assert store.newest(item, "author").draft_outcome == "accepted"


async def test_every_reply_and_the_hash_of_every_prompt_is_kept(work):
    broken = changed(EVIDENCE, "distractors", [0])
    await call(work, SHARDS, broken, EVIDENCE, PASS, *GOOD, *GOOD)
    details = next(iter(kept(work).values()))[0].details
    prompts = load_prompts()
    assert (details["prompts"], details["prompts_sha256"]) == (prompts.hashes, prompts.sha256)
    assert [(one["call"], one["attempt"], one["status"]) for one in details["calls"]] == [
        *(("shard", 1, "ok"), ("evidence", 1, "ok"), ("evidence", 2, "ok"), ("verify", 1, "ok")),
    ]
    assert details["calls"][1]["faults"] == [
        "distractors: exact-complement: found {0}, allowed: {0, 3, 4}",
    ]
    assert '"distractors": [0]' in details["calls"][1]["reply"]


async def test_what_is_drafted_is_left_alone_by_the_same_model_and_prompts(work, tmp_path):
    await call(work, *GOOD * 3)
    result, bodies = await call(work)
    assert (result.output, bodies) == ("left alone: 3 drafted before\n", [])
    _, bodies = await call(work, *GOOD * 3, model="org/other")
    assert len(bodies) == 9
    folder = tmp_path / "prompts"
    folder.mkdir()
    (folder / "shard.md").write_text("Split it. $rules", encoding="utf-8")
    _, bodies = await call(work, *GOOD * 3, options=("--concurrency", "1", "--prompts", str(folder)))
    assert bodies[0]["messages"][0]["content"].startswith("Split it. ")
    assert [len(drafts) for drafts in kept(work).values()] == [3, 3, 3]
    hashes = [one.details["prompts_sha256"] for one in next(iter(kept(work).values()))]
    assert hashes[0] == hashes[1] == load_prompts().sha256
    assert hashes[2] == load_prompts(folder).sha256


async def test_a_question_that_was_changed_is_drafted_again(work):
    await call(work, *GOOD * 3)
    store = Store.open(work)
    item = store.items()[1].id
    write(store, item, "author", "Ann", ASKS.model_copy(update={"answer": "blue"}), finish=False)
    store.close()
    result, bodies = await call(work, *GOOD)
    assert result.output.splitlines() == ["left alone: 2 drafted before", "drafts: 1 passed"]
    assert len(bodies) == 3
    assert [one.content.answer for one in kept(work)[item]] == ["red", "blue"]


async def test_only_questions_that_are_asked_and_with_their_author_are_drafted(work):
    store = Store.open(work)
    first, second, third = (one.id for one in store.items())
    made = actions.new_question(store, "s1", "Ann")
    write(store, first, "author", "Ann", SceneContent(decision="reject", note="Blurred."))
    write(store, second, "author", "Ann", ASKS.model_copy(update={"category": "colour"}), finish=False)
    store.close()
    result, bodies = await call(work, *GOOD)
    assert result.output.splitlines() == [
        "left alone: 1 no longer with their author, 2 without question, answer or category",
        "drafts: 1 passed",
    ]
    assert len(bodies) == 3
    assert {item: len(drafts) for item, drafts in kept(work).items()} == {
        first: 0,
        second: 0,
        third: 1,
        made: 0,
    }


async def test_failures_of_the_serving_are_told_never_kept_and_tried_again(work):
    result, _ = await call(work, *GOOD, SHARDS, error(400, "no"), error(400, "maximum context length is 9"))
    assert result.output.splitlines() == [
        "left alone: none",
        "drafts: 1 context_overflow, 1 passed, 1 server_error",
    ]
    assert result.exit_code == 1
    assert str(result.exception) == "2 question(s) failed in serving: the same command tries them again"
    assert [len(drafts) for drafts in kept(work).values()] == [1, 0, 0]
    result, bodies = await call(work, *GOOD * 2)
    assert (result.exit_code, len(bodies)) == (0, 6)


async def test_an_interrupted_call_keeps_what_it_had_and_the_next_goes_on(work):
    steps = drafting_steps(*GOOD, SHARDS, hangs)
    async with serving(*PREFLIGHT, *steps, routes=[models("org/model")]) as server:
        # A shell lets what it starts in the background ignore interrupts.
        listens = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
        program = f"{listens}; from dataset_builders.annotator.draft_cli import draft; draft()"
        words = [str(work), "--model", "org/model", "--url", server.url, "--concurrency", "1"]
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", program, *words), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        while len(server.bodies) < len(PREFLIGHT) + len(steps):
            assert process.returncode is None
            await asyncio.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, told = await process.communicate()
    assert out.decode().splitlines() == ["left alone: none", "drafts: 1 passed"]
    assert process.returncode == 1
    assert told.decode().splitlines()[-1].endswith("DraftError: interrupted: the same command goes on")
    assert [len(drafts) for drafts in kept(work).values()] == [1, 0, 0]
    result, bodies = await call(work, *GOOD * 2)
    assert result.output.splitlines() == ["left alone: 1 drafted before", "drafts: 2 passed"]
    assert len(bodies) == 6


async def test_wrong_folders_are_told_before_anything_is_asked(work, tmp_path):
    error_store(tmp_path / "errors").close()
    result, bodies = await call(tmp_path / "errors")
    assert isinstance(result.exception, StoreError)
    assert bodies == []
    (tmp_path / "empty").mkdir()
    result, _ = await call(tmp_path / "empty")
    assert "begin with: lvqa annotate" in str(result.exception)
    result, _ = await call(work, options=("--prompts", str(tmp_path / "empty")))
    assert isinstance(result.exception, PromptsError)


def test_the_help_has_an_example():
    assert "Example: lvqa annotate draft work" in CliRunner().invoke(draft, ["--help"]).output

"""Many questions at a server on the loopback address: good, repairable and hopeless replies, and none."""

import asyncio
from collections import Counter
from dataclasses import replace

import pytest

from dataset_builders.layered_vqa.annotation.prompts import load_prompts
from dataset_builders.layered_vqa.annotation.run import DraftOptions, draft_all
from lvqa_eval.images import PictureError
from lvqa_eval.serving.preflight import PreflightError
from lvqa_eval.statuses import Status
from tests.support.chat_server import error, says, serving
from tests.support.draft_replies import (
    ASKED,
    EVIDENCE,
    PASS,
    REVISED,
    SHARDS,
    changed,
    drafting_steps,
    find,
)
from tests.support.judged_runs import models

BAD = changed(EVIDENCE, "gold_layers", [9])
OPTIONS = DraftOptions(("",), "org/model", load_prompts(), in_flight=1)
PREFLIGHT = [says(), says()]
QUESTIONS = [replace(ASKED, question_id=f"q{number}") for number in range(1, 5)]


async def ran(asked, *replies, options=OPTIONS, find=find):
    """Return what was kept, and the requests after those of the preflight."""
    kept = []
    async with serving(*PREFLIGHT, *drafting_steps(*replies), routes=[models("org/model")]) as server:
        here = replace(options, base_urls=(server.url,))
        await asyncio.to_thread(draft_all, asked, here, find, lambda one, made: kept.append((one, made)))
    return kept, server.bodies[len(PREFLIGHT) :]


async def test_each_question_has_the_flags_and_the_repairs_of_its_replies():
    good, mended = [SHARDS, EVIDENCE, PASS], [SHARDS, BAD, EVIDENCE, "{", REVISED]
    hopeless, lost = [SHARDS, BAD, "I see no layers."], [SHARDS, error(400, "too large")]
    kept, bodies = await ran(QUESTIONS, *good, *mended, *hopeless, *lost)
    assert [one.question_id for one, _ in kept] == ["q1", "q2", "q3", "q4"]
    made = [draft for _, draft in kept]
    assert [draft.verdict for draft in made] == ["pass", "revised", "flag_for_human", None]
    assert [draft.accepted for draft in made] == [True, True, False, False]
    assert [[flag.call for flag in draft.flags] for draft in made] == [[], [], ["evidence"], []]
    assert [len(draft.calls) for draft in made] == [3, 5, 3, 2]
    assert made[2].flags[0].faults == (
        "reply: one-object: found none, or different ones, allowed: one JSON object of the form asked for",
    )
    assert (made[3].status, made[3].error) == (Status.SERVER_ERROR, "HTTP 400: too large")
    assert {draft.prompts_sha256 for draft in made} == {OPTIONS.prompts.sha256}
    assert len(bodies) == 13


async def test_requests_carry_model_schema_and_limits():
    _, bodies = await ran(QUESTIONS[:1], SHARDS, EVIDENCE, PASS)
    assert {(one["model"], one["temperature"], one["max_tokens"]) for one in bodies} == {
        ("org/model", 0.0, 8192)
    }
    assert [one["response_format"]["json_schema"]["name"] for one in bodies] == [
        "shard",
        "evidence",
        "verify",
    ]
    assert isinstance(bodies[0]["messages"][1]["content"], str)
    kinds = [Counter(part["type"] for part in one["messages"][1]["content"]) for one in bodies[1:]]
    assert kinds == [{"text": 7, "image_url": 6}] * 2


async def test_questions_run_side_by_side():
    async def answer(request):
        body = await request.json()
        name = body["response_format"]["json_schema"]["name"]
        reply = {"shard": SHARDS, "evidence": EVIDENCE, "verify": PASS}[name]
        return await drafting_steps(reply)[0](request)

    kept, bodies = await ran(QUESTIONS, *[answer] * 12, options=replace(OPTIONS, in_flight=4))
    assert sorted(one.question_id for one, _ in kept) == ["q1", "q2", "q3", "q4"]
    assert {draft.verdict for _, draft in kept} == {"pass"}
    assert len({body["seed"] for body in bodies}) == 12


async def test_nothing_to_draft_asks_nobody():
    assert await ran([]) == ([], [])


async def test_a_server_that_cannot_serve_is_told_before_anything_is_asked():
    with pytest.raises(PreflightError, match="not 'other'"):
        await ran(QUESTIONS, options=replace(OPTIONS, model="other"))


async def test_a_picture_that_cannot_be_used_ends_the_run_with_its_name():
    with pytest.raises(PictureError, match=r"layer-3\.png: empty file"):
        await ran(QUESTIONS, SHARDS, find=lambda name: b"" if name == "layer-3.png" else find(name))

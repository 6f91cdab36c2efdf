"""The three calls about one question: what each sees, what is mended, what is flagged, what is a failure."""

import json
from dataclasses import replace

import pytest

from dataset_builders.layered_vqa.annotation.drafting import Drafter
from dataset_builders.layered_vqa.annotation.prompts import load_prompts
from dataset_builders.layered_vqa.annotation.records import Annotation, CallRecord, ModelDraft
from dataset_builders.layered_vqa.example import problems
from lvqa_eval.images import PictureStore
from lvqa_eval.serving.request import Sampling
from lvqa_eval.simulation.replies import Reply
from lvqa_eval.statuses import Status
from tests.support.draft_replies import (
    ASKED,
    EVIDENCE,
    ISSUE,
    PASS,
    REVISED,
    SHARDS,
    DraftingModel,
    changed,
    find,
    said,
)

PROMPTS = load_prompts()
ADDED = changed(SHARDS, "shards", 1, "text", "It is that of the shiny circle.")
MISSED = changed(EVIDENCE, "distractors", [0, 3])


async def drafted(*replies, asked=ASKED, **options):
    """Return what a model that says this makes of the question, and what it was asked."""
    speaker = DraftingModel(*replies)
    drafter = Drafter("org/model", speaker, PROMPTS, PictureStore(), sampling=Sampling(0.0), **options)
    return await drafter.draft(asked, find), speaker


def calls(draft):
    return [(one.call, one.attempt, len(one.faults)) for one in draft.calls]


async def test_three_good_replies_pass():
    draft, _ = await drafted(SHARDS, EVIDENCE, PASS)
    assert (draft.verdict, draft.accepted, draft.status, draft.flags) == ("pass", True, Status.OK, ())
    example = draft.annotation.example
    assert problems(example) == []
    assert (example.question, example.answer, example.category) == (ASKED.question, "red", "spatial")
    assert (example.gold_layers, example.distractors, example.dependencies) == ((1, 2), (0, 3, 4), ((2, 1),))
    assert [(shard.id, shard.text, shard.support) for shard in example.shards] == [
        (1, "I want to know a colour.", ()),
        (2, "It is that of the circle.", (1,)),
        (3, "The one left of the square, I mean.", (1, 2)),
    ]
    assert (draft.annotation.confidence, draft.annotation.notes) == (90, EVIDENCE["notes"])
    assert calls(draft) == [("shard", 1, 0), ("evidence", 1, 0), ("verify", 1, 0)]
    assert draft.calls[1].reply == json.dumps(EVIDENCE)


async def test_the_artefact_names_model_seed_and_every_prompt():
    draft, _ = await drafted(SHARDS, EVIDENCE, PASS, seed=3)
    assert (draft.model, draft.seed) == ("org/model", 3)
    assert (draft.prompts, draft.prompts_sha256) == (PROMPTS.hashes, PROMPTS.sha256)


async def test_the_first_call_sees_the_question_alone():
    _, speaker = await drafted(SHARDS, EVIDENCE, PASS)
    system, user = speaker.messages[0]
    assert system == {"role": "system", "content": PROMPTS.rules("shard", "spatial")}
    assert user == {"role": "user", "content": '{"question":"What colour is the circle left of the square?"}'}


async def test_the_others_see_the_scene_its_layers_in_order_and_what_is_known():
    _, speaker = await drafted(SHARDS, EVIDENCE, PASS)
    for messages in speaker.messages[1:]:
        content = messages[1]["content"]
        labels = [part["text"] for part in content[:-1] if part["type"] == "text"]
        assert labels == ["Image 1: the whole scene", *(f"Image {n + 2}: layer {n}" for n in range(5))]
        pictures = [part["image_url"]["url"] for part in content if part["type"] == "image_url"]
        assert len(set(pictures)) == 6
        assert [part["type"] for part in content[:4]] == ["text", "image_url", "text", "image_url"]
    evidence, verify = (json.loads(messages[1]["content"][-1]["text"]) for messages in speaker.messages[1:])
    assert evidence == {
        "question": ASKED.question,
        "answer": "red",
        "about_the_answer": "one colour word",
        "layers": [
            {"layer": n, "caption": text}
            for n, text in enumerate(("wall", "circle", "square", "star", "moon"))
        ],
        "shards": [{"shard": n, "text": one["text"]} for n, one in enumerate(SHARDS["shards"], start=1)],
    }
    assert verify["category"] == "spatial"
    assert verify["annotation"]["units"] == SHARDS["units"]
    assert verify["annotation"]["support"][2] == {"shard": 3, "layers": [1, 2]}


async def test_each_call_is_held_to_its_schema_unless_told_otherwise():
    _, speaker = await drafted(SHARDS, EVIDENCE, PASS)
    held = [body["response_format"]["json_schema"] for body in speaker.bodies]
    assert [one["name"] for one in held] == ["shard", "evidence", "verify"]
    assert [next(iter(one["schema"]["properties"])) for one in held] == ["units", "notes", "issues"]
    assert len(set(speaker.seeds)) == 3
    _, free = await drafted(SHARDS, EVIDENCE, PASS, structured=False)
    assert not any("response_format" in body for body in free.bodies)
    assert free.seeds == speaker.seeds
    _, other = await drafted(SHARDS, EVIDENCE, PASS, seed=1)
    assert not set(other.seeds) & set(speaker.seeds)


async def test_what_breaks_a_rule_is_sent_back_once_with_what_it_breaks():
    draft, speaker = await drafted(ADDED, SHARDS, MISSED, EVIDENCE, "no", PASS)
    assert (draft.verdict, draft.flags) == ("pass", ())
    assert calls(draft) == [
        *(("shard", 1, 1), ("shard", 2, 0), ("evidence", 1, 1)),
        *(("evidence", 2, 0), ("verify", 1, 1), ("verify", 2, 0)),
    ]
    again = speaker.messages[1][1]["content"]
    assert again.startswith('{"question":')
    assert "- shards[1].text: words-from-question: found shiny, allowed: the words of the question" in again
    assert json.dumps(json.dumps(ADDED)) in again
    words = speaker.messages[3][1]["content"][-1]["text"]
    assert "- distractors: exact-complement: found {0, 3}, allowed: {0, 3, 4}" in words
    assert speaker.seeds[0] != speaker.seeds[1]


async def test_a_revision_is_the_one_that_counts():
    draft, _ = await drafted(SHARDS, EVIDENCE, REVISED)
    assert (draft.verdict, draft.accepted) == ("revised", True)
    assert draft.annotation.example.gold_layers == (1, 2, 3)
    assert draft.annotation.roles == ((1, "target"), (2, "anchor"), (3, "context"))
    assert [(one.field, one.problem) for one in draft.issues] == [tuple(ISSUE.values())]


async def test_what_the_verifier_flags_is_flagged_with_its_issues():
    draft, _ = await drafted(SHARDS, EVIDENCE, PASS | {"verdict": "flag_for_human", "issues": [ISSUE]})
    assert (draft.verdict, draft.accepted, draft.flags) == ("flag_for_human", False, ())
    assert draft.annotation.example.gold_layers == (1, 2)
    assert draft.issues[0].problem == "The star is needed too."


async def test_shards_that_stay_broken_are_flagged_and_nothing_more_is_asked():
    draft, speaker = await drafted(ADDED, ADDED, EVIDENCE, PASS)
    assert (draft.verdict, draft.annotation, draft.shards) == ("flag_for_human", None, ())
    (flag,) = draft.flags
    assert flag.call == "shard"
    assert flag.faults[0].startswith("shards[1].text: words-from-question: found shiny")
    assert len(speaker.messages) == 2


async def test_evidence_that_stays_broken_is_flagged_and_sound_shards_are_kept():
    draft, speaker = await drafted(SHARDS, MISSED, MISSED)
    assert (draft.verdict, draft.annotation) == ("flag_for_human", None)
    assert draft.shards == tuple(one["text"] for one in SHARDS["shards"])
    assert [flag.call for flag in draft.flags] == ["evidence"]
    assert len(speaker.messages) == 3


async def test_a_verdict_that_stays_broken_leaves_what_stood_before_flagged():
    broken = changed(REVISED, "annotation", "distractors", [0])
    draft, _ = await drafted(SHARDS, EVIDENCE, broken, broken)
    assert (draft.verdict, draft.accepted) == ("flag_for_human", False)
    assert [flag.call for flag in draft.flags] == ["verify"]
    assert draft.annotation.example.gold_layers == (1, 2)


@pytest.mark.parametrize("status", [Status.TRUNCATED, Status.EMPTY, Status.REFUSED])
async def test_a_model_that_gives_no_whole_reply_is_asked_again_and_then_flagged(status):
    draft, speaker = await drafted(Reply(status, '{"units": ['), SHARDS, EVIDENCE, PASS)
    assert draft.verdict == "pass"
    assert f"- reply: whole: found {status}" in speaker.messages[1][1]["content"]
    draft, _ = await drafted(Reply(status), Reply(status))
    assert (draft.verdict, draft.status, draft.calls[0].status) == ("flag_for_human", Status.OK, status)
    assert draft.flags[0].faults[0].startswith(f"reply: whole: found {status}")


@pytest.mark.parametrize(
    "status",
    [Status.TRANSPORT_ERROR, Status.TIMEOUT, Status.SERVER_ERROR, Status.CONTEXT_OVERFLOW],
)
@pytest.mark.parametrize("before", [0, 1, 2])
async def test_a_failure_of_the_serving_is_a_status_and_no_flag(status, before):
    good = [SHARDS, EVIDENCE, PASS]
    draft, _ = await drafted(*good[:before], Reply(status, error="gone"))
    assert (draft.status, draft.error) == (status, "gone")
    assert (draft.verdict, draft.flags, draft.accepted) == (None, (), False)


async def test_tokens_of_every_request_are_counted():
    replies = [Reply(Status.OK, one, prompt_tokens=7, completion_tokens=2) for one in said(ADDED, SHARDS)]
    draft, _ = await drafted(*replies, Reply(Status.TIMEOUT))
    assert [(one.prompt_tokens, one.completion_tokens) for one in draft.calls] == [(7, 2), (7, 2), (0, 0)]


async def test_no_record_holds_a_broken_rule():
    draft, _ = await drafted(SHARDS, EVIDENCE, PASS)
    example = replace(draft.annotation.example, distractors=(0, 3))
    with pytest.raises(ValueError, match="exact-complement"):
        replace(draft.annotation, example=example)
    for wrong in (
        {"annotation": None},
        {"verdict": None},
        {"status": Status.TIMEOUT},
        {"flags": (CallRecord,)},
    ):
        with pytest.raises(ValueError, match=r"q1: verdict: found"):
            replace(draft, **wrong)
    assert isinstance(draft, ModelDraft)
    assert isinstance(draft.annotation, Annotation)


def test_what_is_asked_has_a_category_and_a_caption_for_each_layer():
    with pytest.raises(ValueError, match="q1: category: found 'colour', allowed: direct_ask"):
        replace(ASKED, category="colour")
    with pytest.raises(ValueError, match=r"q1: captions: found 1, allowed: one a layer \(5\)"):
        replace(ASKED, captions=("wall",))

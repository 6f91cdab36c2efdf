"""Conversations as they were sent: byte for byte what a server was given, from the run and its dataset."""

import asyncio
import base64
import json
from dataclasses import replace

import pytest

from dataset_builders.layered_vqa.build import build
from dataset_builders.layered_vqa.conditions import ConditionOptions
from lvqa_eval.benchmarks import BEAR_BENCH, LAYERED_VQA
from lvqa_eval.evaluation import evaluate
from lvqa_eval.prompts import load_prompt
from lvqa_eval.runs.records import Key
from lvqa_eval.runs.sent_messages import SentConversations, SentPictureError, png_of
from lvqa_eval.runs.store import RunStore
from lvqa_eval.serving.request import Sampling
from lvqa_eval.settings import Settings
from lvqa_eval.simulation.messages import text_message, user_message
from lvqa_eval.statuses import Status
from tests.support.page_folder import page_folder, png
from tests.support.scored_runs import conversation, turn
from tests.support.sources import SmallSource
from tests.support.steady_server import steady_server

CONDITIONS = ("full", "sharded-q", "snowball-v", "all-layers")


def keeps(bodies):
    """Return a reply that keeps the messages of every request; after two of them it is cut off."""

    def reply(body):
        messages = body["messages"]
        bodies.append(messages)
        cut = sum(one["role"] == "user" for one in messages) == 1 and len(messages) == 2
        choice = {
            "message": {"content": f"red {len(messages)}"},
            "finish_reason": "length" if cut else "stop",
        }
        return {"choices": [choice], "usage": {}}

    return reply


def held(benchmark, dataset, out, conditions, baselines=()):
    """Hold every conversation of a dataset; returns the run and the messages of all requests."""
    bodies = []
    with steady_server(reply=keeps(bodies)) as url:
        sampling = Sampling(max_tokens=16)
        common = {"runs": 1, "sampling": sampling, "base_urls": (url,), "out": out, "baselines": baselines}
        settings = Settings(
            model="talker", dataset=str(dataset), benchmark=benchmark, conditions=conditions, **common
        )
        evaluate(settings, lambda _: None)
    return RunStore.open(out), bodies


@pytest.fixture(scope="module")
def layered(tmp_path_factory):
    folder = tmp_path_factory.mktemp("layered")
    dataset = build(SmallSource(scenes=1), folder / "layered-vqa", "1.0.0", ConditionOptions()).folder
    return (*held(LAYERED_VQA, dataset, folder / "run", CONDITIONS, ("question-only",)), dataset)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    dataset = page_folder(folder / "bear-bench")
    return (*held(BEAR_BENCH, dataset, folder / "run", ("default", "cot", "downsample-2")), dataset)


def as_json(message):
    """Return a message as the body of a request has it."""
    if message.role == "user":
        return json.loads(b"".join(_whole(user_message(message.pictures, message.text))))
    return json.loads(b"".join(text_message(message.role, message.text)))


def _whole(pieces):
    return [piece if isinstance(piece, bytes) else piece.part for piece in pieces]


@pytest.mark.parametrize("run", ["layered", "pages"])
def test_every_conversation_is_given_as_the_server_got_it(run, request):
    store, bodies, dataset = request.getfixturevalue(run)
    sent = SentConversations(store, str(dataset))
    talks = store.conversations()
    assert {key.condition for key in talks} == {
        *store.identity.settings["conditions"],
        *store.identity.settings.get("baselines", ()),
    }
    for talk in talks.values():
        messages = asyncio.run(sent.messages(talk))
        assert [as_json(one) for one in messages] in bodies
        assert sum(one.role == "user" for one in messages) == len(talk.turns)
    assert sent.changed_prompts == ()


def test_labels_and_pictures_stand_in_the_order_of_sending(layered):
    store, _, dataset = layered
    sent = SentConversations(store, str(dataset))
    key = min(key for key in store.conversations() if key.condition == "snowball-v")
    contract, *turns = asyncio.run(sent.messages(store.conversations()[key]))
    assert (contract.role, contract.text) == ("system", load_prompt("multi_turn").text)
    users = [one for one in turns if one.role == "user"]
    assert [[label for label, _ in one.pictures] for one in users[:2]] == [
        ["Image 1: layer 0"],
        ["Image 1: layer 0", "Image 2: layer 1"],
    ]
    assert users[0].pictures[0][1] is users[1].pictures[0][1]
    # A reply that was cut off stands in the history as it came.
    assert turns[1].text == "red 2"
    assert store.conversations()[key].turns[0].status is Status.TRUNCATED


def test_a_page_has_no_label_and_its_file_is_what_was_sent(pages):
    store, _, dataset = pages
    sent = SentConversations(store, str(dataset))
    (message,) = asyncio.run(sent.messages(store.conversations()[Key("default", "business-en-1", 1)]))
    ((label, picture),) = message.pictures
    assert label is None
    assert png_of(picture) == png("business-en-1")
    data = json.loads(picture.part)["image_url"]["url"].partition(",")[2]
    assert base64.b64decode(data) == png("business-en-1")


def test_a_row_or_a_layer_that_the_dataset_does_not_have(layered):
    store, _, dataset = layered
    sent = SentConversations(store, str(dataset))
    with pytest.raises(SentPictureError, match=r"full, question nobody: found no such row"):
        asyncio.run(sent.messages(conversation("full", "nobody")))
    known = min(store.conversations()).question_id
    with pytest.raises(SentPictureError, match=r"layers: found 9 sent, which the row does not send"):
        asyncio.run(sent.messages(conversation("all-layers", known, turns=[turn([9])])))


def test_prompts_in_other_words_are_named(layered):
    store, _, dataset = layered
    sent = SentConversations(store, str(dataset))
    changed = store.identity.settings["prompts"] | {"layer_label": "0" * 64}
    sent._settings = store.identity.settings | {"prompts": changed}
    assert sent.changed_prompts == ("layer_label",)


def test_another_picture_than_was_sent_is_refused(layered):
    store, _, dataset = layered
    sent = SentConversations(store, str(dataset))
    for name, record in sent._sent.items():
        sent._sent[name] = replace(record, pixels_sha256="0" * 64)
    with pytest.raises(SentPictureError, match=r"composite: found pixels \w{16}, the run sent 0{16}"):
        asyncio.run(sent.messages(store.conversations()[min(store.conversations())]))

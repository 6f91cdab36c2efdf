import hashlib
import json

import pytest

from dataset_builders.layered_vqa.build import build
from dataset_builders.layered_vqa.conditions import ConditionOptions
from lvqa_eval.benchmarks import LAYERED_VQA
from lvqa_eval.dataset import open_dataset
from lvqa_eval.images import PictureStore
from lvqa_eval.runs.records import Key
from lvqa_eval.serving.request import DIRECT, whole
from lvqa_eval.simulation.conversation import Setting, request_seed
from lvqa_eval.simulation.replies import Reply
from lvqa_eval.simulation.users import ScriptedUser
from lvqa_eval.statuses import Status
from tests.support.sources import SmallSource


class FakeAssistant:
    """Gives the listed replies and keeps what it was asked."""

    def __init__(self, *replies):
        self.replies = list(replies)
        self.asked = []

    async def complete(self, messages, *, seed, route=DIRECT):
        sent = [whole(message) for message in messages]
        self.asked.append((sent, seed, route.endpoint))
        return self.replies.pop(0) if self.replies else Reply(Status.OK, f"reply {len(self.asked)}")


@pytest.fixture(scope="module")
def setting(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data") / "layered-vqa"
    dataset = open_dataset(str(build(SmallSource(scenes=1), folder, "1.0.0", ConditionOptions()).folder))
    prompts = LAYERED_VQA.prompts()
    return Setting(LAYERED_VQA, dataset, PictureStore(), ScriptedUser(), prompts, seed=7, endpoints=3)


def row(setting, condition):
    return setting.dataset.rows(condition)[0]


def shown(message):
    """A message as short text: pictures by the start of their hash."""
    decoded = json.loads(message)
    if isinstance(decoded["content"], str):
        return [decoded["role"], decoded["content"]]
    parts = []
    for part in decoded["content"]:
        parts.append(part["text"] if part["type"] == "text" else "<picture>")
    return [decoded["role"], *parts]


async def test_recap_v_message_by_message(setting):
    assistant = FakeAssistant()
    record = await setting.converse(row(setting, "recap-v"), 2, assistant)
    messages = [shown(message) for message in assistant.asked[-1][0]]
    assert messages[0] == ["system", LAYERED_VQA.prompts()["multi_turn"].text]
    question = "What colour is the circle left of the square?"
    assert messages[1] == ["user", "Image 1: layer 0", "<picture>", question]
    assert messages[2] == ["assistant", "reply 1"]
    assert messages[3] == ["user", "Image 1: layer 1", "<picture>", "Here is layer 1 of the scene."]
    assert messages[-1] == [
        *("user", "Image 1: the whole scene", "<picture>"),
        "Here is the whole scene, all of its layers together.",
    ]
    assert len(assistant.asked) == 6
    assert record.key == ("recap-v", "q1", 2)
    assert record.status == Status.OK
    assert [turn.reply for turn in record.turns] == [f"reply {n}" for n in range(1, 7)]
    assert [turn.layers for turn in record.turns] == [(0,), (1,), (2,), (3,), (4,), ()]
    assert [turn.composite for turn in record.turns] == [False] * 5 + [True]


async def test_the_scene_comes_before_its_layers_and_images_count_from_one(setting):
    assistant = FakeAssistant()
    await setting.converse(row(setting, "all-layers"), 1, assistant)
    system, user = map(shown, assistant.asked[0][0])
    assert system[1].startswith("You answer one question about one picture and name the layers")
    labels = [part for part in user if part.startswith("Image")]
    assert labels == ["Image 1: the whole scene", *(f"Image {k + 2}: layer {k}" for k in range(5))]
    assert user[-1] == "What colour is the circle left of the square?"


async def test_the_history_only_grows_byte_by_byte(setting):
    assistant = FakeAssistant()
    await setting.converse(row(setting, "snowball-v"), 1, assistant)
    for (before, _, _), (after, _, _) in zip(assistant.asked, assistant.asked[1:], strict=False):
        assert after[: len(before)] == before
        assert len(after) == len(before) + 2


async def test_bad_replies_stay_and_the_conversation_goes_on(setting):
    assistant = FakeAssistant(Reply(Status.EMPTY), Reply(Status.TRUNCATED, "cut o", finish_reason="length"))
    record = await setting.converse(row(setting, "sharded-q"), 1, assistant)
    assert [turn.status for turn in record.turns] == [Status.EMPTY, Status.TRUNCATED, Status.OK]
    assert record.status == Status.OK
    assert shown(assistant.asked[2][0][2]) == ["assistant", ""]
    assert shown(assistant.asked[2][0][4]) == ["assistant", "cut o"]
    assert record.turns[1].finish_reason == "length"


@pytest.mark.parametrize(
    "status",
    [Status.TRANSPORT_ERROR, Status.TIMEOUT, Status.SERVER_ERROR, Status.CONTEXT_OVERFLOW],
)
async def test_failed_serving_ends_a_conversation_at_once(setting, status):
    assistant = FakeAssistant(Reply(Status.OK, "red"), Reply(status, error="why"))
    record = await setting.converse(row(setting, "sharded-q"), 1, assistant)
    assert record.status == status
    assert [turn.status for turn in record.turns] == [Status.OK, status]
    assert record.turns[1].error == "why"
    assert len(assistant.asked) == 2


async def test_a_last_reply_that_fails_is_the_status(setting):
    assistant = FakeAssistant(Reply(Status.OK, "a"), Reply(Status.OK, "b"), Reply(Status.REFUSED))
    assert (await setting.converse(row(setting, "sharded-q"), 1, assistant)).status == Status.REFUSED


async def test_each_request_has_its_seed_and_each_conversation_its_endpoint(setting):
    assistant = FakeAssistant()
    record = await setting.converse(row(setting, "sharded-v"), 1, assistant)
    digest = hashlib.sha256(b"7:1:q1:sharded-v:2").hexdigest()
    assert record.turns[1].seed == int(bin(int(digest, 16) | 1 << 256)[3:34], 2)
    assert [seed for _, seed, _ in assistant.asked] == [turn.seed for turn in record.turns]
    assert len({turn.seed for turn in record.turns}) == 5
    assert len({endpoint for _, _, endpoint in assistant.asked}) == 1


def test_seeds_fit_31_bits_and_spread():
    seeds = {request_seed(0, Key("full", f"q{n}", 1), 1) for n in range(2000)}
    assert len(seeds) == 2000
    assert 0 <= min(seeds) < max(seeds) < 2**31

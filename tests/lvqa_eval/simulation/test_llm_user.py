"""The user that a model plays, over the wire: what it is asked, what it may say, what stands in for it."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from dataset_builders.layered_vqa.build import build
from dataset_builders.layered_vqa.conditions import ConditionOptions
from lvqa_eval.benchmarks import LAYERED_VQA
from lvqa_eval.dataset import open_dataset
from lvqa_eval.images import PictureStore
from lvqa_eval.runs.records import Key, TurnRecord
from lvqa_eval.serving.client import ChatClient
from lvqa_eval.serving.request import DIRECT, Sampling
from lvqa_eval.simulation.conversation import Setting
from lvqa_eval.simulation.llm_user import LlmUser, llm_user_identity
from lvqa_eval.simulation.users import ScriptedUser
from lvqa_eval.statuses import Status
from tests.support.chat_server import completion, error, says, serving
from tests.support.sources import SmallSource

CASES = Path(__file__).resolve().parents[2] / "cases"
REPLIES = json.loads((CASES / "simulator_replies.json").read_text())
HISTORIES = json.loads((CASES / "chat_histories.json").read_text())
QUESTION = "What colour is the circle left of the square?"
SHARDS = ("I want to know a colour.", "It is that of a circle.", "The circle is left of the square.")
SAMPLING = Sampling(max_tokens=64)


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data") / "layered-vqa"
    return open_dataset(str(build(SmallSource(scenes=1), folder, "1.0.0", ConditionOptions()).folder))


def tell(shard, words):
    return says(body=completion(json.dumps({"shard_id": shard, "response": words})))


def speak(text):
    return says(body=completion(text))


def client(server, **options):
    return ChatClient([server.url], "talker", Sampling(max_tokens=9), attempts=1, **options)


def heard(user, shards=(), reply="What colour?"):
    """One turn that has been."""
    return TurnRecord(user, False, tuple(shards), (), False, 1, Status.OK, reply)


async def say(dataset, steps, so_far, condition="sharded-q", structured=True):
    """Let the user speak the next turn; returns what it said and the prompts that it was given."""
    row = dataset.rows(condition)[0]
    async with serving(*steps) as server, client(server) as speaker:
        user = LlmUser(speaker, "talker", SAMPLING, seed=7, structured=structured)
        said = await user.begin(row, Key(condition, "q1", 1), DIRECT).say(len(so_far), so_far)
    return said, [body["messages"][0]["content"] for body in server.bodies], server.bodies


def told(left):
    """The turns that leave just `left` of three shards to tell."""
    revealed = [shard for shard in (1, 2, 3) if shard not in left]
    return [heard(SHARDS[shard - 1], [shard]) for shard in revealed]


@pytest.mark.parametrize("case", REPLIES, ids=lambda case: case["raw"][:20])
async def test_a_bad_reply_is_asked_for_once_more_in_other_words(dataset, case):
    left = case["left"]
    said, prompts, _ = await say(dataset, [speak(case["raw"]), tell(left[-1], "Now.")], told(left))
    assert not said.fallback
    if case["expect"] is not None:
        assert (said.shards, said.text) == ((case["expect"],), json.loads(case["raw"])["response"])
        assert len(prompts) == 1
        assert (said.prompt_tokens, said.completion_tokens) == (9, 1)
    else:
        assert (said.shards, said.text) == ((left[-1],), "Now.")
        assert len(prompts) == 2
        assert prompts[1].startswith(prompts[0])
        assert "could not be used" in prompts[1][len(prompts[0]) :]
        assert (said.prompt_tokens, said.completion_tokens) == (18, 2)


@pytest.mark.parametrize(
    "case", [case for case in REPLIES if case["expect"] is None], ids=lambda case: case["raw"][:20]
)
async def test_after_two_bad_replies_the_next_shard_is_said_as_written(dataset, case):
    left = case["left"]
    said, prompts, _ = await say(dataset, [speak(case["raw"])] * 2, told(left))
    assert (said.text, said.shards, said.fallback) == (SHARDS[left[0] - 1], (left[0],), True)
    assert said.failure is None
    assert len(prompts) == 2


@pytest.mark.parametrize(
    "raw",
    [
        '<think>{"shard_id": 3, "response": "No."} rather the other</think>{"shard_id": 2, "response": "A."}',
        'Here you are:\n```json\n{"response": "A.", "shard_id": 2,}\n```',
        "{'shard_id': '2', 'response': 'A.'}",
    ],
)
async def test_fences_thinking_and_loose_json_are_read(dataset, raw):
    said, prompts, _ = await say(dataset, [speak(raw)], told([2, 3]))
    assert (said.text, said.shards, len(prompts)) == ("A.", (2,), 1)


@pytest.mark.parametrize(
    ("choice", "why"),
    [
        ({"message": {"content": '{"shard_id": 2, "response": "A."}'}, "finish_reason": "length"}, "cut off"),
        ({"message": {"content": "", "refusal": "I cannot."}, "finish_reason": "stop"}, "a refusal"),
        ({"message": {"content": None, "reasoning": "Hm."}, "finish_reason": "stop"}, "empty"),
    ],
)
async def test_replies_cut_off_refused_or_empty_are_bad(dataset, choice, why):
    said, prompts, _ = await say(dataset, [says(body={"choices": [choice]})] * 2, told([2, 3]))
    assert (said.text, said.fallback, said.prompt_tokens) == (SHARDS[1], True, None)
    assert why in prompts[1]


@pytest.mark.parametrize("history", HISTORIES, ids=lambda history: history["id"])
async def test_the_opening_stays_in_the_users_view(dataset, history):
    mine, theirs = (message["content"] for message in history["messages"])
    said, prompts, bodies = await say(
        dataset, [tell(1, mine), tell(2, "Of a circle.")], [heard(mine, [1], theirs)]
    )
    for body in bodies:
        assert [message["role"] for message in body["messages"]] == ["user"]
    assert json.dumps({"turn": 1, "you": mine, "assistant": theirs}, separators=(",", ":")) in prompts[0]
    # Told again, the first shard is no new one.
    assert "shard_id: found 1, allowed: 2, 3" in prompts[1]
    assert (said.text, said.shards) == ("Of a circle.", (2,))


async def test_the_first_turn_knows_the_first_shard_alone(dataset):
    said, prompts, bodies = await say(dataset, [tell(2, "A circle's."), tell(1, "A colour, please.")], [])
    assert (said.text, said.shards) == ("A colour, please.", (1,))
    assert SHARDS[0] in prompts[0]
    assert not any(hidden in prompts[0] for hidden in (*SHARDS[1:], QUESTION))
    assert _schema(bodies[0])["properties"]["shard_id"]["enum"] == [1]


async def test_later_turns_know_every_shard_and_no_question_or_answer(dataset):
    said, prompts, bodies = await say(dataset, [tell(3, "Left of the square.")], [heard("A colour?", [1])])
    conversation, told_already, left = prompts[0].split("\n\n")[2:7:2]
    assert conversation == '{"turn":1,"you":"A colour?","assistant":"What colour?"}'
    assert told_already == '{"shard_id":1,"text":"I want to know a colour."}'
    assert [json.loads(line)["shard_id"] for line in left.splitlines()] == [2, 3]
    assert QUESTION not in prompts[0]
    assert '"red"' not in prompts[0]
    assert (said.text, said.shards) == ("Left of the square.", (3,))
    assert _schema(bodies[0])["properties"]["shard_id"]["enum"] == [2, 3]
    assert {name: bodies[0][name] for name in ("model", "temperature", "max_tokens")} == {
        "model": "talker",
        "temperature": 1.0,
        "max_tokens": 64,
    }


def _schema(body):
    assert body["response_format"]["type"] == "json_schema"
    return body["response_format"]["json_schema"]["schema"]


async def test_without_structured_output_no_schema_is_sent(dataset):
    _, _, bodies = await say(dataset, [tell(1, "A colour.")], [], structured=False)
    assert "response_format" not in bodies[0]


async def converse(dataset, condition, steps):
    row = dataset.rows(condition)[0]
    async with serving(*steps) as server, client(server) as speaker:
        user = LlmUser(speaker, "talker", SAMPLING, seed=7)
        setting = Setting(LAYERED_VQA, dataset, PictureStore(), user, LAYERED_VQA.prompts(), seed=7)
        record = await setting.converse(row, 1, speaker)
    asked = [body for body in server.bodies if body["messages"][0]["role"] == "system"]
    return record, asked, server.bodies


def words(body):
    """What the assistant sees, one string a message but the first."""
    shown = [message["content"] for message in body["messages"][1:]]
    return [one if isinstance(one, str) else one[-1]["text"] for one in shown]


TALK = [tell(1, "A colour, please."), speak("Of what?"), tell(3, "Left of the square."), speak("Blue")]


async def test_sharded_q_tells_one_shard_a_turn_in_the_models_order(dataset):
    record, asked, bodies = await converse(
        dataset, "sharded-q", [*TALK, tell(2, "A circle's."), speak("Red")]
    )
    assert [turn.user for turn in record.turns] == ["A colour, please.", "Left of the square.", "A circle's."]
    assert [turn.shards for turn in record.turns] == [(1,), (3,), (2,)]
    assert [turn.composite for turn in record.turns] == [True, False, False]
    assert [turn.reply for turn in record.turns] == ["Of what?", "Blue", "Red"]
    assert [(turn.user_prompt_tokens, turn.user_completion_tokens) for turn in record.turns] == [(9, 1)] * 3
    assert record.status is Status.OK
    assert not any(turn.user_fallback for turn in record.turns)
    assert words(asked[-1]) == ["A colour, please.", "Of what?", "Left of the square.", "Blue", "A circle's."]
    assert len(bodies) == 6


async def test_recap_q_ends_with_the_complete_question(dataset):
    steps = [*TALK, tell(2, "A circle's."), speak("Red?"), speak("Red")]
    record, asked, bodies = await converse(dataset, "recap-q", steps)
    assert [turn.user for turn in record.turns][2:] == ["A circle's.", QUESTION]
    assert [turn.shards for turn in record.turns] == [(1,), (3,), (2,), ()]
    assert [turn.question for turn in record.turns] == [False, False, False, True]
    assert words(asked[-1])[-1] == QUESTION
    assert record.turns[-1].user_prompt_tokens is None
    assert len(bodies) == 7


async def test_snowball_q_repeats_the_words_said_before(dataset):
    record, *_ = await converse(dataset, "snowball-q", [*TALK, speak("no"), speak("no"), speak("Red")])
    first, second = "A colour, please.", "A colour, please. Left of the square."
    assert [turn.user for turn in record.turns] == [first, second, f"{second} It is that of a circle."]
    assert [turn.shards for turn in record.turns] == [(1,), (1, 3), (1, 3, 2)]
    assert [turn.user_fallback for turn in record.turns] == [False, False, True]


async def test_bad_replies_of_the_user_stay_out_of_the_conversation_and_cost_the_assistant_nothing(dataset):
    bad = speak('{"shard_id": 1, "response": ""}')
    steps = [bad, bad, speak("Of what?"), bad, tell(2, "A circle's."), speak("Blue"), bad, bad, speak("Red")]
    record, asked, _ = await converse(dataset, "sharded-q", steps)
    assert words(asked[-1]) == [SHARDS[0], "Of what?", "A circle's.", "Blue", SHARDS[2]]
    assert [turn.user_fallback for turn in record.turns] == [True, False, True]
    assert [turn.user_prompt_tokens for turn in record.turns] == [18, 18, 18]
    assert record.status is Status.OK


async def test_no_word_ends_a_conversation_before_everything_is_told(dataset):
    steps = [tell(1, "Yes, a colour. ###STOP###"), speak("###STOP###"), tell(2, "STOP"), speak("Blue")]
    record, asked, _ = await converse(dataset, "sharded-q", [*steps, tell(3, "Left."), speak("Red")])
    assert len(record.turns) == 3
    assert words(asked[0]) == ["Yes, a colour. ###STOP###"]
    assert record.turns[-1].reply == "Red"


@pytest.mark.parametrize(
    ("failing", "status"),
    [
        (error(503, "busy"), Status.SERVER_ERROR),
        (error(400, "no such schema"), Status.SERVER_ERROR),
        (error(400, "maximum context length is 10 tokens"), Status.CONTEXT_OVERFLOW),
    ],
)
async def test_a_failed_request_of_the_user_ends_the_conversation_with_its_status(dataset, failing, status):
    record, asked, bodies = await converse(dataset, "sharded-q", [*TALK[:2], failing])
    assert record.status is status
    assert [turn.status for turn in record.turns] == [Status.OK, status]
    failed = record.turns[1]
    assert failed.error.startswith("user: ")
    assert (failed.user, failed.shards, failed.reply, failed.user_fallback) == ("", (), None, False)
    assert len(asked) == 1
    assert len(bodies) == 3


async def test_no_two_requests_share_a_seed(dataset):
    bad = speak("no")
    steps = [bad, tell(1, "A colour."), speak("?"), bad, bad, speak("?"), bad, tell(3, "Left."), speak("Red")]
    _, _, bodies = await converse(dataset, "sharded-q", steps)
    _, _, again = await converse(dataset, "sharded-q", steps)
    _, _, other = await converse(dataset, "snowball-q", steps)
    seeds = [body["seed"] for body in bodies]
    assert seeds == [body["seed"] for body in again]
    assert len({*seeds, *(body["seed"] for body in other)}) == 18
    assert all(0 <= seed < 2**31 for seed in seeds)


async def test_in_every_other_condition_the_schedule_speaks(dataset):
    async with serving() as server, client(server) as speaker:
        user = LlmUser(speaker, "talker", SAMPLING, seed=7)
        for condition in set(dataset.conditions) - {"sharded-q", "recap-q", "snowball-q"}:
            row, key = dataset.rows(condition)[0], Key(condition, "q1", 1)
            assert user.begin(row, key, DIRECT) == ScriptedUser().begin(row, key, DIRECT)
    assert server.bodies == []


def test_the_identity_holds_sampling_prompts_and_form():
    found = llm_user_identity(SAMPLING, structured=True)
    assert found == {
        "name": "llm",
        "sampling": {"temperature": 1.0, "top_p": 1.0, "max_tokens": 64},
        "structured": True,
        "prompts": found["prompts"],
    }
    assert sorted(found["prompts"]) == ["user_first", "user_retry", "user_turn"]
    assert all(len(sha256) == 64 for sha256 in found["prompts"].values())
    assert found == LlmUser(None, "talker", SAMPLING, seed=1).identity()
    assert found != llm_user_identity(replace(SAMPLING, temperature=0.0), structured=True)


@pytest.mark.vllm
async def test_vllm_holds_a_users_replies_to_the_schema(dataset, vllm_endpoint):
    sampling = Sampling(max_tokens=2048)
    replies = []

    class Listening(ChatClient):
        async def complete(self, messages, **options):
            reply = await super().complete(messages, **options)
            replies.extend([reply] if options.get("body") else [])
            return reply

    async with Listening([vllm_endpoint.base_url], vllm_endpoint.model, Sampling()) as speaker:
        user = LlmUser(speaker, vllm_endpoint.model, sampling, seed=7)
        setting = Setting(LAYERED_VQA, dataset, PictureStore(), user, LAYERED_VQA.prompts(), seed=7)
        for condition in ("sharded-q", "recap-q", "snowball-q"):
            row = dataset.rows(condition)[0]
            record = await setting.converse(row, 1, speaker)
            assert len(record.turns) == len(row.turns)
            assert all(turn.status in {Status.OK, Status.EMPTY} for turn in record.turns)
            told = [turn.shards[-1] for turn in record.turns if turn.shards]
            assert sorted(told) == [1, 2, 3]
            assert told[0] == 1
    whole = [reply for reply in replies if reply.status is Status.OK]
    print(f"{len(whole)} of {len(replies)} replies whole, {sum(r.completion_tokens for r in replies)} tokens")
    assert len(whole) >= 9
    for reply in whole:
        said = json.loads(reply.text, strict=False)  # its grammar lets control characters into strings
        assert sorted(said) == ["response", "shard_id"]
        assert said["shard_id"] in {1, 2, 3}
        assert 1 <= len(said["response"]) <= 300

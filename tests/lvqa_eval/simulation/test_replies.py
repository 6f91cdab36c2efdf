import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lvqa_eval.simulation.replies import Reply, error_message, parse_reply, split_thinking
from lvqa_eval.statuses import Status


def completion(content, *, finish_reason="stop", usage=None, **message):
    choice = {"index": 0, "message": {"role": "assistant", "content": content, **message}}
    return {"choices": [choice | {"finish_reason": finish_reason}], "usage": usage}


def test_a_plain_reply_with_its_usage():
    usage = {"prompt_tokens": 288, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 128}}
    assert parse_reply(completion(" a red kite\n", usage=usage)) == Reply(
        Status.OK,
        "a red kite",
        finish_reason="stop",
        prompt_tokens=288,
        completion_tokens=4,
        cached_tokens=128,
    )


@pytest.mark.parametrize(
    ("content", "answer", "thinking"),
    [
        ("<think>it is red</think>\nred", "red", "it is red"),
        ("<THINKING> a </THINKING> red", "red", "a"),
        ("<thought>a</thought>red", "red", "a"),
        ("<reasoning>a</reasoning>red", "red", "a"),
        ("<seed:think>a</seed:think>red", "red", "a"),
        ("[THINK]a[/THINK]red", "red", "a"),
        ("◁think▷a◁/think▷red", "red", "a"),
        ("<|begin_of_thought|>a<|end_of_thought|>red", "red", "a"),
        ("<|channel>thought\na<channel|>red", "red", "a"),
        ("the template opened it</think>red", "red", "the template opened it"),
        ("<think>a <think> b</think> c</think> red", "red", "a <think> b\nc"),
        ("<think>one</think>re<think>two</think>d", "red", "one\ntwo"),
        ("Layers: 1 < 2, so I think red", "Layers: 1 < 2, so I think red", None),
    ],
)
def test_thinking_is_kept_apart_from_the_answer(content, answer, thinking):
    reply = parse_reply(completion(content))
    assert (reply.status, reply.text, reply.thinking) == (Status.OK, answer, thinking)


def test_an_unclosed_block_is_a_cut_reply():
    reply = parse_reply(completion("<think>the kite is"))
    assert (reply.status, reply.text, reply.thinking) == (Status.TRUNCATED, None, "the kite is")
    reply = parse_reply(completion("red <think>or is it"))
    assert (reply.status, reply.text, reply.thinking) == (Status.TRUNCATED, "red", "or is it")


@pytest.mark.parametrize(("content", "text"), [("the answer is", "the answer is"), ("", None), (None, None)])
def test_a_reply_at_the_token_limit_is_truncated_and_its_text_kept(content, text):
    reply = parse_reply(completion(content, finish_reason="length"))
    assert (reply.status, reply.text, reply.finish_reason) == (Status.TRUNCATED, text, "length")


@pytest.mark.parametrize("field", ["reasoning", "reasoning_content"])
@pytest.mark.parametrize("content", [None, "", " \n"])
def test_an_answer_in_the_thinking_field_alone_is_empty(content, field):
    reply = parse_reply(completion(content, **{field: "The kite is red."}))
    assert (reply.status, reply.text, reply.thinking) == (Status.EMPTY, None, "The kite is red.")


def test_a_cut_judge_reply_in_the_thinking_field_is_truncated():
    reply = parse_reply(
        completion("", finish_reason="length", reasoning_content='I think {"correct": true} but let me check')
    )
    assert (reply.status, reply.text) == (Status.TRUNCATED, None)
    assert reply.thinking == 'I think {"correct": true} but let me check'


def test_thinking_in_a_field_and_inline_are_joined():
    reply = parse_reply(completion("<think>second</think>red", reasoning_content="first"))
    assert (reply.text, reply.thinking) == ("red", "first\nsecond")


def test_only_the_provider_says_that_a_reply_is_a_refusal():
    assert parse_reply(completion("I'm sorry, I cannot help with that.")).status is Status.OK
    reply = parse_reply(completion(None, refusal="I can't look at this."))
    assert (reply.status, reply.text) == (Status.REFUSED, "I can't look at this.")
    assert parse_reply(completion("", finish_reason="content_filter")).status is Status.REFUSED
    assert parse_reply(completion("red", refusal="")).status is Status.OK


def test_content_in_parts_is_joined():
    parts = [{"type": "text", "text": "a red "}, {"type": "audio"}, {"type": "text", "text": "kite"}]
    assert parse_reply(completion(parts)).text == "a red kite"


@pytest.mark.parametrize("reason", ["error", "abort"])
def test_a_reply_that_the_server_broke_off_is_its_failure(reason):
    reply = parse_reply(completion("the ki", finish_reason=reason))
    assert (reply.status, reply.error) == (
        Status.SERVER_ERROR,
        f"the server broke off: finish_reason {reason}",
    )


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        ([], "reply: found list, needed a JSON object"),
        ({}, "reply, choices: found no choice, needed a list with at least one"),
        ({"choices": []}, "reply, choices: found no choice, needed a list with at least one"),
        ({"choices": [{}]}, "reply, message: found NoneType, needed a JSON object"),
        (completion(7), "reply, content: found int, needed text, parts or null"),
        (completion("red", refusal=True), "reply, refusal: found bool, needed text or null"),
        ({"error": {"message": "Provider returned error", "code": 502}}, "Provider returned error"),
        ({"error": 5}, "reply: found error 5"),
    ],
)
def test_a_body_that_is_no_completion_is_a_server_error_with_the_reason(payload, reason):
    assert parse_reply(payload) == Reply(Status.SERVER_ERROR, error=reason)


@pytest.mark.parametrize("usage", [None, 3, {}, {"prompt_tokens": True, "completion_tokens": "4"}])
def test_odd_usage_is_no_usage(usage):
    reply = parse_reply(completion("red", usage=usage))
    assert (reply.status, reply.prompt_tokens, reply.completion_tokens) == (Status.OK, None, None)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"error": {"message": "boom"}}, "boom"),
        ({"error": "boom"}, "boom"),
        ({"detail": "Not Found"}, "Not Found"),
        ({"message": "boom"}, "boom"),
        ({"detail": [{"loc": 1}]}, None),
        ("boom", None),
    ],
)
def test_the_words_of_an_error_body(body, words):
    assert error_message(body) == words


@given(
    st.text(alphabet="ab <>/", max_size=12),
    st.text(alphabet="ab ", max_size=12),
    st.sampled_from(["think", "thinking", "reasoning"]),
)
def test_a_closed_block_splits_where_it_stands(answer, thought, name):
    assert split_thinking(f"<{name}>{thought}</{name}>{answer}") == (answer.strip(), thought.strip(), True)


FIELDS = st.sampled_from(
    ["choices", "message", "content", "error", "usage", "finish_reason", "type", "text", "refusal"]
)
BODIES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELDS, inner, max_size=4),
    max_leaves=12,
)


@given(BODIES)
def test_no_body_raises(payload):
    assert isinstance(parse_reply(payload), Reply)


def test_judge_replies_that_were_cut_or_drafted_in_thinking():
    cases = Path(__file__).resolve().parents[4] / "shared" / "cases" / "files" / "judge_json_replies.json"
    if not cases.exists():
        pytest.skip("the case files are not beside the repository")
    replies = {case["id"]: case for case in json.loads(cases.read_text(encoding="utf-8"))}
    cut = replies["answer_in_reasoning"]
    body = completion(
        cut["raw"], finish_reason=cut["finish_reason"], reasoning_content=cut["reasoning_content"]
    )
    assert parse_reply(body).status is Status.TRUNCATED
    assert parse_reply(completion(replies["empty"]["raw"])).status is Status.EMPTY
    assert parse_reply(completion(replies["think_draft"]["raw"])).text == (
        '{"reason": "year differs", "correct": false}'
    )

import asyncio
import json
import math
from email.utils import formatdate

import pytest

from lvqa_eval.serving.client import ChatClient
from lvqa_eval.serving.failures import is_overflow, read_json, retry_after
from lvqa_eval.serving.request import RequestBody, Sampling
from lvqa_eval.statuses import Status
from tests.support.chat_server import error, garbles, hangs, resets, says, serving

KEY = "sk-very-secret"
HELLO = [(b'{"role":"user","content":"hello"}',)]


def client(*servers, sampling=None, **options):
    urls = [server if isinstance(server, str) else server.url for server in servers]
    options = {"api_key": KEY, "backoff": 0.01} | options
    return ChatClient(urls, "tiny", sampling or Sampling(), **options)


async def ask(*script, **options):
    async with serving(*script) as server, client(server, **options) as chat:
        return await chat.complete(HELLO, seed=7), server


async def test_the_body_is_the_sampling_and_the_messages_as_they_are():
    extra = {"chat_template_kwargs": {"enable_thinking": False}}
    sampling = Sampling(temperature=0.6, top_p=0.9, max_tokens=12, top_k=20, extra=extra)
    reply, server = await ask(sampling=sampling)
    assert (reply.status, reply.text) == (Status.OK, "red")
    assert (reply.prompt_tokens, reply.completion_tokens, reply.cached_tokens) == (9, 1, 8)
    assert server.bodies == [
        {
            "model": "tiny",
            "temperature": 0.6,
            "top_p": 0.9,
            "max_tokens": 12,
            "top_k": 20,
            "chat_template_kwargs": {"enable_thinking": False},
            "messages": [{"role": "user", "content": "hello"}],
            "seed": 7,
        }
    ]
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert server.headers[0]["Content-Type"] == "application/json"


async def test_a_body_of_megabytes_arrives_whole():
    texts = ["a" * 300_000, "b", "c" * 131_072, "d" * 131_071, "", "e" * 900_000]
    messages = [(json.dumps({"role": "user", "content": text}).encode(),) for text in texts]
    async with serving() as server, client(server) as chat:
        reply = await chat.complete(messages, seed=1)
    assert reply.status is Status.OK
    assert [message["content"] for message in server.bodies[0]["messages"]] == texts


def test_a_body_without_messages_is_json_too():
    body = b"".join(RequestBody("m", Sampling()).fragments([], 3))
    assert json.loads(body)["messages"] == []


def test_extra_may_not_replace_what_has_a_field():
    with pytest.raises(ValueError, match="sampling, extra: found messages, seed, which have fields"):
        Sampling(extra={"seed": 1, "messages": []})


async def test_rate_limits_and_server_errors_are_tried_again():
    reply, server = await ask(error(500, "boom"), error(429, "slow down"), error(503, "busy"))
    assert reply.status is Status.OK
    assert len(server.bodies) == 4
    assert server.bodies[0] == server.bodies[3]


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 529])
async def test_what_stays_refused_is_a_server_error_after_the_attempts(status):
    reply, server = await ask(*[error(status, "no room")] * 9, attempts=3)
    assert (reply.status, reply.text, reply.error) == (Status.SERVER_ERROR, None, f"HTTP {status}: no room")
    assert len(server.bodies) == 3


async def test_an_item_with_six_rate_limits_is_one_error_among_nineteen_replies():
    async with serving(*[error(429, "rate limit")] * 6) as server, client(server, attempts=6) as chat:
        replies = [await chat.complete(HELLO, seed=seed) for seed in range(20)]
    assert [reply.status for reply in replies] == [Status.SERVER_ERROR] + [Status.OK] * 19


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
async def test_other_client_errors_are_not_tried_again(status):
    reply, server = await ask(error(status, "this will not do"))
    assert (reply.status, reply.error) == (Status.SERVER_ERROR, f"HTTP {status}: this will not do")
    assert len(server.bodies) == 1


async def test_a_redirect_is_not_followed():
    reply, _ = await ask(says(307, {}, Location="http://127.0.0.1:1/"))
    assert reply.error == "HTTP 307: {}"


@pytest.mark.parametrize(
    ("header", "least"), [({"Retry-After": "0.4"}, 0.4), ({"retry-after-ms": "300"}, 0.3)]
)
async def test_retry_after_is_waited_for(header, least):
    _, server = await ask(error(429, "slow down", **header))
    assert server.times[1] - server.times[0] >= least


async def test_a_wait_beyond_the_deadline_is_left_to_the_next_run():
    reply, server = await ask(error(429, "tomorrow", **{"Retry-After": "86400"}))
    assert (reply.status, len(server.bodies)) == (Status.SERVER_ERROR, 1)


def test_retry_after_as_seconds_and_as_a_date():
    assert retry_after({"retry-after": "12"}, now=0) == 12
    assert retry_after({"retry-after": "1", "retry-after-ms": "1500"}, now=0) == 1.5
    date = formatdate(1_000_030, usegmt=True)
    assert retry_after({"retry-after": date}, now=1_000_000) == 30
    assert retry_after({"retry-after": date}, now=2_000_000) == 0
    assert retry_after({"retry-after": "soon"}, now=0) is None
    assert retry_after({}, now=0) is None


async def test_one_stuck_request_is_a_timeout_and_touches_no_other():
    # Long enough for the others on loaded cores.
    async with serving(hangs) as server, client(server, deadline=3, attempts=1) as chat:
        stuck = asyncio.create_task(chat.complete(HELLO, seed=0))
        await asyncio.sleep(0.05)
        others = [await chat.complete(HELLO, seed=seed) for seed in range(1, 40)]
        reply = await stuck
    assert (reply.status, reply.error) == (Status.TIMEOUT, "no reply within 3 s")
    assert {other.status for other in others} == {Status.OK}


async def test_the_deadline_is_of_each_attempt():
    reply, server = await ask(hangs, deadline=0.2)
    assert (reply.status, len(server.bodies)) == (Status.OK, 2)


async def test_a_queued_request_spends_no_deadline():
    async def slow(request):
        await asyncio.sleep(0.15)
        return await says()(request)

    async with serving(*[slow] * 6) as server, client(server, deadline=0.4, concurrency=1) as chat:
        replies = await asyncio.gather(*[chat.complete(HELLO, seed=seed) for seed in range(6)])
    assert {reply.status for reply in replies} == {Status.OK}
    assert server.most_in_flight == 1


async def test_no_more_than_the_limit_are_in_flight():
    async def slow(request):
        await asyncio.sleep(0.02)
        return await says()(request)

    async with serving(*[slow] * 30) as server, client(server, concurrency=4) as chat:
        await asyncio.gather(*[chat.complete(HELLO, seed=seed) for seed in range(30)])
    assert server.most_in_flight == 4


async def test_reset_connections_are_tried_again():
    reply, server = await ask(resets, resets)
    assert (reply.status, len(server.bodies)) == (Status.OK, 3)
    reply, server = await ask(*[resets] * 9, attempts=2)
    assert reply.status is Status.TRANSPORT_ERROR
    assert reply.error.startswith("ServerDisconnectedError")
    assert len(server.bodies) == 3, "two attempts, and one more for a connection that was closed"


VLLM_LONG_TEXT = (
    "This model's maximum context length is 8192 tokens. However, your prompt contains at least 8193 input "
    "tokens, which exceeds this limit even without any output tokens."
)
OVERFLOWS = [
    (400, VLLM_LONG_TEXT, 400),
    (400, "Input length (17161) exceeds model's maximum context length (16384).", 400),
    (400, "The decoder prompt (length 9001) is longer than the maximum model length of 8192.", 400),
    (400, "Please reduce the length of the messages.", "context_length_exceeded"),
    (400, "the request exceeds the available context size, try increasing it", "exceed_context_size_error"),
    (413, "prompt is too long: 210000 tokens > 200000 maximum", None),
]


@pytest.mark.parametrize(("status", "message", "code"), OVERFLOWS)
async def test_a_conversation_beyond_the_context_has_a_status_of_its_own(status, message, code):
    reply, server = await ask(error(status, message, code))
    assert (reply.status, reply.error) == (Status.CONTEXT_OVERFLOW, message)
    assert len(server.bodies) == 1


def test_other_refusals_are_no_overflow():
    words = "max_tokens=20000 cannot be greater than max_model_len=16384. Please request fewer output tokens."
    assert not is_overflow({"error": {"message": words}})
    assert not is_overflow({"error": {"message": "At most 8 image(s) may be provided in one prompt."}})
    assert not is_overflow("Bad Gateway")


async def test_an_error_in_a_body_with_status_200_is_tried_again():
    reply, server = await ask(says(body={"error": {"message": "upstream", "code": 502}}))
    assert (reply.status, len(server.bodies)) == (Status.OK, 2)
    reply, _ = await ask(*[says(body={"error": {"message": "upstream", "code": 502}})] * 2, attempts=2)
    assert (reply.status, reply.error) == (Status.SERVER_ERROR, "upstream")
    reply, server = await ask(
        says(body={"error": {"code": "context_length_exceeded", "message": "too long"}})
    )
    assert (reply.status, len(server.bodies)) == (Status.CONTEXT_OVERFLOW, 1)


async def test_a_body_that_is_no_json_is_a_server_error():
    reply, _ = await ask(garbles, garbles, attempts=2)
    assert reply.status is Status.SERVER_ERROR
    assert reply.error.startswith("reply: not JSON:")


def test_a_body_that_strict_json_refuses_is_read():
    assert read_json(b"[-Infinity, NaN, 1.5]")[0] == -math.inf
    assert math.isnan(read_json(b'{"logprob": NaN}')["logprob"])
    assert read_json('["\\ud83d\\ude00", "\\ud800x", "ю"]'.encode()) == ["😀", "\ufffdx", "ю"]
    for no_json in (b"", b"<html>", b'{"a": ', b"\xff", b"[" * 100_000):
        with pytest.raises(ValueError):
            read_json(no_json)


async def test_the_key_never_shows(caplog):
    caplog.set_level("DEBUG")
    echo = error(500, f"Incorrect API key provided: {KEY}.")
    reply, _ = await ask(echo, echo, attempts=2)
    assert reply.error == "HTTP 500: Incorrect API key provided: ***."
    assert KEY not in caplog.text
    assert KEY not in repr(client("http://127.0.0.1:1"))


async def test_the_words_of_a_server_are_cut_to_one_short_line():
    reply, _ = await ask(error(400, "no\n" * 1000))
    assert reply.error == "HTTP 400: " + ("no " * 1000)[:499] + "…"


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("127.0.0.1:8000", "needed one such as"),
        ("ftp://x/v1", "needed one such as"),
        ("http://u:p@x/v1", "keys come from"),
    ],
)
def test_a_bad_base_url_is_refused(url, words):
    with pytest.raises(ValueError, match=words):
        client(url)


async def test_a_base_url_without_a_path_means_v1():
    async with serving() as server, client(server.url.removesuffix("/v1") + "/") as chat:
        assert (await chat.complete(HELLO, seed=0)).status is Status.OK


async def test_the_waits_grow_and_repeat_with_the_seed():
    def waits(seed):
        chat = client("http://127.0.0.1:1", backoff=0.5, jitter_seed=seed)
        return [chat._wait(attempt) for attempt in range(1, 12)]

    assert waits(1) == waits(1) != waits(2)
    bounds = [min(0.5 * 2**attempt, 30.0) for attempt in range(11)]
    assert all(0 <= wait <= bound for wait, bound in zip(waits(1), bounds, strict=True))

"""What the client changes of a request and sends again: pictures that were lost, figures nobody can write."""

import json

import pytest

from lvqa_eval.images import Picture
from lvqa_eval.runs.records import TokenLogprobs
from lvqa_eval.serving.client import ChatClient
from lvqa_eval.serving.request import RequestBody, Route, Sampling
from lvqa_eval.simulation.logprobs import NO_VALUE, NOT_GIVEN
from lvqa_eval.statuses import Status
from tests.support.chat_server import completion, error, says, serving

MISS = error(400, "Cache miss for image at index 0 but data is not provided.")
UNWRITABLE = error(500, "Out of range float values are not JSON compliant")
WITH_LOGPROBS = Sampling(max_tokens=8, extra={"logprobs": True, "top_logprobs": 5, "min_p": 0.1})


def client(*urls, sampling=None, **options):
    return ChatClient(urls, "tiny", sampling or Sampling(), backoff=0.01, **options)


HELLO = [(b'{"role":"user","content":"hello"}',)]


def picture(name, reference=True):
    short = b'{"by":"%s"}' % name.encode() if reference else None
    return Picture(name * 64, 8, 8, b'{"whole":"%s"}' % name.encode(), short)


def ask_with(*pictures):
    pieces = []
    for number, one in enumerate(pictures):
        pieces += [b"," if number else b'{"role":"user","content":[', one]
    return [(*pieces, b"]}")]


def sent(server):
    return [body["messages"][0]["content"] for body in server.bodies]


async def test_a_picture_goes_whole_once_and_then_by_reference():
    a, b = picture("a"), picture("b")
    async with serving() as server, client(server.url) as chat:
        for pictures in [(a,), (a, b), (b, a)]:
            assert (await chat.complete(ask_with(*pictures), seed=0)).status is Status.OK
    assert sent(server) == [[{"whole": "a"}], [{"by": "a"}, {"whole": "b"}], [{"by": "b"}, {"by": "a"}]]


async def test_a_picture_without_a_reference_always_goes_whole():
    async with serving() as server, client(server.url) as chat:
        for _ in range(2):
            await chat.complete(ask_with(picture("a", reference=False)), seed=0)
    assert sent(server) == [[{"whole": "a"}]] * 2


async def test_what_a_server_refused_it_does_not_hold():
    async with serving(error(400, "no")) as server, client(server.url) as chat:
        for _ in range(2):
            await chat.complete(ask_with(picture("a")), seed=0)
    assert sent(server) == [[{"whole": "a"}]] * 2


async def test_each_endpoint_has_its_own_pictures():
    async with serving() as one, serving() as two, client(one.url, two.url) as chat:
        for endpoint in (0, 1, 0, 1):
            await chat.complete(ask_with(picture("a")), seed=0, route=Route(endpoint, endpoint))
    assert sent(one) == sent(two) == [[{"whole": "a"}], [{"by": "a"}]]


@pytest.mark.parametrize(
    "miss", [MISS, error(500, "Multi-modal processor cache miss.", "multimodal_cache_miss")]
)
async def test_a_picture_that_the_server_lost_is_sent_whole_without_spending_an_attempt(miss):
    a, b = picture("a"), picture("b")
    async with serving(says(), says(), miss) as server, client(server.url, attempts=1) as chat:
        replies = [await chat.complete(ask_with(*one), seed=0) for one in [(a,), (b,), (a, b), (a, b)]]
    assert [reply.status for reply in replies] == [Status.OK] * 4
    by_name, whole = [{"by": "a"}, {"by": "b"}], [{"whole": "a"}, {"whole": "b"}]
    assert sent(server) == [[{"whole": "a"}], [{"whole": "b"}], by_name, whole, by_name]
    assert chat.retries == 1


async def test_a_miss_of_what_was_sent_whole_is_an_error():
    async with serving(MISS, MISS) as server, client(server.url) as chat:
        reply = await chat.complete(ask_with(picture("a")), seed=0)
    assert (reply.status, len(server.bodies)) == (Status.SERVER_ERROR, 1)
    assert reply.error == "HTTP 400: Cache miss for image at index 0 but data is not provided."


async def test_a_miss_that_stays_after_the_whole_pictures_is_an_error():
    async with serving(says(), MISS, MISS) as server, client(server.url) as chat:
        replies = [await chat.complete(ask_with(picture("a")), seed=0) for _ in range(2)]
    assert (replies[1].status, len(server.bodies)) == (Status.SERVER_ERROR, 3)


def logprobs(*values):
    content = [{"token": "x", "logprob": value, "top_logprobs": []} for value in values]
    body = completion()
    body["choices"][0]["logprobs"] = {"content": content}
    return body


async def test_minus_infinity_and_nan_in_a_body_are_read_and_flagged():
    async def answers(request):
        from aiohttp import web

        shown = json.dumps(logprobs(float("-inf"), float("nan"), -0.5))
        assert "-Infinity" in shown
        assert "NaN" in shown
        return web.Response(text=shown, content_type="application/json")

    async with serving(answers) as server, client(server.url, sampling=WITH_LOGPROBS) as chat:
        reply = await chat.complete(HELLO, seed=0)
    assert (reply.status, reply.text, len(server.bodies)) == (Status.OK, "red", 1)
    assert reply.logprobs.logprobs == (None, None, -0.5)
    assert NO_VALUE in reply.logprobs.flags


async def test_a_server_that_cannot_write_minus_infinity_is_asked_without_logprobs():
    async with (
        serving(UNWRITABLE) as server,
        client(server.url, sampling=WITH_LOGPROBS, attempts=1) as chat,
    ):
        reply = await chat.complete(ask_with(picture("a")), seed=7)
    assert (reply.status, reply.text, chat.retries) == (Status.OK, "red", 1)
    assert reply.logprobs == TokenLogprobs((), (), (), (), (NOT_GIVEN,))
    first, second = server.bodies
    assert (first.pop("logprobs"), first.pop("top_logprobs")) == (True, 5)
    assert first == second
    assert (second["seed"], second["max_tokens"], second["min_p"]) == (7, 8, 0.1)


async def test_the_same_error_without_logprobs_is_a_server_error():
    async with serving(UNWRITABLE, UNWRITABLE) as server, client(server.url, attempts=2) as chat:
        reply = await chat.complete(HELLO, seed=0)
    assert (reply.status, len(server.bodies)) == (Status.SERVER_ERROR, 2)
    script = [UNWRITABLE] * 4
    async with serving(*script) as server, client(server.url, sampling=WITH_LOGPROBS, attempts=2) as chat:
        reply = await chat.complete(HELLO, seed=0)
    assert (reply.status, reply.logprobs, len(server.bodies)) == (Status.SERVER_ERROR, None, 4)


def test_a_body_without_logprobs_keeps_all_else():
    bare = RequestBody("tiny", WITH_LOGPROBS).without_logprobs
    assert json.loads(b"".join(bare.fragments([], 3))) == {
        "model": "tiny",
        "temperature": 1.0,
        "top_p": 1.0,
        "max_tokens": 8,
        "min_p": 0.1,
        "messages": [],
        "seed": 3,
    }
    assert bare.without_logprobs is None
    assert RequestBody("tiny", Sampling()).without_logprobs is None

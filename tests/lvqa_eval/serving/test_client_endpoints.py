"""How the client meets servers that stall, close, die and come back: order, pauses, breakers, routes."""

import asyncio
import contextlib
import socket

import pytest

from lvqa_eval.serving.client import ChatClient, ServerGoneError
from lvqa_eval.serving.request import Route, Sampling
from lvqa_eval.statuses import Status
from tests.support.chat_server import error, hangs, resets, says, serving

HELLO = [(b'{"role":"user","content":"hello"}',)]


def client(*urls, **options):
    options = {"backoff": 0.01, "patience": 5.0} | options
    return ChatClient(urls, "tiny", Sampling(), **options)


def unused_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def dead_url():
    return f"http://127.0.0.1:{unused_port()}/v1"


def words(reply):
    return reply.status, reply.error


async def ask_all(chat, count, endpoint=0, first=0):
    asked = [
        chat.complete(HELLO, seed=order, route=Route(endpoint, order))
        for order in range(first, first + count)
    ]
    return await asyncio.gather(*asked)


async def test_a_dead_server_ends_the_run_after_so_many_failures_in_a_row():
    url = dead_url()
    async with client(url, attempts=3, breaker=20, patience=0.05) as chat:
        replies = [await chat.complete(HELLO, seed=seed) for seed in range(6)]
        assert {reply.status for reply in replies} == {Status.TRANSPORT_ERROR}
        with pytest.raises(ServerGoneError, match="20 requests in a row without an answer") as caught:
            await chat.complete(HELLO, seed=7)
        assert caught.value.endpoints == (url,)
        assert str(caught.value).startswith(f"{url}: 20 requests")
        assert str(caught.value).endswith("not back within 0.05 s")
        with pytest.raises(ServerGoneError):
            await chat.complete(HELLO, seed=8)
        assert chat.limits == (0,)


async def test_any_answer_shows_that_a_server_lives():
    script = [resets] * 5 + [error(500, "boom")] + [resets] * 4
    async with serving(*script) as server, client(server.url, attempts=10, breaker=5, backoff=0.001) as chat:
        assert (await chat.complete(HELLO, seed=0)).status is Status.OK
    assert chat.retries == 10


@contextlib.asynccontextmanager
async def raw_server(port, answer):
    """Serve on a port of one's own; `answer` is given the streams of each connection."""
    server = await asyncio.start_server(answer, "127.0.0.1", port)
    try:
        yield
    finally:
        server.close()
        await server.wait_closed()


BODY = b'{"choices":[{"message":{"content":"red"},"finish_reason":"stop"}]}'
COMPLETION = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (
    len(BODY),
    BODY,
)


async def request(reader):
    head = await reader.readuntil(b"\r\n\r\n")
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            await reader.readexactly(int(line.split(b":")[1]))
    return head


async def test_requests_outlast_a_restart_and_their_attempts_are_not_spent():
    port, seen = unused_port(), []

    async def lives(reader, writer):
        with contextlib.suppress(asyncio.IncompleteReadError):
            while True:
                seen.append((await request(reader)).split(b" ")[0])
                writer.write(COMPLETION)
        writer.close()

    async with client(f"http://127.0.0.1:{port}/v1", attempts=2, breaker=4) as chat:
        asked = [asyncio.create_task(chat.complete(HELLO, seed=seed)) for seed in range(10)]
        await asyncio.sleep(0.3)  # longer than all the waits between the attempts that each has
        assert not any(task.done() for task in asked)
        assert chat.retries < 20
        async with raw_server(port, lives):
            replies = await asyncio.gather(*asked)
    assert {reply.status for reply in replies} == {Status.OK}
    assert (seen[0], seen.count(b"POST")) == (b"GET", 10)


async def test_a_connection_that_was_closed_for_idleness_costs_no_attempt():
    port, connections = unused_port(), []

    async def closes_at_the_second(reader, writer):
        connections.append(1)
        await request(reader)
        writer.write(COMPLETION)
        with contextlib.suppress(asyncio.IncompleteReadError):
            await request(reader)
        writer.close()

    chat = client(f"http://127.0.0.1:{port}/v1", attempts=1, backoff=60.0)
    async with raw_server(port, closes_at_the_second), chat:
        replies = [await chat.complete(HELLO, seed=seed) for seed in range(4)]
    assert [reply.status for reply in replies] == [Status.OK] * 4
    assert (len(connections), chat.retries) == (4, 3)


async def test_a_process_that_has_ended_is_not_waited_for():
    ended = [lambda: "exit code 1"]
    async with client(dead_url(), patience=60.0, ended=ended) as chat:
        with pytest.raises(ServerGoneError, match="the server has ended: exit code 1"):
            await chat.complete(HELLO, seed=0)


async def test_only_the_endpoint_whose_process_ended_is_given_up():
    ended = [lambda: "exit code 1", lambda: None]
    async with serving() as server, client(dead_url(), server.url, patience=60.0, ended=ended) as chat:
        reply = await chat.complete(HELLO, seed=0)
    assert (reply.status, chat.limits, len(server.bodies)) == (Status.OK, (0, 32), 1)


async def test_new_conversations_leave_a_dead_endpoint_for_the_next():
    async with serving() as one, serving() as two:
        urls = (one.url, dead_url(), two.url)
        async with client(*urls, attempts=9, breaker=2, patience=0.05) as chat:
            assert chat.endpoints == 3
            replies = await ask_all(chat, 6, endpoint=1)
            assert {reply.status for reply in replies} == {Status.OK}
            assert (len(one.bodies), len(two.bodies)) == (0, 6)
            again = await ask_all(chat, 6, endpoint=1)
            assert {reply.status for reply in again} == {Status.OK}
            assert (len(one.bodies), len(two.bodies)) == (0, 12), "a conversation stays where it went"


async def test_conversations_of_an_endpoint_that_died_end_at_once():
    async with serving() as lives:
        async with serving() as dies:
            chat = client(dies.url, lives.url, attempts=9, breaker=2, patience=0.05)
            await chat.__aenter__()
            assert {reply.status for reply in await ask_all(chat, 3)} == {Status.OK}
        replies = await ask_all(chat, 5)
        assert [reply.status for reply in replies] == [Status.TRANSPORT_ERROR] * 3 + [Status.OK] * 2
        start = f"{dies.url}, which began this conversation: 2 requests in a row without an answer"
        assert all(reply.error.startswith(start) for reply in replies[:3])
        assert len(lives.bodies) == 2
        await chat.__aexit__(None, None, None)


async def test_the_run_ends_only_once_every_endpoint_is_dead():
    urls = (dead_url(), dead_url())
    async with client(*urls, attempts=9, breaker=2, patience=0.05) as chat:
        with pytest.raises(ServerGoneError) as caught:
            await chat.complete(HELLO, seed=0)
    assert caught.value.endpoints == urls
    assert [line.split(": ")[0] for line in str(caught.value).splitlines()] == list(urls)


async def test_a_conversation_that_began_first_is_finished_first():
    served = []

    async def slow(request):
        served.append((await request.json())["seed"])
        await asyncio.sleep(0.005)
        return await says()(request)

    async def converse(chat, order):
        for _ in range(3):
            await chat.complete(HELLO, seed=order, route=Route(0, order))

    async with serving(*[slow] * 60) as server, client(server.url, concurrency=2) as chat:
        await asyncio.gather(*[converse(chat, order) for order in range(10)])
    last = [max(place for place, order in enumerate(served) if order == one) for one in range(10)]
    first = [served.index(order) for order in range(10)]
    assert all(first[order] > last[order - 3] for order in range(3, 10)), served


async def test_a_rate_limit_holds_back_every_request_to_that_endpoint():
    refused = asyncio.Event()

    async def refuses(request):
        refused.set()
        return await error(429, "slow down", **{"retry-after-ms": "300"})(request)

    async with serving(refuses) as server, serving() as other:
        chat = client(server.url, other.url, concurrency=1)
        await chat.__aenter__()
        waited = asyncio.create_task(ask_all(chat, 3))
        await refused.wait()
        assert (await chat.complete(HELLO, seed=0, route=Route(1, 9))).status is Status.OK
        assert (len(other.bodies), len(server.bodies)) == (1, 1)
        assert {reply.status for reply in await waited} == {Status.OK}
        await chat.__aexit__(None, None, None)
    assert server.times[1] - server.times[0] >= 0.3


async def test_signs_of_overload_lower_the_limit():
    async with serving(error(503, "busy"), error(500, "boom")) as server, client(server.url) as chat:
        assert chat.limits == (32,)
        assert (await chat.complete(HELLO, seed=0)).status is Status.OK
        assert (chat.limits, chat.retries) == ((16,), 2)
    async with serving(hangs) as server, client(server.url, deadline=0.1) as chat:
        assert (await chat.complete(HELLO, seed=0)).status is Status.OK
        assert chat.limits == (16,)


async def test_stuck_requests_wake_no_breaker_while_others_are_answered():
    stuck = [hangs, says(), hangs, says(), hangs, says()]
    async with serving(*stuck) as server, client(server.url, deadline=0.2, attempts=1, breaker=2) as chat:
        replies = [await chat.complete(HELLO, seed=seed) for seed in range(6)]
    assert [reply.status for reply in replies] == [Status.TIMEOUT, Status.OK] * 3
    assert words(replies[0]) == (Status.TIMEOUT, "no reply within 0.2 s")

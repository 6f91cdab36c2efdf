"""What stands before the app: headers on everything, and documents that are made once."""

import pytest

from leaderboard.guard import Guarded, Remembered


class App:
    """An ASGI application that answers with the number of the request, after 'not found' where asked."""

    def __init__(self, status=200):
        self.count, self.status = 0, status

    async def __call__(self, scope, receive, send):
        self.count += 1
        await send({"type": "http.response.start", "status": self.status, "headers": [(b"x-own", b"1")]})
        await send({"type": "http.response.body", "body": b"%d " % self.count, "more_body": True})
        await send({"type": "http.response.body", "body": b"end"})


async def asked(app, path="/", query=b"", method="GET", headers=((b"host", b"here"),), kind="http"):
    """Return the start of an answer and its body."""
    sent = []

    async def send(message):
        sent.append(message)

    scope = {
        "type": kind,
        "path": path,
        "query_string": query,
        "method": method,
        "headers": list(headers),
    }
    await app(scope, None, send)
    return sent[0], b"".join(message.get("body", b"") for message in sent[1:])


async def test_every_answer_keeps_the_browser_here():
    start, body = await asked(Guarded(App()))
    headers = dict(start["headers"])
    policy = headers[b"content-security-policy"].decode()
    assert body == b"1 end"
    assert headers[b"x-own"] == b"1"
    assert headers[b"x-content-type-options"] == b"nosniff"
    assert policy.startswith("default-src 'self' ")
    assert policy.endswith("frame-ancestors 'none'")
    assert "http" not in policy


async def test_a_space_may_be_framed_by_its_site_alone():
    start, _ = await asked(Guarded(App(), ("https://huggingface.co",)))
    policy = dict(start["headers"])[b"content-security-policy"].decode()
    assert policy.endswith("frame-ancestors https://huggingface.co")


async def test_a_document_is_made_once_for_each_name_of_the_server():
    inner = App()
    app = Remembered(inner, ["/", "/bear"])
    assert [(await asked(app))[1] for _ in range(3)] == [b"1 end"] * 3
    assert (await asked(app, query=b"lang=ru&q=x"))[1] == b"1 end"
    assert (await asked(app, "/bear"))[1] == b"2 end"
    other = ((b"host", b"there"), (b"x-forwarded-proto", b"https"))
    assert (await asked(app, headers=other))[1] == b"3 end"
    assert (await asked(app, headers=((b"host", b"here"), (b"cookie", b"any"))))[1] == b"1 end"


@pytest.mark.parametrize(
    "request_of",
    [
        {"path": "/views/layered"},
        {"path": "/", "query": b"deep_link=abc"},
        {"path": "/", "method": "POST"},
        {"path": "/", "kind": "websocket"},
    ],
)
async def test_everything_else_is_asked_for_anew(request_of):
    app = Remembered(App(), ["/"])
    assert [(await asked(app, **request_of))[1] for _ in range(2)] == [b"1 end", b"2 end"]


async def test_the_pages_of_a_configuration_are_kept_apart():
    app = Remembered(App(), ["/config"])
    queries = (b"", b"page=bear", b"", b"page=bear")
    assert [(await asked(app, "/config", query))[1] for query in queries] == [
        b"1 end",
        b"2 end",
        b"1 end",
        b"2 end",
    ]


async def test_a_failure_is_not_kept():
    inner = App(500)
    app = Remembered(inner, ["/"])
    assert (await asked(app))[0]["status"] == 500
    inner.status = 200
    assert (await asked(app))[1] == b"2 end"
    assert (await asked(app))[1] == b"2 end"


async def test_names_that_somebody_makes_up_do_not_fill_the_memory():
    inner = App()
    app = Remembered(inner, ["/"])
    for number in range(200):
        await asked(app, headers=((b"host", b"h%d" % number),))
    assert len(app._kept) <= 64
    await asked(app, headers=((b"host", b"h199"),))
    assert inner.count == 200

"""A chat server that fails on purpose, a process of its own; replies are a function of the history alone.

    python tests/support/faulty_server.py --port PORT --record FILE --seed N

Some requests of conversations are refused (429, with Retry-After), broken (500), left hanging or answered
with a body that ends in the middle, as drawn from the seed, the history and how often it has been sent.
Every history is written to FILE before it is answered, one line of JSON each: its seed, its bytes with each
picture's data by hash, and the fault. Several servers may write to one file after one another.
"""

import argparse
import asyncio
import base64
import functools
import hashlib
import io
import json
import os
import re
import sys
from collections import Counter

import orjson
from aiohttp import web
from PIL import Image

RATES = {"429": 0.05, "500": 0.03, "hung": 0.02, "cut": 0.01}
"""The share of requests that fail in each way."""

_DATA = re.compile(rb"data:image/png;base64,([A-Za-z0-9+/=]+)")
_COLOURS = ("red", "green", "blue", "black", "white", "yellow", "brown", "orange")


def reply_to(history):
    """Return the reply to a history: pairs of a role and its content, texts as they are, pictures by `look`.

    Where the contract asks for lines with labels, the reply has them.
    """
    digest = hashlib.sha256(json.dumps(history, ensure_ascii=False).encode()).hexdigest()
    answer = f"{_COLOURS[int(digest[:8], 16) % len(_COLOURS)]} {digest[8:20]}"
    if "Layers:" not in history[0][1][0]:
        return answer
    return f"Answer: {answer}\nLayers: 0\nConfidence: 50\nWhy: it is drawn from the history."


def look(width, height, rgb):
    """Return what names a picture by its pixels: `rgb` holds them row by row."""
    return f"{width}x{height} {hashlib.sha256(rgb).hexdigest()}"


def fault(seed, history, attempt):
    """Return the fault of the n-th sending of a history (its bytes), None for most."""
    drawn = int(hashlib.sha256(b"%d:%d:" % (seed, attempt) + history).hexdigest()[:13], 16) / 16**13
    for name, rate in RATES.items():
        if drawn < rate:
            return name
        drawn -= rate
    return None


def read_history(messages):
    """Return the messages of a request as `reply_to` takes them."""
    return [[message["role"], _content(message["content"])] for message in messages]


def _content(content):
    if isinstance(content, str):
        return [content]
    return [
        part["text"] if part["type"] == "text" else _seen(part["image_url"]["url"].split(",", 1)[1])
        for part in content
    ]


@functools.lru_cache(maxsize=4096)
def _seen(data):
    with Image.open(io.BytesIO(base64.b64decode(data))) as picture:
        return look(*picture.size, picture.convert("RGB").tobytes())


class FaultyServer:
    """Answers, or fails, and records."""

    def __init__(self, seed, record):
        self.seed = seed
        self.record = os.open(record, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self.sent = Counter()

    async def chat(self, request):
        raw = await request.read()
        body = orjson.loads(raw)
        history = read_history(body["messages"])
        failing = self._note(raw, body["seed"]) if history[0][0] == "system" else None
        if failing == "429":
            return _refused(len(raw))
        if failing == "500":
            return web.json_response({"error": {"message": "something broke", "code": 500}}, status=500)
        if failing == "hung":
            await asyncio.sleep(3600)
        answer = orjson.dumps(
            {
                "choices": [
                    {
                        "message": {"role": "assistant", "content": reply_to(history)},
                        "finish_reason": "stop",
                    }
                ],
                "usage": {"prompt_tokens": len(raw) // 4, "completion_tokens": 8},
            }
        )
        if failing == "cut":
            return await _cut(request, answer)
        return web.Response(body=answer, content_type="application/json")

    def _note(self, raw, seed):
        """Write the history down and draw its fault. One write, so that a kill leaves whole lines."""
        sent = raw[raw.index(b'"messages":[') : raw.rindex(b'],"seed":')]
        history = _DATA.sub(lambda found: b"sha256:" + hashlib.sha256(found[1]).hexdigest().encode(), sent)
        self.sent[history] += 1
        failing = fault(self.seed, history, self.sent[history])
        line = orjson.dumps({"seed": seed, "history": history.decode(), "fault": failing})
        os.write(self.record, line + b"\n")
        return failing


def _refused(number):
    """Ask for a wait, in one of the ways that there are."""
    wait = {"retry-after-ms": str(number % 400)} if number % 4 else {"Retry-After": "1"}
    told = {"error": {"message": "too many requests", "code": 429}}
    return web.json_response(told, status=429, headers=wait)


async def _cut(request, answer):
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    response.content_length = len(answer)
    await response.prepare(request)
    await response.write(answer[: len(answer) // 2])
    request.transport.close()
    return response


async def _models(_):
    return web.json_response({"data": [{"id": "faulty", "max_model_len": 65536}]})


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--record", required=True)
    parser.add_argument("--seed", type=int, required=True)
    arguments = parser.parse_args()
    server = FaultyServer(arguments.seed, arguments.record)
    application = web.Application(client_max_size=2**26)
    application.router.add_post("/v1/chat/completions", server.chat)
    application.router.add_get("/v1/models", _models)
    web.run_app(application, host="127.0.0.1", port=arguments.port, access_log=None, print=None)


if __name__ == "__main__":
    sys.exit(main())

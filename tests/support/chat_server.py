"""A server on the loopback address that speaks chat completions and answers as a script says."""

import asyncio
import contextlib
import json
import time
from dataclasses import dataclass, field

from aiohttp import web


def completion(text="red"):
    return {
        "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 8}},
    }


def says(status=200, body=None, **headers):
    async def answer(request):
        shown = completion() if body is None else body
        return web.json_response(shown, status=status, headers=headers)

    return answer


def error(status, message, code=None, **headers):
    return says(status, {"error": {"message": message, "type": "error", "code": code}}, **headers)


async def resets(request):
    request.transport.abort()
    return web.Response()


async def hangs(request):
    await asyncio.sleep(30)
    return web.Response()


async def garbles(request):
    return web.Response(text="<html>", content_type="application/json")


@dataclass
class Server:
    """Answers the n-th request with the n-th step of its script, then with a plain completion."""

    script: list = field(default_factory=list)
    bodies: list = field(default_factory=list)
    headers: list = field(default_factory=list)
    times: list = field(default_factory=list)
    in_flight: int = 0
    most_in_flight: int = 0
    url: str = ""

    async def answer(self, request):
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            self.bodies.append(json.loads(await request.read()))
            self.headers.append(dict(request.headers))
            self.times.append(time.monotonic())
            step = self.script[len(self.bodies) - 1] if len(self.bodies) <= len(self.script) else says()
            return await step(request)
        finally:
            self.in_flight -= 1


@contextlib.asynccontextmanager
async def serving(*script, routes=()):
    """Serve the script at /v1/chat/completions, and other routes: (method, path, handler) each."""
    server = Server(list(script))
    application = web.Application(client_max_size=2**26)
    application.router.add_post("/v1/chat/completions", server.answer)
    for method, path, handler in routes:
        application.router.add_route(method, path, handler)
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    server.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    try:
        yield server
    finally:
        await runner.cleanup()

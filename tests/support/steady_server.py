"""A server whose replies are a pure function of the request, in a thread: other processes may ask it too."""

import asyncio
import contextlib
import hashlib
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web


@dataclass
class Steady:
    """Answers after `pause` seconds; from the request of number `last` on it is dead, never for 0.

    With `reply` it answers with what that makes of the body of a request. It serves the models of `names`.
    """

    length: int = 32768
    names: tuple[str, ...] = ("talker",)
    reply: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    pause: float = 0.0
    last: int = 0
    asked: int = 0
    url: str = ""
    up: threading.Event = field(default_factory=threading.Event)

    async def models(self, _):
        found = [{"id": name, "max_model_len": self.length} for name in self.names]
        return web.json_response({"data": found})

    async def answer(self, request):
        raw = await request.read()
        self.asked += 1
        if self.last and self.asked >= self.last:
            request.transport.abort()
            self.over.set()
        await asyncio.sleep(self.pause)
        if self.reply is not None:
            return web.json_response(self.reply(json.loads(raw)))
        digest = hashlib.sha256(raw).hexdigest()
        usage = {"prompt_tokens": len(raw) // 1000 + 1, "completion_tokens": 1 + int(digest[:2], 16)}
        message = {"role": "assistant", "content": f"red {digest[:12]}"}
        return web.json_response({"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage})

    async def health(self, _):
        return web.Response()

    async def serve(self, port=0):
        self.over, self.loop = asyncio.Event(), asyncio.get_running_loop()
        application = web.Application(client_max_size=2**26)
        application.router.add_get("/health", self.health)
        application.router.add_get("/v1/models", self.models)
        application.router.add_post("/v1/chat/completions", self.answer)
        runner = web.AppRunner(application, shutdown_timeout=0.01)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", port).start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        self.up.set()
        await self.over.wait()
        await runner.cleanup()


@contextlib.contextmanager
def steady_server(**settings):
    """Serve from another thread; yields the base URL."""
    server = Steady(**settings)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve()), daemon=True)
    thread.start()
    server.up.wait()
    try:
        yield server.url
    finally:
        with contextlib.suppress(RuntimeError):  # its loop has ended with it
            server.loop.call_soon_threadsafe(server.over.set)
        thread.join()

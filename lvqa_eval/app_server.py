"""Apps for a browser: a port of this machine, served until interrupted, with headers on every answer."""

import socket
import webbrowser
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

from lvqa_eval.errors import LvqaError

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


class ServingError(LvqaError, ValueError):
    """A port that is taken, or a machine without Gradio."""


class WithHeaders:
    """An ASGI application whose every answer carries further headers."""

    def __init__(self, app: "ASGIApp", headers: Iterable[tuple[bytes, bytes]]) -> None:
        self._app = app
        self._headers = list(headers)

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Answer, with the headers added."""

        async def sending(message: "Message") -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *self._headers]
            await send(message)

        await self._app(scope, receive, sending)


def listen(host: str, port: int) -> socket.socket:
    """Return a socket at `port`, at a free one where it is 0; ServingError for a port that is taken."""
    try:
        return socket.create_server((host, port))
    except OSError as error:
        raise ServingError(f"--port: found {port}: {error.strerror}; 0 takes a free one") from error


def serve_at(
    listening: socket.socket, host: str, app: "ASGIApp", tell: Callable[[str], None], show: bool
) -> None:
    """Serve until interrupted, then close the socket; `tell` hears the address, a browser may `show` it."""
    import uvicorn

    with listening, suppress(KeyboardInterrupt):
        url = f"http://{host}:{listening.getsockname()[1]}/"
        tell(url)
        if show:
            webbrowser.open(url)
        # An open page keeps a connection; it must not keep the program from ending.
        config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)
        uvicorn.Server(config).run(sockets=[listening])

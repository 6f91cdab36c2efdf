"""What stands before the app: headers that keep browsers to this server, and documents that never change."""

from collections import OrderedDict
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Final

from lvqa_eval.app_server import WithHeaders

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_KEPT: Final = 64
"""Documents: some for each page, for each name by which the server is reached."""

_TOLD_BY: Final = (
    *(b"host", b"x-forwarded-host", b"x-forwarded-proto", b"x-gradio-server", b"accept-encoding"),
)
"""The headers that Gradio's documents depend on."""


class Guarded(WithHeaders):
    """An ASGI application whose pages load nothing from elsewhere, and send nothing there.

    `frames`: the sites that may show a page inside one of theirs.
    """

    def __init__(self, app: "ASGIApp", frames: Sequence[str] = ()) -> None:
        ancestors = " ".join(frames) or "'none'"
        # Gradio needs scripts in the page and makes functions of text.
        policy = (
            "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; base-uri 'self'; "
            f"form-action 'self'; frame-ancestors {ancestors}"
        )
        headers = [
            (b"content-security-policy", policy.encode()),
            (b"referrer-policy", b"same-origin"),
            (b"x-content-type-options", b"nosniff"),
        ]
        super().__init__(app, headers)


class Remembered:
    """An ASGI application that makes some documents once: Gradio makes them for every visit, at great cost.

    They depend on the address by which the server is reached, not on the visitor nor on the board. `paths`
    are theirs; a request with `deep_link`, which Gradio reads from the query, is not for the memory.
    """

    def __init__(self, app: "ASGIApp", paths: Collection[str]) -> None:
        self._app = app
        self._paths = frozenset(paths)
        self._kept: OrderedDict[tuple[object, ...], list[Message]] = OrderedDict()

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Answer from memory where the document is one of those, else pass the request on."""
        if (
            scope["type"] != "http"
            or scope["method"] != "GET"
            or scope["path"] not in self._paths
            or b"deep_link" in scope["query_string"]
        ):
            await self._app(scope, receive, send)
            return
        told = tuple(value for name, value in scope["headers"] if name in _TOLD_BY)
        key = (scope["path"], scope["query_string"] if scope["path"] == "/config" else b"", told)
        messages = self._kept.get(key)
        if messages is None:
            messages = await self._heard(scope, receive)
            if messages[0]["status"] == 200:
                self._kept[key] = messages
                if len(self._kept) > _KEPT:
                    self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(key)
        for message in messages:
            await send(dict(message))

    async def _heard(self, scope: "Scope", receive: "Receive") -> "list[Message]":
        messages: list[Message] = []

        async def listen(message: "Message") -> None:
            messages.append(message)

        await self._app(scope, receive, listen)
        return messages

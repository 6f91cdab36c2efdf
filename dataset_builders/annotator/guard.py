"""What stands before the app: who may reach it, and headers that keep browsers to this server."""

import ipaddress
import json
import socket
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from dataset_builders.annotator.problems import Problem
from lvqa_eval.app_server import WithHeaders

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

LOOPBACK: Final = "127.0.0.1"
OWN_NAMES: Final = (LOOPBACK, "localhost", "::1")

_HEADERS: Final = (
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
        b"img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; "
        b"form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
    ),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


class Guarded(WithHeaders):
    """An ASGI application that answers under its own names alone, with pages that load from it alone.

    `names` and `addresses` are those of `_OwnNames`.
    """

    def __init__(self, app: "ASGIApp", names: Iterable[str] = OWN_NAMES, addresses: bool = False) -> None:
        super().__init__(_OwnNames(app, names, addresses), _HEADERS)


class _OwnNames:
    """An ASGI application that answers under its own names alone.

    Another site's name that leads to this address (DNS rebinding) is refused, and so is a request that a page
    of another site makes. `names` are those by which the server may be reached; with `addresses`, any IP
    address too, which no other site can have as its name.
    """

    def __init__(self, app: "ASGIApp", names: Iterable[str], addresses: bool) -> None:
        self._app = app
        self._names = frozenset(name.casefold() for name in names)
        self._addresses = addresses

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Answer, or refuse."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        elif scope["type"] == "http" and (refusal := self._refusal(dict(scope["headers"]))) is not None:
            await _refuse(refusal, send)
        else:
            await self._app(scope, receive, send)

    def _refusal(self, headers: dict[bytes, bytes]) -> tuple[int, Problem] | None:
        host = headers.get(b"host", b"").decode("latin-1")
        if not self._allows(host):
            allowed = ", ".join(sorted(self._names))
            return 400, Problem("host", "own-name", repr(host)[:80], allowed)
        origin = headers.get(b"origin")
        if origin is not None and urlsplit(origin.decode("latin-1")).netloc != host:
            return 403, Problem("origin", "same-site", repr(origin.decode("latin-1"))[:80], host)
        return None

    def _allows(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        if name in self._names:
            return True
        return self._addresses and _is_address(name)


def names_for(host: str, given: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the names by which a server that listens at `host` may be reached, the `given` ones too."""
    own = OWN_NAMES if host in OWN_NAMES else (*OWN_NAMES, host, socket.gethostname())
    return tuple(dict.fromkeys([*own, *given]))


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


async def _refuse(refusal: tuple[int, Problem], send: "Send") -> None:
    status, problem = refusal
    body = json.dumps({"problems": [problem.as_json()]}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})

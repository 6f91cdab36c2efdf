"""A Hub on the loopback address: enough of its HTTP interface to publish and to load datasets.

Requests can be made to fail: `on_request(method, path, body)` returns None to serve, a status to answer with,
"drop" to close the connection without serving, or "lose" to serve and close it without an answer.
"""

import contextlib
import json
import os
import re
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

from tests.support.hub_routes import ROUTES
from tests.support.hub_storage import Refused

TOKEN = "hf_loopback"


@dataclass
class Hub:
    """The state of the Hub: repositories by name, the large-file store, and every request so far."""

    url: str = ""
    store_url: str = ""
    repos: dict = field(default_factory=dict)
    lfs: dict = field(default_factory=dict)
    requests: list = field(default_factory=list)
    received: int = 0
    page: int = 10
    on_request: object = None
    lock: object = field(default_factory=threading.RLock)

    def environment(self, folder, token=TOKEN):
        """Return the environment of a process that uses this Hub, with caches below `folder`."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
        return clean | {
            "HF_ENDPOINT": self.url,
            "HF_HOME": str(folder),
            "HF_HUB_DISABLE_XET": "1",
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "HF_UPDATE_DOWNLOAD_COUNTS": "0",
            "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
            "HF_HUB_DISABLE_PROGRESS_BARS": "1",
            "NO_PROXY": "127.0.0.1,127.0.0.2",
            **({"HF_TOKEN": token} if token else {}),
        }

    def writes(self):
        """Return the requests that change something, as "METHOD path"."""
        reading = ("paths-info", "preupload", "objects/batch", "validate-yaml")
        return [
            line
            for line in self.requests
            if line[:3] not in ("GET", "HEA") and not any(one in line for one in reading)
        ]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # One packet an answer: the client would otherwise wait for the second.
    wbufsize = -1
    disable_nagle_algorithm = True
    hub: Hub

    def log_message(self, *_):
        pass

    def serve(self):
        hub = self.hub
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        split = urlsplit(self.path)
        with hub.lock:
            hub.requests.append(f"{self.command} {unquote(split.path)}")
            hub.received += len(body)
            fault = hub.on_request(self.command, unquote(split.path), body) if hub.on_request else None
            if fault == "drop":
                return self.hang_up()
            try:
                if isinstance(fault, int):
                    raise Refused(fault, "try later")
                answer = self.answer(split.path, parse_qs(split.query), body)
            except Refused as refused:
                coded = {"X-Error-Code": refused.code} if refused.code else {}
                told = {"X-Error-Message": str(refused), "Retry-After": "0"}
                answer = (refused.status, {"error": str(refused)}, coded | told)
            if fault == "lose":
                return self.hang_up()
        return self.send(*answer)

    do_GET = do_HEAD = do_POST = do_PUT = serve  # noqa: N815 - named by http.server

    def hang_up(self):
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.connection.shutdown(2)

    def send(self, status, content, headers=()):
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        with contextlib.suppress(OSError):
            self.send_response(status)
            for name, value in dict(headers).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

    def answer(self, path, query, body):
        for method, pattern, route in ROUTES:
            found = re.fullmatch(pattern, path)
            if found and self.command in method:
                args = {name: unquote(value) if value else value for name, value in found.groupdict().items()}
                if self.command not in ("GET", "HEAD"):
                    self.authorized(must=not path.endswith(("paths-info", "validate-yaml")))
                repo = self.repo(args.pop("repo")) if "repo" in args else None
                return route(self, repo, query, body, **args)
        raise Refused(404, f"no such route: {self.command} {path}", "EntryNotFound")

    def authorized(self, must=False):
        given = self.headers.get("Authorization")
        if given not in (None, f"Bearer {TOKEN}"):
            raise Refused(401, "Invalid credentials in Authorization header")
        if must and given is None and not self.path.startswith("/store/"):
            raise Refused(401, "Invalid username or password.")
        return given is not None

    def repo(self, name):
        repo = self.hub.repos.get(name)
        if repo is None or (repo.private and not self.authorized()):
            raise Refused(404 if self.authorized() else 401, "Repository not found", "RepoNotFound")
        repo.name = name
        return repo


@contextlib.contextmanager
def serving_hub():
    """Serve an empty Hub for as long as the block lasts."""
    hub = Hub()
    handler = type("Handler", (_Handler,), {"hub": hub})
    with _listening(handler, "127.0.0.1") as hub.url, _listening(handler, "127.0.0.2") as hub.store_url:
        yield hub


@contextlib.contextmanager
def _listening(handler, address):
    server = ThreadingHTTPServer((address, 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        yield f"http://{address}:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()

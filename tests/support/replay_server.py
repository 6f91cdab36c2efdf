"""A web server on the loopback address that answers as it is told, and remembers what it was asked."""

import contextlib
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Answer:
    """One answer. `cut`: only so many bytes of the body are sent. `held`: and then nothing more happens.

    With an `etag` the server gives parts of the body.
    """

    body: bytes = b""
    status: int = 200
    kind: str = "application/pdf"
    headers: dict = field(default_factory=dict)
    etag: str | None = None
    cut: int | None = None
    held: bool = False
    chunked: bool = False


@dataclass
class Replay:
    """The routes by path and query, each an Answer or a list of them (the last stays), and the requests."""

    url: str = ""
    routes: dict = field(default_factory=dict)
    requests: list = field(default_factory=list)
    headers: list = field(default_factory=list)
    reached: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)

    def answer(self, path):
        found = self.routes.get(path, Answer(b"nothing here", 404, "text/plain"))
        if isinstance(found, list):
            return found.pop(0) if len(found) > 1 else found[0]
        return found

    def asked(self, part=""):
        """Return the paths with `part` in them, without robots.txt, in their order."""
        return [path for path in self.requests if part in path and path != "/robots.txt"]

    def header(self, path, name):
        """Return a header of each request for `path`, None where it was not sent."""
        pairs = zip(self.requests, self.headers, strict=True)
        return [headers.get(name) for asked, headers in pairs if asked == path]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True
    replay: Replay

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.replay.requests.append(self.path)
        self.replay.headers.append(dict(self.headers))
        answer = self.replay.answer(self.path)
        with contextlib.suppress(OSError):
            self.reply(answer)

    def reply(self, answer):
        body, status, start = answer.body, answer.status, 0
        if answer.etag and self.headers.get("If-Range") == answer.etag:
            status, start = 206, int(self.headers["Range"].removeprefix("bytes=").rstrip("-"))
            body = body[start:]
        self.send_response(status)
        self.send_header("Content-Type", answer.kind)
        if answer.etag:
            self.send_header("ETag", answer.etag)
        if status == 206:
            self.send_header("Content-Range", f"bytes {start}-{len(answer.body) - 1}/{len(answer.body)}")
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if answer.chunked:
            self.send_header("Transfer-Encoding", "chunked")
            body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
        else:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body if answer.cut is None else body[: answer.cut])
        self.wfile.flush()
        if answer.held:
            self.replay.reached.set()
            self.replay.released.wait(60)
        if answer.cut is not None or answer.held:
            self.close_connection = True
            self.connection.shutdown(2)


@contextlib.contextmanager
def replaying(address="127.0.0.1"):
    """Serve for as long as the block lasts."""
    replay = Replay()
    server = ThreadingHTTPServer((address, 0), type("Handler", (_Handler,), {"replay": replay}))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    replay.url = f"http://{address}:{server.server_port}"
    try:
        yield replay
    finally:
        replay.released.set()
        server.shutdown()
        server.server_close()


class Clock:
    """Seconds that go by only while somebody sleeps; `slept` has each sleep."""

    def __init__(self):
        self.now = 1000.0
        self.slept = []

    def __call__(self):
        return self.now

    def sleep(self, seconds):
        self.slept.append(round(seconds, 6))
        self.now += seconds

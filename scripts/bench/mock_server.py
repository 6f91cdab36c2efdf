"""A chat-completions server that reads a request, throws it away and gives one fixed answer.

    mock_server.py PORT [LATENCY_MS]

`/ctl?lat=MS` sets the latency anew; `/v1/models` names the model `mock`. It costs little, so that a client
can be measured against it.
"""

import asyncio
import json
import re
import sys
from contextlib import suppress

BUFFER = 1 << 20
_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)
_LATENCY = re.compile(rb"lat=([\d.]+)")

COMPLETION = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1_764_450_000,
    "model": "mock",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "The second square lies further to the left."},
            "logprobs": None,
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 1850, "total_tokens": 1871, "completion_tokens": 21},
}
MODELS = {"object": "list", "data": [{"id": "mock", "object": "model", "created": 1, "owned_by": "bench"}]}


def _answer(body: object) -> bytes:
    raw = json.dumps(body).encode()
    return b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (
        len(raw),
        raw,
    )


class Connection(asyncio.BufferedProtocol):
    """One connection; all share a buffer, since what is in it is looked at at once or never."""

    buffer = bytearray(BUFFER)
    completion, models = _answer(COMPLETION), _answer(MODELS)
    latency = 0.0

    def __init__(self) -> None:
        self._head = b""
        self._rest = 0  # bytes of the body that are still to come

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def get_buffer(self, sizehint: int) -> bytearray:
        return self.buffer

    def buffer_updated(self, size: int) -> None:
        if self._rest > size:
            self._rest -= size
        elif self._rest:
            self._rest = 0
            self._reply()
        else:
            self._head += self.buffer[:size]
            head, end, body = self._head.partition(b"\r\n\r\n")
            if end:
                self._head = head
                length = _LENGTH.search(head)
                self._rest = max(0, (int(length[1]) if length else 0) - len(body))
                if not self._rest:
                    self._reply()

    def _reply(self) -> None:
        head, self._head = self._head, b""
        path = head.split(b" ", 2)[1]
        if path.startswith(b"/ctl") and (asked := _LATENCY.search(path)):
            Connection.latency = float(asked[1]) / 1000
        if not path.endswith(b"/chat/completions"):
            self._transport.write(self.models)
        elif Connection.latency:
            asyncio.get_running_loop().call_later(Connection.latency, self._transport.write, self.completion)
        else:
            self._transport.write(self.completion)


async def serve(port: int, latency_ms: float) -> None:
    """Serve on the loopback address until the process is ended."""
    Connection.latency = latency_ms / 1000
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Connection, "127.0.0.1", port, backlog=4096)
    await server.serve_forever()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        asyncio.run(serve(int(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 0.0))

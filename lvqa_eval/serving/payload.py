"""How the body of a request reaches the socket."""

from aiohttp.abc import AbstractStreamWriter
from aiohttp.payload import Payload

_SLICE = 2**17


class Fragments(Payload):
    """A request body in pieces, written slice by slice and never joined as a whole.

    A joined body of images would be held until the reply comes, megabytes for every conversation in flight;
    and asyncio moves what a full socket did not take, so that one large write costs four times the CPU.
    """

    _value: list[bytes]

    def __init__(self, pieces: list[bytes]) -> None:
        super().__init__(pieces, content_type="application/json")
        self._size = sum(map(len, pieces))

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        """Return the body as text."""
        return b"".join(self._value).decode(encoding, errors)

    async def write(self, writer: AbstractStreamWriter) -> None:
        """Write the whole body; short pieces share a slice."""
        held: list[bytes] = []
        size = 0
        for piece in [*self._value, b""]:
            held.append(piece)
            size += len(piece)
            if size >= _SLICE or not piece:
                joined = memoryview(b"".join(held))
                for start in range(0, size, _SLICE):
                    await writer.write(joined[start : start + _SLICE])
                held, size = [], 0

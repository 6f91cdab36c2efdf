"""How the body of a request reaches the socket."""

from aiohttp.abc import AbstractStreamWriter
from aiohttp.payload import Payload

_LARGE = 2**15
_SLICE = 2**18


class Fragments(Payload):
    """A request body in pieces, written one after the other and never joined as a whole.

    A joined body of images would be held until the reply comes, megabytes for every conversation in flight;
    and asyncio moves what a full socket did not take, so that one large write costs twice the CPU. Large
    pieces go to the socket as they are; those between share a write.
    """

    _value: list[bytes]

    def __init__(self, pieces: list[bytes]) -> None:
        super().__init__(pieces, content_type="application/json")
        self._size = sum(map(len, pieces))

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        """Return the body as text."""
        return b"".join(self._value).decode(encoding, errors)

    async def write(self, writer: AbstractStreamWriter) -> None:
        """Write the whole body."""
        short: list[bytes] = []
        for piece in self._value:
            if len(piece) < _LARGE:
                short.append(piece)
                continue
            if short:
                await writer.write(b"".join(short))
                short = []
            for start in range(0, len(piece), _SLICE):
                await writer.write(memoryview(piece)[start : start + _SLICE])
        if short:
            await writer.write(b"".join(short))

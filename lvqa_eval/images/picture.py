"""One picture in a request, as the finished JSON of its part."""

import base64
from collections.abc import Container
from dataclasses import dataclass


@dataclass(frozen=True)
class Picture:
    """One picture as sent: `part` is the finished JSON part of a message, `sha256` that of its PNG.

    `reference` is the part that names it to a server which holds it already, None where it always goes whole.
    """

    sha256: str
    width: int
    height: int
    part: bytes
    reference: bytes | None = None

    def sent(self, held: Container[str]) -> bytes:
        """Return the part to send to a server that holds the pictures of the hashes `held`."""
        return self.part if self.reference is None or self.sha256 not in held else self.reference

    @property
    def size(self) -> int:
        """The bytes that it takes in memory."""
        return len(self.part) + len(self.reference or b"")


def data_url(png: bytes) -> bytes:
    """Return a URL that is the picture itself."""
    return b"data:image/png;base64," + base64.b64encode(png)


def image_part(url: bytes, uuid: str | None = None) -> bytes:
    """Return the part of a message that shows the picture at `url`, which holds no character to escape.

    With a `uuid` vLLM keeps the picture under it.
    """
    named = b"" if uuid is None else b',"uuid":"' + uuid.encode() + b'"'
    return b'{"type":"image_url","image_url":{"url":"' + url + b'"}' + named + b"}"


def reference_part(uuid: str) -> bytes:
    """Return the part that shows the picture which vLLM keeps under `uuid`."""
    return b'{"type":"image_url","image_url":null,"uuid":"' + uuid.encode() + b'"}'

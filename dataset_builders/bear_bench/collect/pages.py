"""Pages that were fetched, kept on disk for as long as a run is not finished."""

import codecs
import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path

from lvqa_eval.files import write_whole

_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w-]+)", re.IGNORECASE)


@dataclass(frozen=True)
class Page:
    """A page: where it was in the end, its Content-Type, its bytes, and the redirects that led to it."""

    url: str
    content_type: str
    body: bytes
    hops: tuple[str, ...] = ()

    def text(self) -> str:
        """Return the body as text, by what its header, else itself, says of its encoding; else UTF-8."""
        told = _CHARSET.search(self.content_type) or _CHARSET.search(self.body[:2048].decode("latin-1"))
        encoding = told[1] if told else "utf-8"
        try:
            codecs.lookup(encoding)
        except LookupError:
            encoding = "utf-8"
        return self.body.decode("utf-8-sig" if encoding.lower() == "utf-8" else encoding, "replace")


class PageCache:
    """Pages by the address that was asked for; a file is a line of JSON and then the body."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, url: str) -> Page | None:
        """Return a page, None where there is none."""
        path = self._path(url)
        if not path.is_file():
            return None
        head, _, body = path.read_bytes().partition(b"\n")
        told = json.loads(head)
        return Page(told["url"], told["type"], body, tuple(told["hops"]))

    def put(self, url: str, page: Page) -> None:
        """Keep a page."""
        self._folder.mkdir(parents=True, exist_ok=True)
        head = json.dumps({"url": page.url, "type": page.content_type, "hops": page.hops})
        write_whole(self._path(url), head.encode() + b"\n" + page.body)

    def _path(self, url: str) -> Path:
        return self._folder / hashlib.sha256(url.encode()).hexdigest()[:32]

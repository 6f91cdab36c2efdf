"""Fetching a document to a file: whole or not at all, and from where it broke off."""

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx2

from dataset_builders.bear_bench.collect.bodies import HEAD, is_cut, kind_of
from dataset_builders.bear_bench.collect.candidate import Kind
from dataset_builders.bear_bench.collect.fetch import NO_SUCH_PART, Exchange, Fetcher
from dataset_builders.bear_bench.collect.refusals import RefusedError, TransientError
from lvqa_eval.files import write_whole


@dataclass(frozen=True)
class Download:
    """A document that was fetched whole: the file, what it is, where it was, and what led there."""

    path: Path
    kind: Kind
    url: str
    hops: tuple[str, ...]

    def discard(self) -> None:
        """Remove the file and what is kept beside it."""
        self.path.unlink()
        self.path.with_suffix(".version").unlink(missing_ok=True)


def download(fetcher: Fetcher, url: str, into: Path, accepts: frozenset[Kind], max_bytes: int) -> Download:
    """Fetch a document into the file `into`, which may hold the beginning of it from an earlier try.

    Such a beginning is gone on with where the server can tell that the document is still the same. Raises
    RefusedError, also where every try ends with a part: the part is then removed.
    """
    body = _Body(into, accepts, max_bytes)

    def once() -> Download:
        try:
            with fetcher.exchange(url, headers=body.headers()) as answer:
                return body.read(answer)
        except TransientError as error:
            if error.status == NO_SUCH_PART:
                body.remove()
            raise

    try:
        return fetcher.attempt(url, once)
    except RefusedError:
        body.remove()
        raise


@dataclass
class _Body:
    """The file that a body is written to, and beside it what its server calls this version of it."""

    path: Path
    accepts: frozenset[Kind]
    max_bytes: int
    cut: set[str] = field(default_factory=set)

    @property
    def _version(self) -> Path:
        return self.path.with_suffix(".version")

    def headers(self) -> dict[str, str]:
        """Return the headers that ask for what is still missing; for everything where that is not known."""
        asked = {"Accept-Encoding": "identity", "Accept": "application/pdf, */*;q=0.5"}
        if self.path.is_file() and self._version.is_file() and (size := self.path.stat().st_size):
            version = json.loads(self._version.read_bytes())["version"]
            asked |= {"Range": f"bytes={size}-", "If-Range": version}
        return asked

    def read(self, answer: Exchange) -> Download:
        """Write the body to the end, and check it."""
        response = answer.response
        start = self._start(response)
        # A body that was compressed all the same has no length that could be checked here.
        plain = response.headers.get("content-encoding", "identity") in ("", "identity")
        length = response.headers.get("content-length", "") if plain else ""
        expected = start + int(length) if length.isdecimal() else None
        if expected is not None and expected > self.max_bytes:
            raise RefusedError("too-large", f"{expected:,} bytes, allowed are {self.max_bytes:,}")
        if not start:
            self._keep_version(response if plain else None)
        # In pieces as they come: what a larger one had gathered would be lost where the body breaks off.
        self._write(response.iter_raw() if plain else response.iter_bytes(), start, response)
        size = self.path.stat().st_size
        if expected is not None and size != expected:
            raise TransientError(f"{size:,} of {expected:,} bytes", reason="broken-body")
        return Download(self.path, self._whole(response), answer.url, answer.hops)

    def remove(self) -> None:
        """Remove the file and what is kept beside it."""
        self.path.unlink(missing_ok=True)
        self._version.unlink(missing_ok=True)

    def _start(self, response: httpx2.Response) -> int:
        """Return where the bytes of an answer belong: behind what is there, or at the beginning."""
        if response.status_code != 206:
            return 0
        begun = re.match(r"bytes (\d+)-", response.headers.get("content-range", ""))
        size = self.path.stat().st_size if self.path.is_file() else 0
        if begun is None or int(begun[1]) != size:
            self.remove()
            raise TransientError("another part than the one asked for", reason="broken-body")
        return size

    def _keep_version(self, response: httpx2.Response | None) -> None:
        self.remove()
        told = response.headers if response is not None else {}
        etag = told.get("etag", "")
        version = etag if etag.startswith('"') else told.get("last-modified")
        if version and told.get("accept-ranges") != "none":
            write_whole(self._version, json.dumps({"version": version}))

    def _write(self, chunks: Iterator[bytes], start: int, response: httpx2.Response) -> None:
        """Append to the file; an end before the end keeps what came, for the next try."""
        size, known = start, bool(start)
        try:
            with self.path.open("ab", buffering=0) as file:  # what has come outlives a kill
                for chunk in chunks:
                    size += file.write(chunk)
                    if size > self.max_bytes:
                        raise RefusedError("too-large", f"more than the {self.max_bytes:,} bytes allowed")
                    if not known and size >= HEAD:
                        self._kind(response)
                        known = True
        except httpx2.TransportError as error:
            raise TransientError(f"broke off after {size:,} bytes: {error}", reason="broken-body") from error

    def _whole(self, response: httpx2.Response) -> Kind:
        """Return what the file is. A PDF without an end is fetched anew, and believed the second time."""
        kind = self._kind(response)
        if kind == "pdf" and is_cut(self.path):
            digest = hashlib.sha256(self.path.read_bytes()).hexdigest()
            if digest not in self.cut:
                self.cut.add(digest)
                self.remove()
                raise TransientError("a PDF without its end", reason="broken-body")
        return kind

    def _kind(self, response: httpx2.Response) -> Kind:
        with self.path.open("rb") as file:
            head = file.read(HEAD)
        if not head:
            raise RefusedError("empty-file", "")
        kind = kind_of(head)
        if kind in self.accepts:
            return kind
        told = response.headers.get("content-type", "no type given")
        found = re.search(rb"<title[^>]*>\s*([^<]{1,200})", head, re.IGNORECASE)
        title = f", titled {found[1].decode('utf-8', 'replace').strip()!r}" if found else ""
        raise RefusedError("not-pdf", f"{told}{title}")

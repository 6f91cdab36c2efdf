"""The first stage: documents from one source, into the work folder."""

import hashlib
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from dataset_builders.bear_bench.collect.bodies import HEAD, kind_of, members
from dataset_builders.bear_bench.collect.candidate import Candidate, LeftOut, Reason
from dataset_builders.bear_bench.collect.download import Download, download
from dataset_builders.bear_bench.collect.ledger import STAGE, Ledger, Outcome, entry_of, left_out
from dataset_builders.bear_bench.collect.pace import Pace
from dataset_builders.bear_bench.collect.refusals import HostDownError, RefusedError, agent_of
from dataset_builders.bear_bench.collect.source import DocumentSource, SourceError, WebSource
from dataset_builders.bear_bench.collect.visit import Visit
from dataset_builders.bear_bench.counts import StageCount, counted
from dataset_builders.bear_bench.records import Document
from dataset_builders.bear_bench.work import Work
from lvqa_eval.files import write_whole
from lvqa_eval.progress import progress

_FOLDER = "documents"


def run(work: Work, source: DocumentSource, pace: Pace | None = None) -> StageCount:
    """Collect what a source has, beside what is in the work folder already, and count what came of this run.

    A run that was killed goes on where it stopped. A document whose bytes are there already, from whatever
    source, is left out as a duplicate. `pace` is for tests.
    """
    if isinstance(source, WebSource):
        agent_of(source.user_agent)  # before anything is made
    ledger = Ledger(work, source.name)
    with _visit(source, ledger.folder, pace) as visit, progress(f"collect {source.name}") as advance:
        collector = _Collector(work, source, ledger, visit)
        try:
            for found in source.candidates(visit):
                collector.settle(found)
                advance(found.group)
        except RefusedError as error:
            raise SourceError(f"{source.name}: what it has cannot be listed: {error}") from error
        except ModuleNotFoundError as error:
            needed = f'{source.name} needs {error.name}; it comes with: pip install "lvqa[collect]"'
            raise SourceError(needed) from error
    outcomes = ledger.finish()
    drops = [drop for outcome in outcomes if (drop := outcome.drop()) is not None]
    kept = [outcome for outcome in outcomes if outcome.document is not None]
    return counted(STAGE, "documents", len(kept), drops, (f"{one.source}: {one.group}" for one in kept))


def _visit(source: DocumentSource, folder: Path, pace: Pace | None) -> Visit:
    if not isinstance(source, WebSource):
        return Visit(folder, None, Pace(0))
    browser = getattr(source, "browser", None)
    return Visit(folder, source.user_agent, pace or Pace(source.interval), source.limit, browser)


@dataclass(frozen=True)
class _Collector:
    """Fetches what is listed, one after the other, and writes down what became of it."""

    work: Work
    source: DocumentSource
    ledger: Ledger
    visit: Visit
    seen: set[str] = field(default_factory=set)

    def settle(self, found: Candidate | LeftOut) -> None:
        """Collect something listed: a file, several of an archive, or a reason why not."""
        entry = entry_of(self.source.name, found)
        if entry in self.seen:  # two groups may list the same
            return
        self.seen.add(entry)
        outcomes = self.ledger.settled(entry)
        if outcomes is None:
            outcomes = list(self._obtained(found))
            self.ledger.note(outcomes)
        for outcome in outcomes:
            self.visit.kept[outcome.group] += outcome.document is not None

    def _obtained(self, found: Candidate | LeftOut) -> Iterator[Outcome]:
        try:
            if isinstance(found, LeftOut):
                raise RefusedError(found.reason, found.detail)
            if found.local is not None:
                yield self._kept(found, self._local(found.local))
            elif found.printed:
                yield self._kept(found, self.visit.browser.printed(found.url))
            else:
                yield from self._fetched(found)
        except RefusedError as error:
            yield self._left_out(found, error.reason, error.detail)
        except HostDownError as error:
            if not (isinstance(self.source, WebSource) and self.source.many_hosts):
                raise
            yield self._left_out(found, "unreachable", str(error))

    def _local(self, path: Path) -> bytes:
        if (size := path.stat().st_size) > self._max_bytes:
            raise RefusedError("too-large", self._too_large(size))
        content = path.read_bytes()
        if not content:
            raise RefusedError("empty-file", "")
        if kind_of(content[:HEAD]) != "pdf":
            raise RefusedError("not-pdf", "no PDF begins in it")
        return content

    def _fetched(self, found: Candidate) -> Iterator[Outcome]:
        part = self.visit.folder / f"{entry_of(self.source.name, found)}.part"
        got = download(self.visit.fetcher, found.url, part, found.accepts, self._max_bytes)
        if got.kind == "pdf":
            yield self._kept(found, got.path.read_bytes(), got)
        else:
            yield from self._unpacked(found, got)
        got.discard()

    def _unpacked(self, found: Candidate, got: Download) -> Iterator[Outcome]:
        """Yield what became of each file in an archive."""
        empty = True
        try:
            for member in members(got.path, self._max_bytes):
                empty = False
                if member.data is None:
                    yield self._left_out(found, "too-large", self._too_large(member.size), member.name)
                elif kind_of(member.data[:HEAD]) != "pdf":
                    yield self._left_out(found, "not-pdf", "a file in an archive", member.name)
                else:
                    yield self._kept(found, member.data, got, member.name)
        except zipfile.BadZipFile as error:
            yield self._left_out(found, "broken-body", f"archive: {error}")
        else:
            if empty:
                yield self._left_out(found, "not-pdf", "an archive with nothing in it")

    def _kept(
        self, found: Candidate, content: bytes, got: Download | None = None, member: str = ""
    ) -> Outcome:
        """Put a document into the work folder, unless its bytes are there, and return what became of it."""
        if len(content) > self._max_bytes:
            return self._left_out(found, "too-large", self._too_large(len(content)), member)
        digest = hashlib.sha256(content).hexdigest()
        if (holder := self.ledger.holder(digest)) is not None:
            return self._left_out(found, "duplicate", f"the same bytes as {holder}", member)
        document = self._document(
            found, digest, f"{got.url if got else found.url}{'#' * bool(member)}{member}"
        )
        (self.work.folder / _FOLDER).mkdir(exist_ok=True)
        write_whole(self.work.folder / document.file, content)
        self.ledger.hold(document)
        return Outcome(
            entry=entry_of(self.source.name, found),
            source=self.source.name,
            url=found.url,
            group=found.group,
            member=member,
            hops=got.hops if got else (),
            document=document,
        )

    def _document(self, found: Candidate, digest: str, url: str) -> Document:
        document_id = f"{self.source.name}-{digest[:16]}"
        return Document(
            document_id=document_id,
            file=f"{_FOLDER}/{document_id}.pdf",
            sha256=digest,
            source=self.source.name,
            url=url,
            domain=found.domain,
            document_type=found.document_type,
            title=found.title,
            licence=found.licence,
        )

    def _left_out(self, found: Candidate | LeftOut, reason: Reason, detail: str, member: str = "") -> Outcome:
        return left_out(self.source.name, found, reason, detail, member)

    @property
    def _max_bytes(self) -> int:
        return self.source.max_megabytes * 2**20

    def _too_large(self, size: int) -> str:
        return f"{size:,} bytes, allowed are {self._max_bytes:,}"

"""What became of everything that sources listed: the memory of the stage, over runs and kills."""

import hashlib
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from dataset_builders.bear_bench.collect.candidate import Candidate, LeftOut, Reason
from dataset_builders.bear_bench.records import Document, Drop, Record
from dataset_builders.bear_bench.work import Work, read_records

STAGE = "collect"


class Outcome(Record):
    """What became of one listed document, or of one file in a listed archive.

    `entry` names what was listed, by source and address; `url` is that address, `member` the name of a file
    in the archive that was found there; `hops` are the redirects that were followed from there.
    """

    entry: str
    source: str
    url: str
    group: str
    member: str = ""
    hops: tuple[str, ...] = ()
    document: Document | None = None
    reason: Reason | None = None
    detail: str = ""

    def drop(self) -> Drop | None:
        """Return the record of what was left out, None for what was kept."""
        if self.reason is None:
            return None
        which = f"{self.url}#{self.member}" if self.member else self.url
        name = f"{self.entry}-{_digest(self.member)[:8]}" if self.member else self.entry
        told = f"{which}: {self.detail}" if self.detail else which
        return Drop(id=name, stage=STAGE, reason=self.reason, detail=told)


def entry_of(source: str, found: Candidate | LeftOut) -> str:
    """Return the name of something listed: that of the same address is the same in every run."""
    version = found.version if isinstance(found, Candidate) else ""
    return f"{source}-{_digest(found.url + version)[:16]}"


def left_out(
    source: str, found: Candidate | LeftOut, reason: Reason, detail: str, member: str = ""
) -> Outcome:
    """Return the outcome of something that was not collected."""
    return Outcome(
        entry=entry_of(source, found),
        source=source,
        url=found.url,
        group=found.group,
        member=member,
        reason=reason,
        detail=detail,
    )


class Ledger:
    """The outcomes of this run, written down one by one, and those of runs before.

    What was kept before is not collected again; what was left out before is tried again by another run, but
    not by the same one after it was killed.
    """

    def __init__(self, work: Work, source: str) -> None:
        self._work, self._source = work, source
        self.folder = work.partial(STAGE) / source
        self.folder.mkdir(exist_ok=True)
        self._journal = self.folder / "journal.jsonl"
        _mend(self._journal)
        self._now = _by_entry(read_records(self._journal, Outcome) if self._journal.is_file() else ())
        self._before = _by_entry(self._written())
        known = (one for entries in (self._before, self._now) for each in entries.values() for one in each)
        self._holder = _holders(filter(self._stands, known))

    def settled(self, entry: str) -> list[Outcome] | None:
        """Return the outcomes of something that need not be fetched, None for all else."""
        if (found := self._now.get(entry)) is not None:
            return found
        found = self._before.get(entry, [])
        whole = all(outcome.document is None or self._stands(outcome) for outcome in found)
        if not whole or not any(outcome.document or outcome.reason == "duplicate" for outcome in found):
            return None
        self._now[entry] = found
        return found

    def holder(self, sha256: str) -> str | None:
        """Return the id of the document that has these bytes already, None where there is none."""
        return self._holder.get(sha256)

    def hold(self, document: Document) -> None:
        """Remember that a document has its bytes."""
        self._holder[document.sha256] = document.document_id

    def note(self, outcomes: list[Outcome]) -> None:
        """Write down what became of one entry; what was not reachable is left to the next start."""
        self._now[outcomes[0].entry] = outcomes
        if any(outcome.reason == "unreachable" for outcome in outcomes):
            return
        lines = "".join(f"{outcome.model_dump_json()}\n" for outcome in outcomes)
        with self._journal.open("ab") as file:
            file.write(lines.encode())
            file.flush()
            os.fsync(file.fileno())

    def finish(self) -> list[Outcome]:
        """Write the files of the stage, over all runs, and return the outcomes of this one."""
        before = _by_entry(self._written())  # another source may have finished meanwhile
        theirs = _holders(one for entry, each in before.items() if entry not in self._now for one in each)
        now = {entry: [_yielding(one, theirs) for one in each] for entry, each in self._now.items()}
        every = (outcome for each in {**before, **now}.values() for outcome in each)
        outcomes = sorted(every, key=lambda one: (one.source, one.url, one.entry, one.member))
        documents = [outcome.document for outcome in outcomes if outcome.document is not None]
        documents.sort(key=lambda document: document.document_id)
        self._work.write("documents", documents)
        self._work.write(STAGE, outcomes, filter(None, (outcome.drop() for outcome in outcomes)))
        _clear(self.folder)
        return [outcome for each in now.values() for outcome in each]

    def _written(self) -> list[Outcome]:
        return self._work.read(STAGE, Outcome, STAGE) if self._work.has(STAGE) else []

    def _stands(self, outcome: Outcome) -> bool:
        """Tell whether the file of a document is still there."""
        return outcome.document is not None and (self._work.folder / outcome.document.file).is_file()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _by_entry(outcomes: Iterable[Outcome]) -> dict[str, list[Outcome]]:
    found: defaultdict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        found[outcome.entry].append(outcome)
    return dict(found)


def _holders(outcomes: Iterable[Outcome]) -> dict[str, str]:
    """Map the bytes (their SHA-256) of each document to its id."""
    documents = (outcome.document for outcome in outcomes)
    return {document.sha256: document.document_id for document in documents if document is not None}


def _yielding(outcome: Outcome, holders: Mapping[str, str]) -> Outcome:
    """Return an outcome as it is, or as a duplicate where another source has the same bytes."""
    if outcome.document is None or (holder := holders.get(outcome.document.sha256)) is None:
        return outcome
    change = {"document": None, "reason": "duplicate", "detail": f"the same bytes as {holder}"}
    return outcome.model_copy(update=change)


def _mend(journal: Path) -> None:
    """Take off a line that a kill cut short."""
    if not journal.is_file():
        return
    written = journal.read_bytes()
    whole = written[: written.rfind(b"\n") + 1]
    if len(whole) < len(written):
        with journal.open("r+b") as file:
            file.truncate(len(whole))


def _clear(folder: Path) -> None:
    """Remove what was kept to go on from, and the folder around it once it is empty."""
    for path in _bottom_up(folder):
        path.rmdir() if path.is_dir() else path.unlink()
    if not any(folder.parent.iterdir()):
        folder.parent.rmdir()


def _bottom_up(folder: Path) -> Iterator[Path]:
    yield from sorted(folder.rglob("*"), key=lambda path: len(path.parts), reverse=True)
    yield folder

"""PDFs in a folder of this machine."""

import csv
import hashlib
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar, Literal, get_args

from pydantic import Field

from dataset_builders.bear_bench.collect.candidate import Candidate, LeftOut
from dataset_builders.bear_bench.collect.source import DocumentSource, SourceError
from dataset_builders.bear_bench.collect.visit import Visit
from dataset_builders.bear_bench.records import Domain

SIDECAR = "documents.csv"
COLUMNS = ("file", "domain", "document_type", "title", "licence")


class FolderSource(DocumentSource):
    """Every file below a folder whose name ends in .pdf, described by a sidecar or by options.

    The sidecar is a table `documents.csv` in that folder with the columns file (path below the folder),
    domain, document_type, title and licence; only `file` must be there, and empty cells say nothing.
    """

    name: ClassVar[str] = "folder"
    example: ClassVar[str] = '--path pdfs --domain business --type "financial report"'

    path: Path = Field(description="The folder; PDFs below it are read too.")
    domain: Literal["business", "science"] | None = Field(
        None, description=f"Domain of the files for which {SIDECAR} names none."
    )
    type: str | None = Field(None, description=f"Document type of the files for which {SIDECAR} names none.")

    def candidates(self, visit: Visit) -> Iterator[Candidate | LeftOut]:
        """Yield the files in the order of their paths; SourceError with all that are not described."""
        if not self.path.is_dir():
            raise SourceError(f"--path: {self.path}: not a folder")
        files = {
            path.relative_to(self.path).as_posix(): path
            for path in sorted(self.path.rglob("*"))
            if path.suffix.lower() == ".pdf" and path.is_file()
        }
        told = _sidecar(self.path / SIDECAR, files)
        problems: list[str] = []
        found = [self._candidate(name, files[name], told.get(name, {}), problems) for name in sorted(files)]
        if not found:
            problems.append(f"--path: {self.path}: no PDF in it")
        if problems:
            raise SourceError("\n".join(problems))
        yield from found

    def _candidate(self, name: str, path: Path, told: Mapping[str, str], problems: list[str]) -> Candidate:
        domain: Domain | None = next(
            (one for one in get_args(Domain) if one == told.get("domain")), self.domain
        )
        document_type = told.get("document_type") or self.type
        for value, column, option in ((domain, "domain", "domain"), (document_type, "document_type", "type")):
            if not value:
                problems.append(f"{path}: no {column}: neither in {SIDECAR} nor by --{option}")
        return Candidate(
            url=name,
            domain=domain or "business",
            document_type=document_type or "",
            group=document_type or "",
            title=told.get("title") or None,
            licence=told.get("licence") or None,
            local=path,
            # Another folder may have another file of the same name.
            version=hashlib.sha256(path.read_bytes()).hexdigest(),
        )


def _sidecar(path: Path, files: Mapping[str, Path]) -> dict[str, dict[str, str]]:
    """Return the rows of the sidecar by file; SourceError with everything that is wrong in it."""
    if not path.is_file():
        return {}
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise SourceError(f"{path}: not UTF-8: {error}") from error
    heading = text.partition("\n")[0]
    table = csv.DictReader(io.StringIO(text), delimiter=";" if ";" in heading and "," not in heading else ",")
    unknown = sorted(set(table.fieldnames or ()) - set(COLUMNS))
    if unknown or "file" not in (table.fieldnames or ()):
        found = ", ".join(table.fieldnames or ()) or "none"
        raise SourceError(f"{path}: columns: found {found}; allowed are {', '.join(COLUMNS)}, needed is file")
    problems: list[str] = []
    told: dict[str, dict[str, str]] = {}
    for row in table:
        line = f"{path}: line {table.line_num}"
        cells = {name: (value or "").strip() for name, value in row.items() if isinstance(name, str)}
        if None in row:
            problems.append(f"{line}: more cells than columns")
        if cells["file"] not in files:
            problems.append(f"{line}: file: found {cells['file']!r}, no such PDF below {path.parent}")
        elif cells["file"] in told:
            problems.append(f"{line}: file: {cells['file']!r} stands there twice")
        if cells.get("domain") and cells["domain"] not in get_args(Domain):
            problems.append(
                f"{line}: domain: found {cells['domain']!r}, allowed: {', '.join(get_args(Domain))}"
            )
        told[cells["file"]] = cells
    if problems:
        raise SourceError("\n".join(problems))
    return told

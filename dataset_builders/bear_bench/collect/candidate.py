"""What a source lists: documents to be fetched, and what is left out with a reason."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from dataset_builders.bear_bench.records import Domain

Kind = Literal["pdf", "zip"]
"""What a fetched document may turn out to be: a PDF, or an archive with PDFs in it."""

Reason = Literal[
    "robots",
    "forbidden",
    "gone",
    "redirect",
    "unreachable",
    "not-pdf",
    "empty-file",
    "too-large",
    "broken-body",
    "duplicate",
    "no-open-licence",
]
"""Why a document was not collected; docs/collecting.md says when each is given."""


@dataclass(frozen=True)
class Candidate:
    """A document that a source lists, before it is fetched.

    `url` is where it is, or its path below the folder that is read; then `local` is the file. Of each `group`
    so many documents are collected as the source's limit says. `licence` is what the source itself says.
    With `printed` it is a page in HTML, to be printed as PDF. `version` tells apart what has one address.
    """

    url: str
    domain: Domain
    document_type: str
    group: str
    title: str | None = None
    licence: str | None = None
    accepts: frozenset[Kind] = frozenset({"pdf"})
    printed: bool = False
    local: Path | None = None
    version: str = ""


@dataclass(frozen=True)
class LeftOut:
    """Something listed that is not to be fetched, or a listing that could not be read."""

    url: str
    group: str
    reason: Reason
    detail: str

"""The records that the stages of the builder hand on, one line of JSON each."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Language = Literal["en", "ru", "other"]
Domain = Literal["business", "science"]

LABELS = ("diagrams", "tables", "equations", "code", "figures", "handwriting")
"""What a page may contain, in the order of the dataset's columns."""


class Record(BaseModel):
    """A line of a stage's file: no further fields, no conversions, never changed."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Document(Record):
    """One collected file.

    `document_id` is the same for the same bytes from the same source. `file` lies below the work folder.
    `url` is where it was fetched, or the path below the folder that was read. `licence` is what the source
    itself says, None where it says nothing.
    """

    document_id: str
    file: str
    sha256: str
    source: str
    url: str
    domain: Domain
    document_type: str
    title: str | None = None
    licence: str | None = None


class Licence(Record):
    """The evidence that a document may be used: a string in its pages, or what somebody decided.

    `page` counts from 1, None for evidence from outside; `found_in` is where the string was read.
    """

    document_id: str
    licence: str
    evidence: str
    page: int | None
    found_in: Literal["text", "ocr", "source", "manual"]
    decided_by: str | None = None


class Page(Record):
    """One rendered page; `file` is its PNG below the work folder, `page` counts from 1.

    `ink` is the share of pixels that are not background. `unembedded_fonts` names fonts that were replaced.
    """

    page_id: str
    document_id: str
    page: int
    file: str
    sha256: str
    width: int
    height: int
    dpi: int
    ink: float = Field(ge=0, le=1)
    unembedded_fonts: tuple[str, ...] = ()


class PageText(Record):
    """What can be read on a page, from its text layer where that is to be trusted, else by OCR.

    `characters` are without white space. `distrust` says why a text layer was not used, None where it was.
    `flags` name doubtful words and the like.
    """

    page_id: str
    text: str
    found_in: Literal["text", "ocr"]
    distrust: str | None
    language: Language
    characters: int
    flags: tuple[str, ...] = ()


class PageLabels(Record):
    """What a page contains: a probability for each of `LABELS`, and by what they were given."""

    page_id: str
    probabilities: tuple[float, ...]
    labels: tuple[str, ...]
    labelled_by: str


class Item(Record):
    """One page with its question, as it goes into the dataset."""

    page_id: str
    question: str
    answer: str
    reasoning_steps: int | None
    labels: tuple[str, ...]


class Drop(Record):
    """Something that a stage left out: a document or a page by its id, why, and what a person should know."""

    id: str
    stage: str
    reason: str
    detail: str = ""

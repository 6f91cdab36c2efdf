"""A BEAR-Bench folder on disk or on the Hub: pages with a question each, as typed rows and picture bytes."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from lvqa_eval.dataset_folder import DatasetError, DatasetFolder, StrictRow, open_manifest, short

DOMAINS = ("business", "science")
LANGUAGES = ("en", "ru")
CELLS = tuple(f"{domain}-{language}" for domain in DOMAINS for language in LANGUAGES)
"""The parts of the dataset, each a file `CELL.parquet`; one without pages has none."""

PICTURE = "image"
"""The column that holds the page's picture."""

Positive = Annotated[int, Field(ge=1)]


class PageRow(StrictRow):
    """One page with its question, without its picture; the columns of the dataset in their order.

    `page` counts from 1 in `source_document`. `reasoning_steps` is None where nobody stated it;
    `ocr_characters` are without white space; `width` and `height` are pixels.
    """

    id: str
    question: str
    answer: str
    language: Literal["en", "ru"]
    domain: Literal["business", "science"]
    document_type: str
    source_url: str
    source_document: str
    page: Positive
    licence: str
    contains_diagrams: bool
    contains_tables: bool
    contains_equations: bool
    contains_code: bool
    contains_figures: bool
    contains_handwriting: bool
    reasoning_steps: Positive | None
    ocr_characters: Annotated[int, Field(ge=0)]
    width: Positive
    height: Positive

    @property
    def question_id(self) -> str:
        """Its name in runs: there is one question a page."""
        return self.id

    @property
    def cell(self) -> str:
        """The part of the dataset that it stands in."""
        return f"{self.domain}-{self.language}"


COLUMNS = ("id", PICTURE, *(name for name in PageRow.model_fields if name != "id"))
"""The columns of the files, in their order."""


@dataclass(frozen=True)
class PageDataset(DatasetFolder):
    """A BEAR-Bench folder on disk."""

    @property
    def cells(self) -> list[str]:
        """The parts that have pages."""
        return [cell for cell in CELLS if self.manifest["cells"].get(cell)]

    def path(self, cell: str) -> Path:
        """Return where the file of a cell lies; DatasetError for an unknown or empty one."""
        if cell not in self.cells:
            allowed = ", ".join(self.cells) or "none, it is empty"
            raise DatasetError([f"{self.folder}: cell: found {cell!r}, allowed: {allowed}"])
        return self.folder / f"{cell}.parquet"

    def rows(self, cell: str | None = None) -> list[PageRow]:
        """Return the rows of a cell, or of all cells in their order; DatasetError with every bad row.

        Pictures are not read.
        """
        rows: list[PageRow] = []
        problems: list[str] = []
        for name in self.cells if cell is None else [cell]:
            try:
                rows += _rows(self.path(name))
            except DatasetError as error:
                problems += error.problems
        if problems:
            raise DatasetError(problems)
        return rows

    def picture(self, question_id: str) -> bytes:
        """Return the file of a page's picture; DatasetError for an unknown question.

        Pictures are stored in groups, and the last group is kept: ask in the order of the rows.
        """
        place = self._places.get(question_id)
        if place is None:
            raise DatasetError([f"{self.folder}: id: found {question_id!r}, which no row has"])
        path, group, index = place
        return _pictures(path, group, self.manifest_sha256)[index]

    def pictures(self) -> Iterator[tuple[str, bytes]]:
        """Yield the id of every row and its picture, in the order of the rows."""
        for question_id in self._places:
            yield question_id, self.picture(question_id)

    @cached_property
    def _places(self) -> dict[str, tuple[Path, int, int]]:
        """The id of every row -> its file, its row group, and its place in that."""
        return {
            question_id: (self.path(cell), group, index)
            for cell in self.cells
            for group, ids in enumerate(_ids(self.path(cell)))
            for index, question_id in enumerate(ids)
        }


def open_pages(name: str, revision: str | None = None) -> PageDataset:
    """Open a BEAR-Bench folder, or fetch one of the Hub (ORG/NAME) at `revision`.

    A local folder comes first and has no revisions. Raises DatasetError where neither is there.
    """
    opened = open_manifest(name, revision, needed=("cells",))
    return PageDataset(opened.folder, opened.manifest, opened.manifest_sha256, opened.revision)


def _rows(path: Path) -> list[PageRow]:
    columns = [name for name in COLUMNS if name != PICTURE]
    table = _file(path).read(columns=columns)
    rows: list[PageRow] = []
    problems: list[str] = []
    for number, values in enumerate(table.to_pylist(), start=1):
        try:
            rows.append(PageRow.model_validate(values))
        except ValidationError as error:
            for one in error.errors(include_url=False):
                field = ".".join(map(str, one["loc"])) or "row"
                problems.append(f"{path}: row {number}: {field}: {one['msg']}, found {short(one['input'])}")
    if problems:
        raise DatasetError(problems)
    return rows


def _ids(path: Path) -> Iterator[list[str]]:
    file = _file(path)
    for group in range(file.num_row_groups):
        yield file.read_row_group(group, columns=["id"])["id"].to_pylist()


@lru_cache(maxsize=1)
def _pictures(path: Path, group: int, _content: str) -> list[bytes]:
    """Return the pictures of a row group; the last group is held, for as long as the content is the same."""
    column = _file(path).read_row_group(group, columns=[PICTURE])[PICTURE]
    return [picture["bytes"] for picture in column.to_pylist()]


def _file(path: Path) -> Any:
    """Open a file and check its columns; DatasetError where it cannot be read as what it should be."""
    import pyarrow
    import pyarrow.parquet

    try:
        file = pyarrow.parquet.ParquetFile(path)
    except FileNotFoundError as error:
        raise DatasetError([f"{path}: not found"]) from error
    except (OSError, pyarrow.ArrowInvalid) as error:
        raise DatasetError([f"{path}: cannot be read as Parquet: {error}"]) from error
    names = file.schema_arrow.names
    problems = [f"{path}: {name}: column missing" for name in COLUMNS if name not in names]
    problems += [f"{path}: {name}: unknown column" for name in names if name not in COLUMNS]
    if problems:
        raise DatasetError(problems)
    return file

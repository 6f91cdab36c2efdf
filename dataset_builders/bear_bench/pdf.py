"""Open PDFs: which pages there are, how large they are, and a named reason where something cannot be read.

pdfium is not safe for threads: open files in processes, or in one thread.
"""

import math
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dataset_builders.bear_bench.fonts import built_in_fonts, install_stand_ins, is_latin, unembedded_fonts
from dataset_builders.bear_bench.records import Record
from lvqa_eval.errors import LvqaError

if TYPE_CHECKING:
    from PIL.Image import Image
    from pypdfium2 import PdfDocument, PdfPage

MISSING_FILE = "missing file"
EMPTY_FILE = "empty file"
NO_PAGES = "no pages"
DAMAGED = "damaged"
PASSWORD = "password"
MISSING_PAGE = "missing page"
HUGE_PAGE = "huge page"
TOO_MANY_PAGES = "too many pages"

MAX_PIXELS = 50_000_000
"""Most pixels of a drawn page: ISO A0 at 150 dpi has 35 million."""

MAX_PAGES = 10_000
"""Most pages that a file may declare; more are a damaged count, and each would have to be tried."""

POINTS_PER_INCH = 72


class PdfRefusedError(LvqaError, ValueError):
    """A file or a page that cannot be used: `reason` is one of this module's constants."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail


class PdfFacts(Record):
    """What a file says of itself, and what is so.

    `declared_pages` is its own count, `pages` counts those that load. `permissions` are the bits of an
    encrypted file that opens with an empty password (ISO 32000-1, table 22; unsigned, 32 bits), else None.
    """

    document_id: str
    declared_pages: int
    pages: int
    permissions: int | None


class OpenPage:
    """A page: `number` counts from 1; sizes are those of its crop box, turned as it is shown.

    `unembedded_fonts` are the names of the fonts that draw text on it and are not in the file.
    """

    def __init__(self, raw: "PdfPage", number: int, user_unit: float, fonts: tuple[str, ...]) -> None:
        self.raw = raw
        self.number = number
        self.user_unit = user_unit
        self.unembedded_fonts = fonts

    def scale(self, dpi: float) -> float:
        """Return the pixels per unit of the page."""
        # A hair less, or the last bit of 792 x 150 / 72 would begin a pixel that has nothing on it.
        return dpi * self.user_unit / POINTS_PER_INCH * (1 - 1e-9)

    def size(self, dpi: float) -> tuple[int, int]:
        """Return width and height in pixels, a begun pixel counted."""
        scale = self.scale(dpi)
        return math.ceil(self.raw.get_width() * scale), math.ceil(self.raw.get_height() * scale)

    def draw(self, dpi: float, grey: bool = False, max_pixels: int = MAX_PIXELS) -> "Image":
        """Return the picture, mode RGB or L, on white; PdfRefusedError where it has too many pixels."""
        width, height = self.size(dpi)
        if width * height > max_pixels:
            found = f"{width} x {height} pixels at {dpi:g} dpi, at most {max_pixels:,}"
            raise PdfRefusedError(HUGE_PAGE, found)
        picture: Image = self.raw.render(scale=self.scale(dpi), grayscale=grey, rev_byteorder=True).to_pil()
        return picture


class OpenPdf:
    """An open file. `declared` is its own page count, true or not; for `permissions` see PdfFacts."""

    def __init__(self, raw: "PdfDocument", path: Path, opening: ExitStack) -> None:
        self.raw = raw
        self.declared = len(raw)
        self.permissions = _permissions(raw)
        self._path = path
        self._opening = opening

    @contextmanager
    def page(self, number: int) -> Iterator[OpenPage]:
        """Give a page by its number, from 1; PdfRefusedError where it does not load."""
        with self._loaded(self.raw, number) as page:
            fonts = unembedded_fonts(page)
            if not (fonts and is_latin(page)):
                yield OpenPage(page, number, self._user_unit(number), fonts)
                return
        with built_in_fonts(), self._loaded(self._with_built_in_fonts, number) as page:
            yield OpenPage(page, number, self._user_unit(number), fonts)

    def loading_pages(self) -> tuple[int, ...]:
        """Return the numbers of the pages that load."""
        return tuple(number for number in range(1, self.declared + 1) if self._loads(number))

    def _loads(self, number: int) -> bool:
        try:
            with self._loaded(self.raw, number):
                return True
        except PdfRefusedError:
            return False

    @contextmanager
    def _loaded(self, document: "PdfDocument", number: int) -> Iterator["PdfPage"]:
        from pypdfium2 import PdfiumError

        if not 1 <= number <= self.declared:
            raise PdfRefusedError(MISSING_PAGE, f"page {number} of {self.declared}")
        try:
            page = document[number - 1]
        except PdfiumError as error:
            raise PdfRefusedError(MISSING_PAGE, f"page {number} of {self.declared} does not load") from error
        try:
            yield page
        finally:
            page.close()

    @cached_property
    def _with_built_in_fonts(self) -> "PdfDocument":
        # A document keeps the fonts that it has found: other ones need a second opening.
        return self._opening.enter_context(_document(self._path))

    @cached_property
    def _has_user_unit(self) -> bool:
        return _copy_says_user_unit(self.raw)

    def _user_unit(self, number: int) -> float:
        # pdfium has no call for it, but a copy that it writes has every dictionary in plain text.
        return _user_unit(self.raw, number) if self._has_user_unit else 1.0


@contextmanager
def opened(path: Path) -> Iterator[OpenPdf]:
    """Give the open file, tried with an empty password; PdfRefusedError with the reason where that fails."""
    install_stand_ins()
    if not path.is_file():
        raise PdfRefusedError(MISSING_FILE, str(path))
    if path.stat().st_size == 0:
        raise PdfRefusedError(EMPTY_FILE)
    with ExitStack() as opening:
        document = opening.enter_context(_document(path))
        if len(document) < 1:
            raise PdfRefusedError(NO_PAGES)
        if len(document) > MAX_PAGES:
            raise PdfRefusedError(TOO_MANY_PAGES, f"{len(document):,} declared, at most {MAX_PAGES:,}")
        yield OpenPdf(document, path, opening)


@contextmanager
def _document(path: Path) -> Iterator["PdfDocument"]:
    from pypdfium2 import PdfDocument, PdfiumError

    _set_last_error_to_file()
    try:
        document = PdfDocument(path)
    except PdfiumError as error:
        raise PdfRefusedError(*_why_not(error)) from error
    with document:
        document.init_forms()  # before any page, so that what was filled into forms is drawn
        yield document


def page_id(document_id: str, number: int) -> str:
    """Return the id of a page, which sorts as its number does."""
    return f"{document_id}-p{number:04d}"


def first_and_last(pages: tuple[int, ...], each: int) -> tuple[int, ...]:
    """Return the first and the last `each` of the pages, in their order and none twice."""
    return tuple(number for at, number in enumerate(pages) if at < each or at >= len(pages) - each)


def _set_last_error_to_file() -> None:
    # At a file with an empty page tree pdfium fails and leaves the last error as it was, whatever that is.
    from pypdfium2 import raw

    raw.FPDF_LoadDocument(b"", None)


def _why_not(error: Any) -> tuple[str, str]:
    from pypdfium2 import raw

    reasons = {
        raw.FPDF_ERR_FILE: (NO_PAGES, ""),
        raw.FPDF_ERR_PASSWORD: (PASSWORD, "opens with a password only"),
        raw.FPDF_ERR_SECURITY: (PASSWORD, "encrypted in a way that is not known"),
    }
    return reasons.get(error.err_code, (DAMAGED, str(error)))


def _permissions(document: "PdfDocument") -> int | None:
    from pypdfium2 import raw

    if raw.FPDF_GetSecurityHandlerRevision(document) < 0:
        return None
    return int(raw.FPDF_GetDocPermissions(document))


class _Search:
    """A file to write to that keeps nothing and remembers whether a word went by."""

    def __init__(self, word: bytes) -> None:
        self.word = word
        self.found = False
        self._end = b""

    def write(self, data: bytes) -> int:
        """Look through the next bytes."""
        seen = self._end + bytes(data)
        self.found = self.found or self.word in seen
        self._end = seen[-len(self.word) :]
        return len(data)


def _copy_says_user_unit(document: "PdfDocument") -> bool:
    from pypdfium2 import PdfiumError

    search = _Search(b"/UserUnit")
    try:
        document.save(search)
    except PdfiumError:
        return False
    return search.found


def _user_unit(document: "PdfDocument", number: int) -> float:
    from pypdfium2 import PdfDocument, PdfiumError

    copy = BytesIO()
    try:
        with PdfDocument.new() as one_page:
            one_page.import_pages(document, [number - 1])
            one_page.save(copy)
    except PdfiumError:
        return 1.0
    found = re.search(rb"/UserUnit\s+([0-9]*\.?[0-9]+)", copy.getvalue())
    return (float(found[1]) if found else 1.0) or 1.0

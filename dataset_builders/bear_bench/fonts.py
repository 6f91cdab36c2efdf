"""Stand-ins for fonts that a PDF names and does not hold.

On a bare machine pdfium draws such text with built-in Latin fonts and leaves Cyrillic out without a word, and
elsewhere with whatever is installed. Here a page with such fonts is drawn with DejaVu, which has Latin, Greek
and Cyrillic letters and comes with matplotlib, unless all its letters are Latin: the built-in fonts have the
measures of Helvetica, Times and Courier, and are easier to read. Either way it is the same picture on every
machine. Symbol fonts are left to pdfium, which has its own.
"""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lvqa_eval.errors import LvqaError

if TYPE_CHECKING:
    from pypdfium2 import PdfPage

_SYMBOL_CHARSET = 2
_FIXED_PITCH, _SERIF = 0x01, 0x10  # bits of a font's pitch and family
_BOLD_FROM = 600

_CYRILLIC_PAGE = (
    b"<< /Type /Catalog /Pages 2 0 R >>",
    b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 40 40] /Contents 5 0 R"
    b" /Resources << /Font << /F 4 0 R >> >> >>",
    b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica"
    b" /Encoding << /Type /Encoding /Differences [65 /afii10024] >> >>",
    b"<< /Length 30 >>\nstream\nBT /F 30 Tf 5 10 Td (A) Tj ET\nendstream",
)
"""A page with Ж in a font that is not in the file."""


_using = {"built-in": False}


class NoStandInError(LvqaError, RuntimeError):
    """Cyrillic text in fonts that are not in a file would be drawn as nothing."""


@cache
def install_stand_ins() -> None:
    """Make pdfium draw fonts that are not in a file with DejaVu; for the rest of this process."""
    from pypdfium2 import PdfSysfontBase

    class StandIns(PdfSysfontBase):  # type: ignore[misc]
        """Answers pdfium's questions about the fonts of the system; a font's handle is its place + 1."""

        def EnumFonts(self, _info: Any, mapper: Any) -> None:  # noqa: N802
            """Name no font: what is installed is not to be used."""

        def MapFont(  # noqa: N802
            self, _info: Any, weight: int, italic: int, charset: int, pitch: int, face: Any, _exact: Any
        ) -> int | None:
            """Return the handle of the stand-in; None leaves the font to pdfium."""
            if charset == _SYMBOL_CHARSET or _using["built-in"]:
                return None
            name = ctypes.string_at(face) if face else b""
            return 1 + _STYLES.index(_style(name, weight >= _BOLD_FROM, bool(italic), pitch))

        def GetFont(self, _info: Any, face: Any) -> int | None:  # noqa: N802
            """Know no font by its name."""

        def GetFontData(self, _info: Any, font: int, table: int, buffer: Any, size: int) -> int:  # noqa: N802
            """Give a file whole, which is what table 0 asks for; single tables are not asked for."""
            if table != 0:
                return 0
            data = _font_file(_STYLES[font - 1]).read_bytes()
            if buffer and size >= len(data):
                ctypes.memmove(buffer, data, len(data))
            return len(data)

        def GetFaceName(self, _info: Any, font: int, buffer: Any, size: int) -> int:  # noqa: N802
            """Give the name of a stand-in, with its closing zero."""
            name = _STYLES[font - 1].encode() + b"\0"
            if buffer and size >= len(name):
                ctypes.memmove(buffer, name, len(name))
            return len(name)

        def GetFontCharset(self, _info: Any, _font: int) -> int:  # noqa: N802
            """Return the default charset: a stand-in serves all."""
            return 1

        def DeleteFont(self, _info: Any, _font: int) -> None:  # noqa: N802
            """Do nothing: handles own nothing."""

    StandIns().setup()


_FACES = ("DejaVuSans", "DejaVuSerif", "DejaVuSansMono")
_SLANTED = {"DejaVuSerif": "Italic"}
_STYLES = tuple(
    f"{face}{f'-{bold}{slant}' if bold or slant else ''}"
    for face in _FACES
    for bold in ("", "Bold")
    for slant in ("", _SLANTED.get(face, "Oblique"))
)


def _style(name: bytes, bold: bool, italic: bool, pitch: int) -> str:
    low = name.lower()
    if pitch & _FIXED_PITCH or b"courier" in low or b"mono" in low:
        face = "DejaVuSansMono"
    elif pitch & _SERIF or b"times" in low or b"serif" in low.replace(b"sansserif", b""):
        face = "DejaVuSerif"
    else:
        face = "DejaVuSans"
    style = ("Bold" if bold else "") + (_SLANTED.get(face, "Oblique") if italic else "")
    return f"{face}-{style}" if style else face


def _font_file(style: str) -> Path:
    # Where matplotlib.get_data_path() points to; importing it for that takes a second in each process.
    found = find_spec("matplotlib")
    if found is None or found.origin is None:
        raise NoStandInError("matplotlib, whose fonts stand in for those that are not in a file, is missing")
    return Path(found.origin).with_name("mpl-data") / "fonts" / "ttf" / f"{style}.ttf"


def check_stand_ins() -> None:
    """Draw Ж in a font that is not in the file; NoStandInError where no ink comes of it."""
    from pypdfium2 import PdfDocument

    install_stand_ins()
    with PdfDocument(_file_of(_CYRILLIC_PAGE)) as document:
        picture = document[0].render(grayscale=True).to_numpy()
        if (picture < 128).sum() < 50:
            raise NoStandInError(
                "the letter Ж in a font that is not in the file gives no ink; "
                f"is {_font_file('DejaVuSans')} there?"
            )


@contextmanager
def built_in_fonts() -> Iterator[None]:
    """Leave fonts that are not in a file to pdfium, for documents that are opened and drawn meanwhile."""
    _using["built-in"] = True
    try:
        yield
    finally:
        _using["built-in"] = False


def text_objects(page: "PdfPage") -> Iterator[Any]:
    """Yield pdfium's handles of the objects that draw text on a page, those in drawings within it too."""
    from pypdfium2 import raw

    waiting = [(raw.FPDFPage_CountObjects, raw.FPDFPage_GetObject, page, 0)]
    while waiting:
        count, get, parent, depth = waiting.pop()
        for at in range(count(parent)):
            one = get(parent, at)
            kind = raw.FPDFPageObj_GetType(one)
            if kind == raw.FPDF_PAGEOBJ_TEXT:
                yield one
            elif kind == raw.FPDF_PAGEOBJ_FORM and depth < _DEEPEST:
                waiting.append((raw.FPDFFormObj_CountObjects, raw.FPDFFormObj_GetObject, one, depth + 1))


_DEEPEST = 15  # drawings in drawings; pdfium itself stops about there


def unembedded_fonts(page: "PdfPage") -> tuple[str, ...]:
    """Return the names, sorted, of fonts that draw text on a page and are not in the file."""
    from pypdfium2 import raw

    names = set()
    for text in text_objects(page):
        font = raw.FPDFTextObj_GetFont(text)
        drawn = raw.FPDFTextObj_GetTextRenderMode(text) != raw.FPDF_TEXTRENDERMODE_INVISIBLE
        if drawn and font and raw.FPDFFont_GetIsEmbedded(font) == 0:
            names.add(_base_name(font))
    return tuple(sorted(names))


def is_latin(page: "PdfPage") -> bool:
    """Tell whether all letters of a page's text layer are Latin, which pdfium's own fonts can draw."""
    layer = page.get_textpage()
    text = layer.get_text_range() if layer.count_chars() > 0 else ""
    layer.close()
    return not any(letter.isalpha() and letter >= "\u0250" for letter in text)


def _base_name(font: Any) -> str:
    from pypdfium2 import raw

    buffer = ctypes.create_string_buffer(256)
    raw.FPDFFont_GetBaseFontName(font, buffer, len(buffer))
    return buffer.value.decode("utf-8", "replace") or "unnamed"


def _file_of(objects: tuple[bytes, ...]) -> bytes:
    """Return a PDF with these objects, the first of them its catalogue."""
    out, offsets = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return out + (
        b"xref\n0 %d\n0000000000 65535 f \n%btrailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF"
        % (len(objects) + 1, table, len(objects) + 1, len(out))
    )

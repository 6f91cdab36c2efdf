"""The characters of a page's text layer: where each lies, and whether there is ink of it to see."""

import ctypes
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dataset_builders.bear_bench.fonts import text_objects
from dataset_builders.bear_bench.pdf import POINTS_PER_INCH, OpenPage

if TYPE_CHECKING:
    from pypdfium2 import PdfPage, PdfTextPage

LOOK_DPI = 100
"""Resolution of the pictures in which ink is looked for: a letter of 8 points is 6 pixels high."""

LOOK_PIXELS = 4_000_000
"""Most pixels of such a picture; larger pages are looked at more coarsely."""

INK_STEP = 24
"""Difference of grey, of 255, from which a pixel counts as changed."""

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class LayerCharacters:
    """A page's characters in the layer's order, those outside its crop box left out.

    `text[i]` is one character, a hyphen at a line's end with its line break; `space[i]` tells white space,
    most of which pdfium adds. `ink[i]`: text is seen in its box. `unmapped[i]`: the file does not say which
    character it is. `background_ink` is the ink of the page that is not of text, (height, width) at `dpi`.
    """

    text: tuple[str, ...]
    space: Mask
    ink: Mask
    unmapped: Mask
    background_ink: Mask
    page_ink: float
    dpi: float


def read_characters(page: OpenPage) -> LayerCharacters:
    """Read the layer and look for the ink of each character.

    The page is drawn twice, as it is and with all its text made invisible: what differs is the ink of text.
    This finds text in render mode 3, in the colour of its ground, and under pictures. The page's text is
    invisible afterwards: load it again to draw it.
    """
    width, height = page.size(LOOK_DPI)
    dpi = LOOK_DPI * min(1.0, (LOOK_PIXELS / (width * height)) ** 0.5)
    text, unmapped, boxes = _layer(page.raw)
    whole = np.asarray(page.draw(dpi, grey=True), dtype=np.int16)
    _hide_text(page.raw)
    rest = np.asarray(page.draw(dpi, grey=True), dtype=np.int16)
    of_text = np.abs(whole - rest) > INK_STEP
    pixels = _to_pixels(page, boxes, dpi)
    inside = _inside(pixels, whole.shape)
    space = np.array([not one.strip() for one in text], dtype=bool)
    keep = inside | space
    return LayerCharacters(
        tuple(one for one, kept in zip(text, keep, strict=True) if kept),
        space[keep],
        _has_ink(of_text, pixels)[keep],
        unmapped[keep],
        not_background(rest),
        float(not_background(whole).mean()),
        dpi,
    )


def not_background(grey: NDArray[np.int16]) -> Mask:
    """Return which pixels differ from the page's ground, its most frequent grey."""
    ground = int(np.bincount(grey.ravel(), minlength=256).argmax())
    return np.abs(grey - ground) > INK_STEP


def is_readable(character: str) -> bool:
    """Tell whether a character says anything: no replacement, private, unassigned or control character."""
    return character != "\ufffd" and unicodedata.category(character) not in ("Co", "Cn", "Cs", "Cc")


def _layer(page: "PdfPage") -> tuple[list[str], Mask, NDArray[np.float64]]:
    """Return the characters, which are unmapped, and their boxes (left, right, bottom, top) on the page."""
    from pypdfium2 import raw

    layer = page.get_textpage()
    count = max(0, layer.count_chars())
    boxes = np.zeros((count, 4))
    unmapped = np.zeros(count, dtype=bool)
    text = []
    edges = [ctypes.c_double() for _ in range(4)]
    for at in range(count):
        text.append(_character(layer, at))
        if raw.FPDFText_IsGenerated(layer, at) != 1:
            unmapped[at] = raw.FPDFText_HasUnicodeMapError(layer, at) == 1
            if raw.FPDFText_GetCharBox(layer, at, *edges):
                boxes[at] = [edge.value for edge in edges]
    layer.close()
    return _joined_surrogates(text), unmapped, boxes


def _character(layer: "PdfTextPage", at: int) -> str:
    from pypdfium2 import raw

    if raw.FPDFText_IsHyphen(layer, at) == 1:
        return "-\n"
    code = raw.FPDFText_GetUnicode(layer, at)
    return chr(code) if 0 < code <= 0x10FFFF else "\ufffd"


def _joined_surrogates(text: list[str]) -> list[str]:
    for at in range(len(text) - 1):
        if "\ud800" <= text[at] <= "\udbff" and "\udc00" <= text[at + 1] <= "\udfff":
            text[at] = (text[at] + text[at + 1]).encode("utf-16", "surrogatepass").decode("utf-16")
            text[at + 1] = ""
    return text


def _hide_text(page: "PdfPage") -> None:
    from pypdfium2 import raw

    for one in text_objects(page):
        raw.FPDFTextObj_SetTextRenderMode(one, raw.FPDF_TEXTRENDERMODE_INVISIBLE)


def _to_pixels(page: OpenPage, boxes: NDArray[np.float64], dpi: float) -> NDArray[np.float64]:
    """Turn boxes on the page (left, right, bottom, top) into pixels (left, top, right, bottom)."""
    left, bottom, right, top = page.raw.get_bbox()
    x, y = boxes[:, 0:2], boxes[:, 2:4]
    across, down = {
        0: (x - left, top - y),
        90: (y - bottom, x - left),
        180: (right - x, y - bottom),
        270: (top - y, right - x),
    }[page.raw.get_rotation()]
    scale = dpi * page.user_unit / POINTS_PER_INCH
    ordered = (across.min(axis=1), down.min(axis=1), across.max(axis=1), down.max(axis=1))
    return np.stack(ordered, axis=1) * scale


def _inside(pixels: NDArray[np.float64], shape: tuple[int, ...]) -> Mask:
    """Return which boxes have their middle in the picture."""
    middle = (pixels[:, :2] + pixels[:, 2:]) / 2
    return np.asarray(((middle >= 0) & (middle <= (shape[1], shape[0]))).all(axis=1))


def _has_ink(ink: Mask, pixels: NDArray[np.float64]) -> Mask:
    """Return which boxes, a pixel wider on each side, have any ink."""
    height, width = ink.shape
    sums = np.zeros((height + 1, width + 1), dtype=np.int64)
    sums[1:, 1:] = ink.cumsum(axis=0).cumsum(axis=1)
    limits = (width, height, width, height)
    left, top, right, bottom = np.clip(
        np.stack(
            [
                np.floor(pixels[:, 0]) - 1,
                np.floor(pixels[:, 1]) - 1,
                np.ceil(pixels[:, 2]) + 1,
                np.ceil(pixels[:, 3]) + 1,
            ]
        ),
        0,
        np.array(limits)[:, None],
    ).astype(np.int64)
    return np.asarray(sums[bottom, right] - sums[top, right] - sums[bottom, left] + sums[top, left] > 0)

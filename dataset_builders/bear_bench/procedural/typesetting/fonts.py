"""The DejaVu fonts that matplotlib ships, and how wide text is in them."""

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Literal

from PIL import ImageFont

Family = Literal["sans", "serif", "mono"]

ASCENT, DESCENT = 0.80, 0.24
"""How far text reaches above and below its base line, in sizes: letters with marks above, and tails."""

_FILES = {"sans": "DejaVuSans", "serif": "DejaVuSerif", "mono": "DejaVuSansMono"}
_MEASURED_AT = 200
"""The size at which widths are measured: large, so that they are in proportion at any size."""


@dataclass(frozen=True)
class Face:
    """A font without its size."""

    family: Family
    bold: bool = False
    italic: bool = False

    def bolder(self) -> "Face":
        """Return the bold face."""
        return replace(self, bold=True)

    def slanted(self) -> "Face":
        """Return the italic face."""
        return replace(self, italic=True)


@lru_cache(maxsize=256)
def font(face: Face, size: float) -> ImageFont.FreeTypeFont:
    """Return a font at a size in pixels."""
    # Basic layout: other layout engines differ between builds of Pillow, and the bytes with them.
    return ImageFont.truetype(_path(face), size, layout_engine=ImageFont.Layout.BASIC)


@lru_cache(maxsize=100_000)
def width(text: str, face: Face, size: float) -> float:
    """Return how wide a text is, in pixels."""
    return font(face, _MEASURED_AT).getlength(text) * size / _MEASURED_AT


def _path(face: Face) -> str:
    from matplotlib import get_data_path

    slanted = "Italic" if face.family == "serif" else "Oblique"
    style = ("Bold" if face.bold else "") + (slanted if face.italic else "")
    name = _FILES[face.family] + (f"-{style}" if style else "")
    return str(Path(get_data_path()) / "fonts" / "ttf" / f"{name}.ttf")

"""Picture files to upright 8-bit pixels, whatever they are stored as."""

import io
import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import ExifTags, Image, ImageOps
from PIL.ImageFile import ImageFile

from lvqa_eval.errors import LvqaError
from lvqa_eval.images.background import Pixels

FORMATS = ("PNG", "JPEG", "WEBP", "TIFF", "BMP", "GIF")
"""Pillow's names of the formats that are read."""

MAX_PIXELS = 89_478_485
"""Largest picture that is decoded, in pixels (a quarter of a GiB as RGB)."""

_GREY_16_BIT = ("I;16", "I;16L", "I;16B", "I;16N")
_EIGHT_BIT_RGB = b"\x08\x02"  # bit depth and colour type in the header of a PNG, which stands first
_HEADER_DEPTH = slice(24, 26)
# What Pillow's plugins raise on bytes that only look like their format.
_BROKEN = (
    OSError,
    SyntaxError,
    IndexError,
    TypeError,
    KeyError,
    EOFError,
    ValueError,
    struct.error,
    Image.DecompressionBombError,
)


class PictureError(LvqaError, ValueError):
    """A picture file that cannot be used: which, and why."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


@dataclass(frozen=True, eq=False)
class Decoded:
    """The first frame of a picture file, upright: H x W x 4 with straight alpha where it has any, else x 3.

    `mode` is Pillow's name of how it is stored. `is_plain` tells of a file that every reader takes alike, an
    8-bit RGB PNG without alpha, orientation or animation.
    """

    pixels: Pixels
    mode: str
    is_plain: bool


def decode(path: Path, stored: bytes, max_pixels: int = MAX_PIXELS) -> Decoded:
    """Return the pixels of the file at `path`, whose bytes are `stored`.

    - The orientation tag is applied, so height and width are those of the picture as it is seen.
    - Transparency of palettes and of one transparent colour becomes alpha.
    - 16-bit grey is divided by 257; 16-bit colour keeps its high byte (less than one step away).
    - CMYK follows the Adobe marker. Colour profiles are not applied.

    Raises PictureError with the reason for an empty or broken file, for one that is no picture, and for one
    of more than `max_pixels` pixels, which is refused from its header.
    """
    image = _identified(path, stored)
    check_size(path, image.size, max_pixels, "decoded")
    try:
        image.load()
        pixels = _pixels(path, ImageOps.exif_transpose(image))
        return Decoded(pixels, image.mode, _is_plain(image, stored))
    except PictureError:
        raise
    except _BROKEN as error:
        raise PictureError(path, f"broken {image.format} file: {error}") from error


def check_size(path: Path, size: tuple[int, int], most: int, verb: str) -> None:
    """Raise PictureError where a picture of `size` (width, height) has more than `most` pixels."""
    count = size[0] * size[1]
    if count > most:
        raise PictureError(
            path, f"size: found {size[0]}x{size[1]} ({count} pixels), at most {most} pixels are {verb}"
        )


def _identified(path: Path, stored: bytes) -> ImageFile:
    """Read the header alone.

    `Image.open` would do, but it judges the size itself against a limit of the whole process and names
    neither width nor height; so the formats are asked one by one here.
    """
    if not stored:
        raise PictureError(path, "empty file")
    Image.init()
    start = stored[:16]
    for name in FORMATS:
        factory, accept = Image.OPEN[name]
        if accept is None or accept(start) is True:
            try:
                return factory(io.BytesIO(stored), path.name)
            except _BROKEN as error:
                raise PictureError(path, f"broken {name} file: {error}") from error
    raise PictureError(path, f"no picture: starts with {start!r}, allowed: {', '.join(FORMATS)}")


def _pixels(path: Path, image: Image.Image) -> Pixels:
    transparent = image.info.get("transparency")
    if image.mode in _GREY_16_BIT:
        stored = np.asarray(image).astype(np.int32)
        # Rounded to the nearest: 65535 = 255 * 257.
        grey = (stored * 2 + 257) // 514
        if transparent is None:
            return np.dstack([grey, grey, grey]).astype(np.uint8)
        alpha = np.where(stored == transparent, 0, 255)
        return np.dstack([grey, grey, grey, alpha]).astype(np.uint8)
    if image.mode in ("I", "F"):
        raise PictureError(path, f"mode: found {image.mode} (32 bits a pixel), allowed: 8 and 16 bits")
    if isinstance(transparent, tuple) and max(transparent) > 255:
        raise PictureError(path, f"transparent colour: found {transparent}, allowed: 8 bits a channel")
    return np.asarray(image.convert("RGBA" if image.has_transparency_data else "RGB"))


def _is_plain(image: ImageFile, stored: bytes) -> bool:
    return (
        image.format == "PNG"
        and stored[_HEADER_DEPTH] == _EIGHT_BIT_RGB
        and "transparency" not in image.info
        and image.getexif().get(ExifTags.Base.Orientation, 1) == 1
        and not getattr(image, "is_animated", False)
    )

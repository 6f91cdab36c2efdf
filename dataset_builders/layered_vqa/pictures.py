"""Picture files to upright 8-bit RGB pixels, whatever they are stored as."""

import struct
from pathlib import Path
from typing import BinaryIO

import numpy as np
from PIL import Image, ImageOps
from PIL.ImageFile import ImageFile

from dataset_builders.layered_vqa.scene import Pixels, compose

FORMATS = ("PNG", "JPEG", "WEBP", "TIFF", "BMP", "GIF")
"""Pillow's names of the formats that are read; the others either draw by script or carry no photos."""

MAX_PIXELS = 89_478_485
"""Largest picture that is decoded, in pixels (a quarter of a GiB as RGB)."""

WHITE = (255, 255, 255)

_GREY_16_BIT = ("I;16", "I;16L", "I;16B", "I;16N")
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


class PictureError(ValueError):
    """A picture file that cannot be used: which, and why."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path.name}: {reason}")
        self.path = path
        self.reason = reason


def read_rgb(path: Path, background: tuple[int, int, int] = WHITE, max_pixels: int = MAX_PIXELS) -> Pixels:
    """Return the first frame of a picture file as H x W x 3 uint8, upright.

    - The orientation tag is applied, so height and width are those of the picture as it is seen.
    - Alpha, also that of palettes and transparent colours, is laid over `background` in floating point.
    - 16-bit grey is divided by 257; CMYK follows the Adobe marker.

    Raises PictureError with the reason for a missing, empty or broken file, for one that is no picture, and
    for one of more than `max_pixels` pixels, which is refused from its header.
    """
    with _opened(path) as stream, _identified(path, stream) as image:
        if image.width * image.height > max_pixels:
            size = f"{image.width}x{image.height} ({image.width * image.height} pixels)"
            raise PictureError(path, f"size: found {size}, at most {max_pixels} pixels are decoded")
        try:
            image.load()
            upright: Image.Image = ImageOps.exif_transpose(image)
        except _BROKEN as error:
            raise PictureError(path, f"broken {image.format} file: {error}") from error
        return _rgb(path, upright, background)


def _opened(path: Path) -> BinaryIO:
    try:
        stream = path.open("rb")
    except OSError as error:
        raise PictureError(path, f"cannot be opened: {error.strerror}") from error
    return stream


def _identified(path: Path, stream: BinaryIO) -> ImageFile:
    """Read the header alone.

    `Image.open` would do, but it judges the size itself against a limit of the whole process and names
    neither width nor height; so the formats are asked one by one here.
    """
    Image.init()
    start = stream.read(16)
    if not start:
        raise PictureError(path, "empty file")
    for name in FORMATS:
        factory, accept = Image.OPEN[name]
        if accept is None or accept(start) is True:
            stream.seek(0)
            try:
                return factory(stream, path.name)
            except _BROKEN as error:
                raise PictureError(path, f"broken {name} file: {error}") from error
    raise PictureError(path, f"no picture: starts with {start!r}, allowed: {', '.join(FORMATS)}")


def _rgb(path: Path, image: Image.Image, background: tuple[int, int, int]) -> Pixels:
    if image.mode in _GREY_16_BIT:
        # Rounded to the nearest: 65535 = 255 * 257.
        grey = ((np.asarray(image).astype(np.uint32) * 2 + 257) // 514).astype(np.uint8)
        return np.repeat(grey[..., np.newaxis], 3, axis=2)
    if image.mode in ("I", "F"):
        raise PictureError(path, f"mode: found {image.mode} (32 bits a pixel), allowed: 8 and 16 bits")
    if not image.has_transparency_data:
        return np.array(image.convert("RGB"))
    pixels = np.asarray(image.convert("RGBA"))
    below = np.empty_like(pixels)
    below[:] = (*background, 255)
    return compose([below, pixels])

"""Picture files to upright 8-bit pixels, whatever they are stored as; and layers on a canvas."""

import struct
from pathlib import Path
from typing import BinaryIO

import numpy as np
from PIL import Image, ImageOps
from PIL.ImageFile import ImageFile

from dataset_builders.layered_vqa.scene import Pixels, compose, is_opaque

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
    - 16-bit grey is divided by 257; 16-bit colour keeps its high byte (less than one step away).
    - CMYK follows the Adobe marker.

    Raises PictureError with the reason for a missing, empty or broken file, for one that is no picture, and
    for one of more than `max_pixels` pixels, which is refused from its header.
    """
    pixels = read_rgba(path, max_pixels)
    if is_opaque(pixels):
        return np.ascontiguousarray(pixels[..., :3])
    below = np.empty_like(pixels)
    below[:] = (*background, 255)
    return compose([below, pixels])


def read_rgba(path: Path, max_pixels: int = MAX_PIXELS) -> Pixels:
    """Return the first frame of a picture file as H x W x 4 uint8 with straight alpha, upright.

    As `read_rgb`, but alpha is kept: transparency of palettes and of one transparent colour becomes alpha, a
    picture without any is opaque, and colours under alpha 0 stay as stored.
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
        return _rgba(path, upright)


def place(layer: Pixels, offset: tuple[int, int], canvas: tuple[int, int]) -> Pixels:
    """Return `layer` (h x w x 4) on a transparent black canvas of (width, height) pixels.

    `offset` is (x, y) of the layer's upper left corner, from the canvas's own; it may be negative. What lies
    outside the canvas is cut off.
    """
    (x, y), (width, height) = offset, canvas
    placed = np.zeros((height, width, 4), np.uint8)
    left, top = max(x, 0), max(y, 0)
    right, bottom = min(x + layer.shape[1], width), min(y + layer.shape[0], height)
    if left < right and top < bottom:
        placed[top:bottom, left:right] = layer[top - y : bottom - y, left - x : right - x]
    return placed


def resize_rgba(layer: Pixels, size: tuple[int, int]) -> Pixels:
    """Return `layer` (H x W x 4, straight alpha) resampled to (width, height) pixels.

    Colours are weighted by their alpha, once, in floating point, so transparent pixels lend their colour to
    none. The filter has no negative weights: laying the result over one plain colour gives what resampling
    the layer over that colour gives, up to rounding. That holds for no stack of layers.
    """
    alpha = layer[..., 3].astype(np.float32)
    weighted = [layer[..., channel] * (alpha / 255.0) for channel in range(3)]
    *colours, coverage = (
        np.asarray(Image.fromarray(plane).resize(size, Image.Resampling.HAMMING))
        for plane in (*weighted, alpha)
    )
    straight = np.stack(colours, axis=-1) * (255.0 / np.maximum(coverage, 1e-6))[..., np.newaxis]
    resized = np.floor(np.dstack([straight, coverage]) + 0.5).clip(0, 255).astype(np.uint8)
    resized[resized[..., 3] == 0] = 0
    return resized


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


def _rgba(path: Path, image: Image.Image) -> Pixels:
    transparent = image.info.get("transparency")
    if image.mode in _GREY_16_BIT:
        stored = np.asarray(image).astype(np.int32)
        # Rounded to the nearest: 65535 = 255 * 257.
        grey = (stored * 2 + 257) // 514
        alpha = np.where(stored == (-1 if transparent is None else transparent), 0, 255)
        return np.dstack([grey, grey, grey, alpha]).astype(np.uint8)
    if image.mode in ("I", "F"):
        raise PictureError(path, f"mode: found {image.mode} (32 bits a pixel), allowed: 8 and 16 bits")
    if isinstance(transparent, tuple) and max(transparent) > 255:
        raise PictureError(path, f"transparent colour: found {transparent}, allowed: 8 bits a channel")
    if image.has_transparency_data:
        return np.array(image.convert("RGBA"))
    rgb = np.asarray(image.convert("RGB"))
    return np.dstack([rgb, np.full(rgb.shape[:2], 255, np.uint8)])

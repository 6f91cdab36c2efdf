"""A page as the masks that its layout is measured on."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
Mask = NDArray[np.bool_]

SIDE = 1200
"""Pixels of the longer side at which every page is measured; a letter of running text is 6 to 10 high."""

_INK = 60
_TINT = 10
_COLOURED = 40


@dataclass(frozen=True, eq=False)
class Sheet:
    """A page at the size of measuring, all arrays of its height and width.

    - `ink`: what stands out from the ground, its most frequent grey.
    - `tint`: what differs from it at all, pale fills included.
    - `coloured`: what is neither white, grey nor black. `pixels` has the colours.
    """

    pixels: Pixels
    grey: NDArray[np.int16]
    ink: Mask
    tint: Mask
    coloured: Mask

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width in pixels."""
        return int(self.ink.shape[0]), int(self.ink.shape[1])


def sheet_of(pixels: Pixels) -> Sheet:
    """Return a page (H x W x 3) at the size of measuring."""
    from PIL import Image

    picture = Image.fromarray(pixels)
    scale = SIDE / max(picture.size)
    size = (max(1, round(picture.width * scale)), max(1, round(picture.height * scale)))
    if size != picture.size:
        kind = Image.Resampling.BOX if scale < 1 else Image.Resampling.BICUBIC
        picture = picture.resize(size, kind)
    grey = np.asarray(picture.convert("L"), dtype=np.int16)
    away = np.abs(grey - int(np.bincount(grey.ravel(), minlength=256).argmax()))
    red, green, blue = (np.ascontiguousarray(channel) for channel in np.moveaxis(np.asarray(picture), 2, 0))
    spread = np.maximum(np.maximum(red, green), blue) - np.minimum(np.minimum(red, green), blue)
    return Sheet(np.asarray(picture), grey, away > _INK, away > _TINT, spread > _COLOURED)


def run_lengths(mask: Mask) -> NDArray[np.int32]:
    """Return for every pixel of a mask the length of the horizontal run that it stands in; 0 outside."""
    height, width = mask.shape
    padded = np.zeros((height, width + 1), dtype=np.int8)
    padded[:, :width] = mask
    edges = np.flatnonzero(np.diff(padded.ravel(), prepend=np.int8(0)))
    starts, ends = edges[::2], edges[1::2]
    found = np.zeros(height * (width + 1), dtype=np.int32)
    found[padded.ravel().astype(bool)] = np.repeat(ends - starts, ends - starts)
    return found.reshape(height, width + 1)[:, :width]

"""What lies behind a layer, so that transparency is seen and not lost."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Background = Literal["checkerboard", "white", "grey", "black"]
BACKGROUNDS: tuple[Background, ...] = ("checkerboard", "white", "grey", "black")

TILE = 16
"""Side of a checkerboard tile in pixels of the canvas."""

CHECKERBOARD = (204, 255)
"""The two greys of the checkerboard; the top left tile has the first."""

PLAIN = {"white": 255, "grey": 128, "black": 0}
"""The grey of each plain background."""

Pixels = NDArray[np.uint8]


def flatten(picture: Pixels, background: Background, canvas: tuple[int, int] | None = None) -> Pixels:
    """Lay a picture over `background`; returns H x W x 3, rounded to the nearest.

    `picture` is H x W x 4 with straight alpha, or H x W x 3, which covers what it lies on. It stands in the
    upper left corner of a `canvas` of (width, height), by default one of its own size.
    """
    top = Image.fromarray(picture)
    laid = Image.fromarray(background_pixels(*(canvas or top.size), background))
    # Pillow divides by 255 exactly here, at a fifth of the time of the same sum in arrays.
    laid.paste(top, (0, 0), top if top.mode == "RGBA" else None)
    return np.asarray(laid)


def background_pixels(width: int, height: int, background: Background) -> Pixels:
    """Return the background as an H x W x 3 picture."""
    if background == "checkerboard":
        odd_row = np.arange(height) // TILE % 2 == 1
        odd_column = np.arange(width) // TILE % 2 == 1
        grey = np.where(odd_row[:, None] ^ odd_column, np.uint8(CHECKERBOARD[1]), np.uint8(CHECKERBOARD[0]))
    else:
        grey = np.full((height, width), PLAIN[background], np.uint8)
    return np.asarray(Image.fromarray(grey).convert("RGB"))

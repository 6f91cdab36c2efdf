"""A picture file as pixels, whatever it is stored as."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lvqa_eval.images import flatten
from lvqa_eval.images.decoding import decode


def read_pixels(path: Path) -> NDArray[np.uint8]:
    """Return the pixels of a picture, H x W x 3, upright; what is transparent is white.

    Raises PictureError, naming the file, for one that cannot be used.
    """
    pixels = decode(path, path.read_bytes()).pixels
    return flatten(pixels, "white", (pixels.shape[1], pixels.shape[0]))

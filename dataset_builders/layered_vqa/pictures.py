"""Picture files as RGB or RGBA, and layers on a canvas."""

from pathlib import Path

import numpy as np
from PIL import Image

from dataset_builders.layered_vqa.scene import Pixels, compose, is_opaque
from lvqa_eval.images.decoding import MAX_PIXELS, PictureError, decode

WHITE = (255, 255, 255)


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
    try:
        stored = path.read_bytes()
    except OSError as error:
        raise PictureError(path, f"cannot be opened: {error.strerror}") from error
    pixels = decode(path, stored, max_pixels).pixels
    if pixels.shape[2] == 4:
        return pixels
    return np.dstack([pixels, np.full(pixels.shape[:2], 255, np.uint8)])


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

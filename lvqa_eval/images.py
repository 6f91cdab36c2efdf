"""Pictures as a model receives them: rendered once, addressed by content, ready to stand in a request.

A layer is laid over a recorded background by us, so alpha is never dropped and colours hidden under full
transparency never show. The same layer gives the same bytes in every condition and run.
"""

import base64
import hashlib
import io
from collections.abc import Callable, Container
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Background = Literal["checkerboard", "white", "grey", "black"]
BACKGROUNDS: tuple[Background, ...] = ("checkerboard", "white", "grey", "black")

TILE = 16
"""Side of a checkerboard tile in pixels."""

CHECKERBOARD = (204, 255)
"""The two greys of the checkerboard; the top left tile has the first."""

_PLAIN = {"white": 255, "grey": 128, "black": 0}

Pixels = NDArray[np.uint8]


@dataclass(frozen=True)
class Picture:
    """One picture as sent: `part` is the finished JSON part of a message, `sha256` that of its PNG.

    `reference` is the part that names it to a server which holds it already, None where it always goes whole.
    """

    sha256: str
    width: int
    height: int
    part: bytes
    reference: bytes | None = None

    def sent(self, held: Container[str]) -> bytes:
        """Return the part to send to a server that holds the pictures of the hashes `held`."""
        return self.part if self.reference is None or self.sha256 not in held else self.reference


class PictureStore:
    """Renders each picture once and keeps its finished part (4/3 of its PNG bytes)."""

    def __init__(self, background: Background = "checkerboard") -> None:
        self.background = background
        self._kept: dict[Path, Picture] = {}

    def composite(self, path: Path) -> Picture:
        """Return the scene at `path`, sent as its file stands."""
        return self._keep(path, path.read_bytes)

    def layer(self, path: Path) -> Picture:
        """Return the RGBA layer at `path`, laid over the background and sent as RGB PNG."""
        return self._keep(path, lambda: _png(flatten(_rgba(path), self.background)))

    def _keep(self, path: Path, png: Callable[[], bytes]) -> Picture:
        if path not in self._kept:
            self._kept[path] = _picture(png())
        return self._kept[path]


def flatten(layer: Pixels, background: Background) -> Pixels:
    """Lay an H x W x 4 layer with straight alpha over `background`; returns H x W x 3, rounded half up."""
    height, width = layer.shape[:2]
    ground = background_pixels(width, height, background).astype(np.float64)
    alpha = layer[..., 3:].astype(np.float64) / 255.0
    return np.floor(layer[..., :3] * alpha + ground * (1.0 - alpha) + 0.5).astype(np.uint8)


def background_pixels(width: int, height: int, background: Background) -> Pixels:
    """Return the background as an H x W x 3 picture."""
    if background != "checkerboard":
        return np.full((height, width, 3), _PLAIN[background], np.uint8)
    odd = (np.arange(height)[:, None] // TILE + np.arange(width)[None, :] // TILE) % 2
    grey = np.where(odd, CHECKERBOARD[1], CHECKERBOARD[0]).astype(np.uint8)
    return np.repeat(grey[..., None], 3, axis=2)


def rendering(background: Background) -> dict[str, object]:
    """Return what shaped the pictures sent, for the run's identity."""
    if background == "checkerboard":
        return {"background": background, "tile": TILE, "greys": list(CHECKERBOARD)}
    return {"background": background, "grey": _PLAIN[background]}


def _rgba(path: Path) -> Pixels:
    with Image.open(path) as picture:
        if picture.mode != "RGBA":
            raise ValueError(f"{path}: found mode {picture.mode}, a layer is RGBA")
        return np.asarray(picture)


def _png(pixels: Pixels) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, format="PNG")
    return buffer.getvalue()


def _picture(png: bytes) -> Picture:
    with Image.open(io.BytesIO(png)) as opened:
        width, height = opened.size
    url = b"data:image/png;base64," + base64.b64encode(png)
    part = b'{"type":"image_url","image_url":{"url":"' + url + b'"}}'
    return Picture(hashlib.sha256(png).hexdigest(), width, height, part)

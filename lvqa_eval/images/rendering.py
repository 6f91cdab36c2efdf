"""What shapes the pictures sent: the background, a factor, and the rule for sizes that a model cannot take.

The rule looks at the size of the canvas alone. Layers and composite of a scene share one, so they are treated
alike and stay registered.
"""

import math
from bisect import bisect_right
from dataclasses import dataclass

import numpy as np
from PIL import Image

from lvqa_eval.errors import LvqaError
from lvqa_eval.images.background import (
    BACKGROUNDS,
    CHECKERBOARD,
    PLAIN,
    TILE,
    Background,
    Pixels,
    flatten,
)

Size = tuple[int, int]

REDUCTION = {"sides": "divided, to the nearest pixel, halves up", "filter": "Lanczos of Pillow"}
"""How a picture becomes smaller by a factor."""


class RenderingError(LvqaError, ValueError):
    """Settings that no picture can be rendered with."""


@dataclass(frozen=True)
class Fit:
    """What the size rule does to one canvas; all sizes are (width, height) in pixels.

    The picture is scaled from `original` to `scaled`, at once by a factor and by the rule, and padded, right
    and below, to `sent`.
    """

    original: Size
    scaled: Size
    sent: Size

    @property
    def scale(self) -> float:
        """The factor of the longer side; 1 where nothing is scaled."""
        return max(self.scaled) / max(self.original)

    @property
    def padding(self) -> Size:
        """The pixels of background added right and below, in those of the picture sent."""
        return self.sent[0] - self.scaled[0], self.sent[1] - self.scaled[1]

    @property
    def extent(self) -> tuple[float, float]:
        """The size of the picture sent, padding included, in pixels of the original."""
        (width, height), (scaled_width, scaled_height) = self.original, self.scaled
        return self.sent[0] * width / scaled_width, self.sent[1] * height / scaled_height

    @property
    def canvas(self) -> Size:
        """The whole pixels of the original that the extent needs."""
        width, height = self.extent
        return math.ceil(width), math.ceil(height)


@dataclass(frozen=True)
class Rendering:
    """How every picture of a run is made, whichever the condition.

    `min_side` and `max_ratio` (longer side over shorter) are what the picture processors of Qwen-VL models
    take; a picture that falls short is padded with background, never stretched. `max_pixels` bounds what is
    sent, padding included; a larger picture is scaled down. Raises RenderingError for impossible settings.
    """

    background: Background = BACKGROUNDS[0]
    min_side: int = 28
    max_ratio: int = 200
    max_pixels: int | None = None

    def __post_init__(self) -> None:
        found = []
        if self.background not in BACKGROUNDS:
            found.append(f"background: found {self.background!r}, allowed: {', '.join(BACKGROUNDS)}")
        if self.min_side < 1:
            found.append(f"minimum side: found {self.min_side}, allowed: 1 or more pixels")
        if self.max_ratio < 1:
            found.append(f"maximum ratio of the sides: found {self.max_ratio}, allowed: 1 or more")
        if self.max_pixels is not None and self.max_pixels < self.min_side**2:
            least = f"{self.min_side**2} (the minimum side squared)"
            found.append(f"maximum pixels: found {self.max_pixels}, allowed: {least} or more")
        if found:
            raise RenderingError("\n".join(found))

    def identity(self) -> dict[str, object]:
        """Return the settings as plain values, for the run's identity."""
        if self.background == "checkerboard":
            drawn: dict[str, object] = {"tile": TILE, "greys": list(CHECKERBOARD)}
        else:
            drawn = {"grey": PLAIN[self.background]}
        sizes = {"min_side": self.min_side, "max_ratio": self.max_ratio, "max_pixels": self.max_pixels}
        return {"background": self.background, **drawn, **sizes}

    def fit(self, width: int, height: int, factor: float = 1.0) -> Fit:
        """Return what becomes of a canvas of this size, whose sides are first divided by `factor`."""
        scaled = self._scaled(*divided((width, height), factor))
        return Fit((width, height), scaled, self._padded(scaled))

    def render(self, picture: Pixels, factor: float = 1.0) -> Pixels:
        """Return a picture (H x W x 3, or x 4 with straight alpha) as sent: H x W x 3.

        Its sides are divided by `factor`. It is laid over the background first and scaled together with it
        and with its padding, so that the checkerboard runs on without a seam.
        """
        height, width = picture.shape[:2]
        fit = self.fit(width, height, factor)
        laid = flatten(picture, self.background, fit.canvas)
        if fit.scaled == fit.original:
            return laid
        resized = Image.fromarray(laid).resize(fit.sent, Image.Resampling.LANCZOS, (0, 0, *fit.extent))
        return np.asarray(resized)

    def _padded(self, size: Size) -> Size:
        least = max(self.min_side, math.ceil(max(size) / self.max_ratio))
        return max(size[0], least), max(size[1], least)

    def _scaled(self, width: int, height: int) -> Size:
        """Return the largest size of the same shape whose padded picture holds at most `max_pixels`."""
        if self.max_pixels is None or math.prod(self._padded((width, height))) <= self.max_pixels:
            return width, height
        longer = max(width, height)

        def of(length: int) -> Size:
            """Return the size whose longer side is `length`, the shorter one to the nearest pixel."""
            sides = (max(1, (2 * side * length + longer) // (2 * longer)) for side in (width, height))
            return next(sides), next(sides)

        def needed(length: int) -> int:
            return math.prod(self._padded(of(length)))

        return of(bisect_right(range(1, longer + 1), self.max_pixels, key=needed))


def divided(size: Size, factor: float) -> Size:
    """Return a size with both sides divided, to the nearest pixel, halves up, and at least one."""
    width, height = (max(1, math.floor(side / factor + 0.5)) for side in size)
    return width, height

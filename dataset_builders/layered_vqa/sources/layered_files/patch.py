"""Pieces of picture with a place on the canvas, and the arithmetic of laying them over each other."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dataset_builders.layered_vqa.pictures import place
from dataset_builders.layered_vqa.scene import Pixels

Shares = NDArray[np.float64]

_BAND = 64
"""Rows that are merged at a time."""


@dataclass(frozen=True, eq=False)
class Patch:
    """h x w x 4 uint8 pixels with straight alpha; `x`, `y` place the upper left one on the canvas.

    Offsets are in pixels, to the right and down, and may be negative.
    """

    pixels: Pixels
    x: int
    y: int

    @property
    def box(self) -> tuple[int, int, int, int]:
        """Left, top, right and bottom on the canvas; right and bottom lie outside."""
        return self.x, self.y, self.x + self.pixels.shape[1], self.y + self.pixels.shape[0]

    @property
    def alpha(self) -> Shares:
        """Return the alpha channel from 0 to 1, h x w."""
        return self.pixels[..., 3] / 255.0

    def with_alpha(self, alpha: Shares) -> "Patch":
        """Return this patch with another alpha (0 to 1, h x w), rounded to the nearest of 255 steps."""
        pixels = self.pixels.copy()
        pixels[..., 3] = _rounded(alpha * 255.0)
        return replace(self, pixels=pixels)

    def cut(self, box: tuple[int, int, int, int]) -> "Patch":
        """Return the part of this patch inside `box`; it may be empty."""
        left, top, right, bottom = box
        rows = slice(max(top - self.y, 0), max(bottom - self.y, 0))
        columns = slice(max(left - self.x, 0), max(right - self.x, 0))
        # A copy, so that what lies outside is not kept in memory.
        return Patch(self.pixels[rows, columns].copy(), max(self.x, left), max(self.y, top))

    def trimmed(self) -> "Patch":
        """Return the smallest part that holds every pixel with some alpha; empty where there is none."""
        shown = self.pixels[..., 3] > 0
        rows, columns = np.flatnonzero(shown.any(axis=1)), np.flatnonzero(shown.any(axis=0))
        if not rows.size:
            return self.cut((self.x, self.y, self.x, self.y))
        left, top = self.x + int(columns[0]), self.y + int(rows[0])
        return self.cut((left, top, self.x + int(columns[-1]) + 1, self.y + int(rows[-1]) + 1))

    def spread(self, box: tuple[int, int, int, int]) -> Pixels:
        """Return the picture of `box` with this patch in it, and transparent black around it."""
        left, top, right, bottom = box
        return place(self.pixels, (self.x - left, self.y - top), (right - left, bottom - top))

    def shown(self) -> int:
        """Return the number of pixels that are not fully transparent."""
        return int(np.count_nonzero(self.pixels[..., 3]))


@dataclass(frozen=True, eq=False)
class Mask:
    """h x w uint8 shares of a layer that show, placed like a patch; `outside` holds everywhere else."""

    values: Pixels
    x: int
    y: int
    outside: int = 0

    def shares(self, box: tuple[int, int, int, int]) -> Shares:
        """Return the shares in `box`, 0 to 1."""
        plane = np.dstack([self.values] * 3 + [np.full_like(self.values, 255)])
        spread = Patch(plane, self.x, self.y).spread(box)
        return np.where(spread[..., 3] > 0, spread[..., 0], self.outside) / 255.0


@dataclass(frozen=True, eq=False)
class Cover:
    """How much of a layer or of a group shows: an opacity (0 to 1) and perhaps a mask."""

    opacity: float = 1.0
    mask: Mask | None = None

    @property
    def is_full(self) -> bool:
        """Tell whether everything shows as it is."""
        return self.opacity == 1.0 and self.mask is None

    def shares(self, box: tuple[int, int, int, int]) -> Shares:
        """Return the shares that show in `box`, 0 to 1."""
        if self.mask is None:
            left, top, right, bottom = box
            return np.full((bottom - top, right - left), self.opacity)
        return self.opacity * self.mask.shares(box)

    def fade(self, patch: Patch) -> Patch:
        """Return `patch` with this share of its alpha."""
        return patch if self.is_full else patch.with_alpha(patch.alpha * self.shares(patch.box))


def box_around(patches: Sequence[Patch]) -> tuple[int, int, int, int]:
    """Return the smallest box that holds every patch; at least one is needed."""
    boxes = [patch.box for patch in patches]
    return (
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[2] for box in boxes),
        max(box[3] for box in boxes),
    )


def merge(patches: Sequence[Patch]) -> Patch:
    """Return patches, bottom first, laid over each other as one patch.

    Source-over is associative, so the merged patch looks on any ground as the patches did, but for the
    rounding of its four channels.
    """
    left, top, right, bottom = box_around(patches)
    merged = np.zeros((bottom - top, right - left, 4), np.uint8)
    # In bands, since large pictures take a lot of memory as floating point.
    for start in range(top, bottom, _BAND):
        band = (left, start, right, min(start + _BAND, bottom))
        merged[start - top : band[3] - top] = _merged_band(patches, band)
    return Patch(merged, left, top)


def _merged_band(patches: Sequence[Patch], box: tuple[int, int, int, int]) -> Pixels:
    colour = np.zeros((box[3] - box[1], box[2] - box[0], 3))
    alpha = np.zeros((*colour.shape[:2], 1))
    for patch in patches:
        pixels = patch.spread(box)
        share = pixels[..., 3:] / 255.0
        colour = pixels[..., :3] * share + colour * (1.0 - share)
        alpha = share + alpha * (1.0 - share)
    straight = np.divide(colour, alpha, out=np.zeros_like(colour), where=alpha > 0)
    return _rounded(np.dstack([straight, alpha * 255.0]))


def clip(base: Patch, above: Sequence[Patch]) -> list[Patch]:
    """Return `base` and the patches clipped to it, bottom first, so that plain source-over draws them.

    Clipped patches recolour the base and leave its alpha A as it is. With a_i the alphas of the clipped
    patches, layer i contributes the share A * a_i * product over j > i of (1 - a_j), and the base what is
    left of A. Laid over each other plainly, a layer contributes its alpha times the product of (1 - alpha)
    above it; so each alpha here is the wanted share over that product. An opaque base stays whole; where it
    is half transparent it gives way to what is clipped to it.
    """
    left_of_base = base.alpha
    ground = np.ones_like(left_of_base)
    found = []
    for patch in reversed(above):
        spread = Patch(patch.spread(base.box), base.x, base.y)
        share = left_of_base * spread.alpha
        placed = spread.with_alpha(_ratio(share, ground, base.alpha * spread.alpha))
        found.append(placed)
        # What was rounded above is made good below.
        ground = ground * (1.0 - placed.alpha)
        left_of_base = left_of_base - share
    found.append(base.with_alpha(_ratio(left_of_base, ground, base.alpha)))
    return found[::-1]


def _ratio(share: Shares, ground: Shares, where_covered: Shares) -> Shares:
    """Return share / ground, at most 1; under opaque layers, where nothing shows, `where_covered`."""
    ratio = where_covered.copy()
    np.divide(share, ground, out=ratio, where=ground > 0)
    return np.minimum(ratio, 1.0, out=ratio)


def _rounded(values: NDArray[np.float64]) -> Pixels:
    return np.floor(values + 0.5).astype(np.uint8)

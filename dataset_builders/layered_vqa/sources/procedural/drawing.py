"""Drawing in numpy: the coverage of a shape, painted objects and backgrounds.

Every edge is soft: the share of a pixel that a shape covers follows from the signed distance of its centre.
"""

from dataclasses import dataclass
from math import ceil, cos, floor, pi, sin
from random import Random

import numpy as np
from numpy.typing import NDArray

from dataset_builders.layered_vqa.scene import Pixels
from dataset_builders.layered_vqa.sources.procedural.attributes import (
    BACKGROUND_COLOURS,
    COLOURS,
    RGB,
    BackgroundLook,
    Look,
)
from dataset_builders.layered_vqa.sources.procedural.shapes import REACH, SHAPES, Grid

Mask = NDArray[np.bool_]
Box = tuple[slice, slice]

_HALF = np.float32(0.5)


@dataclass(frozen=True)
class Pose:
    """Where a shape lies: its origin and radius in pixels, its tilt in degrees clockwise."""

    x: float
    y: float
    radius: float
    tilt: float


@dataclass(frozen=True, eq=False)
class Stamp:
    """One shape, measured at the pixels of the box (rows, columns) that it reaches.

    `u` and `v` are the pixel centres in radii, in the shape's own frame; `distance` is in pixels, negative
    inside.
    """

    box: Box
    u: Grid
    v: Grid
    distance: Grid

    def alpha(self) -> Pixels:
        """Return the coverage of each pixel of the box, 0 to 255."""
        return _rounded(_soft(-self.distance) * np.float32(255))


def stamp(shape: str, pose: Pose, width: int, height: int) -> Stamp:
    """Measure `shape` at `pose` on a canvas of `width` x `height` pixels."""
    reach = pose.radius * REACH + 4
    rows = slice(max(0, floor(pose.y - reach)), min(height, ceil(pose.y + reach)))
    columns = slice(max(0, floor(pose.x - reach)), min(width, ceil(pose.x + reach)))
    x = (np.arange(columns.start, columns.stop, dtype=np.float32) + _HALF - np.float32(pose.x))[None, :]
    y = (np.arange(rows.start, rows.stop, dtype=np.float32) + _HALF - np.float32(pose.y))[:, None]
    turn = pose.tilt * pi / 180
    along, across = np.float32(cos(turn) / pose.radius), np.float32(sin(turn) / pose.radius)
    u = x * along + y * across
    v = y * along - x * across
    return Stamp((rows, columns), u, v, SHAPES[shape].distance(u, v) * np.float32(pose.radius))


def landmark_pixels(shape: str, pose: Pose) -> list[tuple[int, int]]:
    """Return the landmarks of a shape at `pose` as (row, column)."""
    turn = pose.tilt * pi / 180
    return [
        (
            int(pose.y + pose.radius * (u * sin(turn) + v * cos(turn))),
            int(pose.x + pose.radius * (u * cos(turn) - v * sin(turn))),
        )
        for u, v in SHAPES[shape].landmarks
    ]


def paint_object(look: Look, pose: Pose, part: Stamp, width: int, height: int) -> Pixels:
    """Return the object measured by `part` as a full-canvas RGBA layer, zero wherever it is transparent."""
    alpha = part.alpha()
    rim = _soft(part.distance + np.float32(max(1.3, 0.045 * pose.radius)))[..., None]
    marks = _marks(look.texture, part, pose.radius)[..., None]
    base = np.array(COLOURS[look.colour], np.float32)
    rgb = base + marks * (np.array(mark_tone(look.colour), np.float32) - base)
    rgb = rgb + rim * (np.array(rim_tone(look.colour), np.float32) - rgb)
    painted = np.empty((*alpha.shape, 4), np.uint8)
    painted[..., :3] = _rounded(rgb) * (alpha > 0)[..., None]
    painted[..., 3] = alpha
    layer = np.zeros((height, width, 4), np.uint8)
    layer[part.box] = painted
    return layer


def mark_tone(colour: str) -> RGB:
    """Return the tone of stripes, dots and checks on an object of `colour`: nearly white or nearly black."""
    # White marks would be lost on yellow.
    return (132, 92, 0) if colour == "yellow" else (246, 246, 246)


def rim_tone(colour: str) -> RGB:
    """Return the tone of the outline of an object of `colour`: the same, darker (black has a grey one)."""
    if colour == "black":
        return (128, 128, 132)
    red, green, blue = (int(value * 0.55) for value in COLOURS[colour])
    return red, green, blue


def _marks(texture: str, part: Stamp, radius: float) -> Grid:
    """Return how much of each pixel belongs to the marks of a pattern, 0 to 1."""
    u, v = part.u * np.float32(radius), part.v * np.float32(radius)
    period = 0.2 * radius + 5.4
    if texture == "striped":
        return _bands((u + v) * np.float32(0.7071), period, 0.42)
    if texture == "dotted":
        from_u, from_v = _from_nearest(u, period), _from_nearest(v, period)
        return _soft(np.float32(0.3 * period) - np.sqrt(from_u * from_u + from_v * from_v))
    if texture == "checked":
        one, other = _bands(u, 1.2 * period, 0.5), _bands(v, 1.2 * period, 0.5)
        return one + other - 2 * one * other
    return np.zeros_like(u)


def _bands(along: Grid, period: float, share: float) -> Grid:
    """Return 1 in bands that take `share` of each `period`, the first one centred on zero; soft edges."""
    offset: Grid = np.abs(_from_nearest(along, period))
    return _soft(np.float32(period * share / 2) - offset)


def _from_nearest(along: Grid, period: float) -> Grid:
    """Return the distance to the nearest multiple of `period`, signed."""
    step = np.float32(period)
    nearest: Grid = np.floor(along / step + _HALF) * step
    return along - nearest


def paint_background(look: BackgroundLook, width: int, height: int, rng: Random) -> Pixels:
    """Return the background as an opaque RGBA layer; its pattern is faint, unlike those of objects."""
    shade = np.zeros((height, width), np.int16)
    if look.texture == "gradient":
        fall = np.arange(height, dtype=np.int16) * 20 // (height - 1) - 10
        shade += (fall * rng.choice((-1, 1)))[:, None]
    elif look.texture == "grid":
        step = max(6, min(width, height) // 14)
        shade[::step] = -16
        shade[:, ::step] = -16
    elif look.texture == "speckled":
        noise = np.frombuffer(rng.randbytes(width * height), np.uint8).reshape(height, width)
        shade[noise < 30] = -20
    layer = np.full((height, width, 4), 255, np.uint8)
    for channel, tone in enumerate(BACKGROUND_COLOURS[look.colour]):
        layer[..., channel] = np.minimum(shade + np.int16(tone), 255)
    return layer


def _soft(depth: Grid) -> Grid:
    """Return 0 well outside an edge, 1 well inside, and a ramp one pixel wide between; depth in pixels."""
    soft: Grid = np.clip(depth + _HALF, np.float32(0), np.float32(1))
    return soft


def _rounded(values: Grid) -> Pixels:
    return np.asarray(np.floor(values + _HALF), np.uint8)

"""The shapes: each a signed distance from its edge, negative inside, and the points one knows it by.

Coordinates are in units of the object's radius, u to the right and v down. A distance near the edge is all
that drawing needs, so unions and cuts of discs and half-planes (min and max) are exact enough.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from math import cos, pi, sin, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

Grid = NDArray[np.floating[Any]]
Point = tuple[float, float]


@dataclass(frozen=True)
class Shape:
    """One shape.

    `landmarks` are points just inside the edge; the shape can be named while most of them can be seen.
    """

    distance: Callable[[Grid, Grid], Grid]
    landmarks: tuple[Point, ...]


def _length(u: Grid, v: Grid) -> Grid:
    length: Grid = np.sqrt(u * u + v * v)
    return length


def _size(u: Grid) -> Grid:
    size: Grid = np.abs(u)
    return size


def _intersection(*distances: Grid) -> Grid:
    inside_all: Grid = reduce(np.maximum, distances)
    return inside_all


def _union(*distances: Grid) -> Grid:
    inside_any: Grid = reduce(np.minimum, distances)
    return inside_any


def _half_planes(u: Grid, v: Grid, angles: tuple[float, ...]) -> list[Grid]:
    return [u * np.float32(cos(angle)) + v * np.float32(sin(angle)) for angle in angles]


def _around(radius: float, count: int, start: float = -90.0) -> tuple[Point, ...]:
    """Return `count` points on a circle, from `start` degrees on (-90 is straight up)."""
    angles = [(start + 360 * i / count) * pi / 180 for i in range(count)]
    return tuple((radius * cos(angle), radius * sin(angle)) for angle in angles)


def _degrees(*angles: float) -> tuple[float, ...]:
    return tuple(angle * pi / 180 for angle in angles)


def _circle(u: Grid, v: Grid) -> Grid:
    return _length(u, v) - 0.95


def _ring(u: Grid, v: Grid) -> Grid:
    return _size(_length(u, v) - 0.69) - 0.31


def _square(u: Grid, v: Grid) -> Grid:
    return _intersection(_size(u), _size(v)) - 0.84


_DIAMOND_WIDTH, _DIAMOND_HEIGHT = 0.82, 1.2


def _diamond(u: Grid, v: Grid) -> Grid:
    slope = _DIAMOND_WIDTH * _DIAMOND_HEIGHT / sqrt(_DIAMOND_WIDTH**2 + _DIAMOND_HEIGHT**2)
    return (_size(u) / _DIAMOND_WIDTH + _size(v) / _DIAMOND_HEIGHT - 1) * np.float32(slope)


def _triangle(u: Grid, v: Grid) -> Grid:
    return _intersection(*_half_planes(u, v, _degrees(90, -30, 210))) - 0.62


def _hexagon(u: Grid, v: Grid) -> Grid:
    return _intersection(*map(_size, _half_planes(u, v, _degrees(30, 90, 150)))) - 0.88


_STAR_TIP, _STAR_NOTCH = 1.24, 0.6
_FIFTH = pi / 5


def _star(u: Grid, v: Grid) -> Grid:
    # Mirrored into the wedge between one tip and the next notch, a star has a single straight edge.
    cos_notch, sin_notch = np.float32(cos(_FIFTH)), np.float32(sin(_FIFTH))
    u = _size(u)
    for _ in range(2):
        beyond: Grid = np.maximum(u * cos_notch + v * sin_notch, 0)
        u, v = _size(u - 2 * beyond * cos_notch), v - 2 * beyond * sin_notch
    edge_u, edge_v = _STAR_NOTCH * sin(_FIFTH), _STAR_TIP - _STAR_NOTCH * cos(_FIFTH)
    edge = sqrt(edge_u**2 + edge_v**2)
    return u * np.float32(edge_v / edge) - (v + np.float32(_STAR_TIP)) * np.float32(edge_u / edge)


def _cross(u: Grid, v: Grid) -> Grid:
    across, along = _size(u), _size(v)
    upright = _intersection(across - 0.42, along - 1.04)
    level = _intersection(across - 1.04, along - 0.42)
    return _union(upright, level)


def _heart(u: Grid, v: Grid) -> Grid:
    lobes = _length(_size(u) - 0.425, v + 0.325) - 0.6
    tip = (_size(u) + _size(v - 0.1) - 0.85) / np.float32(sqrt(2))
    return _union(lobes, tip)


def _moon(u: Grid, v: Grid) -> Grid:
    disc = _length(u - 0.22, v) - 1.1
    bite = _length(u - 0.9, v) - 0.82
    return _intersection(disc, -bite)


SHAPES: dict[str, Shape] = {
    "circle": Shape(_circle, _around(0.85, 8)),
    "square": Shape(_square, _around(1.05, 4, start=45.0)),
    "triangle": Shape(_triangle, _around(1.05, 3)),
    "star": Shape(_star, _around(1.0, 5)),
    "ring": Shape(_ring, _around(0.9, 4) + _around(0.48, 4, start=45.0)),
    "cross": Shape(_cross, _around(0.9, 4)),
    "heart": Shape(_heart, ((0.0, -0.6), (0.0, 0.8), (-0.8, -0.4), (0.8, -0.4))),
    "moon": Shape(_moon, ((0.62, -0.9), (0.62, 0.9), (-0.05, 0.0))),
    "hexagon": Shape(_hexagon, _around(0.92, 6, start=0.0)),
    "diamond": Shape(_diamond, ((0.0, -1.05), (0.0, 1.05), (-0.7, 0.0), (0.7, 0.0))),
}
"""Every shape by its name, of about equal area at equal radius."""

REACH = 1.32
"""No shape extends further than this many radii from its origin."""

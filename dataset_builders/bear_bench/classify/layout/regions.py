"""Areas that lines enclose, such as cells and boxes, and large connected drawings."""

import numpy as np
from numpy.typing import NDArray

from dataset_builders.bear_bench.classify.layout.parts import Parts, parts_of
from dataset_builders.bear_bench.classify.layout.sheet import Mask, Sheet

NAMES = (
    *("boxes, small", "boxes, middle", "boxes, large", "boxes that stand alone", "boxes in a grid"),
    *("other enclosed areas, small", "other enclosed areas, large", "share of enclosed areas"),
    *("drawings", "widest drawing", "highest drawing", "emptiness of drawings", "area of drawings"),
    *("slanted strokes", "share of slanted strokes", "strokes 45 degrees", "strokes in colour"),
)

_LEAST = (8, 14)
"""Height and width of the smallest enclosed area that counts; the insides of letters are smaller."""
_SIZES = (0.0015, 0.01)
_DRAWING = 0.06
"""Share of the page's longer side that makes a connected part a drawing, if it is no mere rule."""
_THIN = 6
_EDGE = 60
_MOST = 600
"""More boxes than these are not compared with each other."""


def region_features(sheet: Sheet, ink: Parts) -> list[float]:
    """Return the features called `NAMES`; `ink` are the connected parts of the page's ink."""
    return [*_enclosed(sheet), *_drawings(sheet, ink)]


def is_drawing(ink: Parts, shape: tuple[int, int]) -> NDArray[np.bool_]:
    """Tell of each part of the ink whether it is larger than letters are, and no rule."""
    longer = np.maximum(ink.heights, ink.widths)
    return (longer >= _DRAWING * max(shape)) & (np.minimum(ink.heights, ink.widths) > _THIN)


def _enclosed(sheet: Sheet) -> list[float]:
    height, width = sheet.shape
    inside = parts_of(~sheet.ink, corners=False)
    top, bottom, left, right = inside.boxes.T
    free = (top > 0) & (bottom < height) & (left > 0) & (right < width)
    chosen = np.flatnonzero(free & (inside.heights >= _LEAST[0]) & (inside.widths >= _LEAST[1]))
    boxes = inside.boxes[chosen]
    area = (inside.heights * inside.widths)[chosen] / (height * width)
    upright = _edge_shares(inside, chosen) > 0.85
    small, large = area < _SIZES[0], area >= _SIZES[1]
    together = np.zeros(len(boxes), dtype=bool)
    together[upright] = _touches(boxes[upright])
    counts = (
        *(upright & small, upright & ~small & ~large, upright & large, upright & ~together & ~small),
        *(together, ~upright & small, ~upright & ~small),
    )
    return [*(np.log1p(count.sum()) for count in counts), np.sqrt(min(float(area.sum()), 1.0))]


def _edge_shares(parts: Parts, chosen: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return how much of the border of its box each part fills: 1 for a rectangle, whatever stands in it."""
    shares = []
    for number in chosen:
        top, bottom, left, right = parts.boxes[number]
        own = parts.labels[top:bottom, left:right] == number + 1
        border = own[0].sum() + own[-1].sum() + own[:, 0].sum() + own[:, -1].sum()
        shares.append(border / (2 * sum(own.shape)))
    return np.array(shares, dtype=np.float64)


def _touches(boxes: NDArray[np.int64], slack: int = 6) -> NDArray[np.bool_]:
    """Tell of each box whether another lies beside or below it, no more than a rule apart."""
    found = np.ones(len(boxes), dtype=bool)
    top, bottom, left, right = boxes[:_MOST].T
    level = (top[:, None] < bottom) & (top < bottom[:, None])
    plumb = (left[:, None] < right) & (left < right[:, None])
    near = level & (np.abs(right[:, None] - left) <= slack) | plumb & (np.abs(bottom[:, None] - top) <= slack)
    found[:_MOST] = (near | near.T).any(axis=1)
    return found


def _drawings(sheet: Sheet, ink: Parts) -> list[float]:
    height, width = sheet.shape
    large = is_drawing(ink, sheet.shape)
    heights, widths, areas = ink.heights[large], ink.widths[large], ink.areas[large]
    boxed = heights * widths
    shown = ink.mask(large)
    slanted, steep, strokes = _slanted(sheet, shown)
    return [
        np.log1p(large.sum()),
        widths.max(initial=0) / width,
        heights.max(initial=0) / height,
        1 - areas.sum() / max(boxed.sum(), 1),
        np.sqrt(min(boxed.sum() / (height * width), 1.0)),
        np.log1p(slanted),
        slanted / max(strokes, 1),
        np.log1p(steep),
        float(sheet.coloured[shown].mean()) if shown.any() else 0.0,
    ]


def _slanted(sheet: Sheet, shown: Mask) -> tuple[int, int, int]:
    """Count the pixels of edges that are slanted, those near 45 degrees, and all, inside the drawings."""
    down, across = (np.zeros(sheet.shape, dtype=np.int16) for _ in range(2))
    down[1:-1] = sheet.grey[2:] - sheet.grey[:-2]
    across[:, 1:-1] = sheet.grey[:, 2:] - sheet.grey[:, :-2]
    edge = shown & (np.abs(down) + np.abs(across) > _EDGE)
    less, more = (kind(np.abs(down[edge]), np.abs(across[edge])) for kind in (np.minimum, np.maximum))
    return int((less > 0.35 * more).sum()), int((less > 0.7 * more).sum()), int(edge.sum())

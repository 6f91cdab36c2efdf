"""A page's layout as one vector."""

import numpy as np
from numpy.typing import NDArray

from dataset_builders.bear_bench.classify.layout import regions, strokes, writing
from dataset_builders.bear_bench.classify.layout.parts import parts_of
from dataset_builders.bear_bench.classify.layout.sheet import Pixels, Sheet, sheet_of

GRID = (8, 6)
VERSION = 1
"""Goes up when a feature changes, so that vectors kept from before are not used."""

_NAMES = ("shape", "ink", "pale areas", "colour", "hues", "half-tones")

FEATURES = (
    *(f"ink of field {row + 1}, {column + 1}" for row in range(GRID[0]) for column in range(GRID[1])),
    *_NAMES,
    *strokes.NAMES,
    *regions.NAMES,
    *writing.NAMES,
)
"""The names of the features, in their order."""


def layout_features(pixels: Pixels) -> NDArray[np.float64]:
    """Return the features of a page (H x W x 3): densities, rules, boxes, drawings, and how writing is set.

    Counts enter as log(1 + count) and areas as square roots of shares, so that one crowded page is not all.
    """
    sheet = sheet_of(pixels)
    ink = parts_of(sheet.ink)
    marks = strokes.strokes_of(sheet)
    return np.array(
        [
            *_densities(sheet),
            *_tones(sheet),
            *strokes.stroke_features(sheet, marks),
            *regions.region_features(sheet, ink),
            *writing.writing_features(sheet, ink, marks),
        ],
        dtype=np.float64,
    )


def _densities(sheet: Sheet) -> NDArray[np.float64]:
    rows = np.array_split(sheet.ink, GRID[0], axis=0)
    fields = [field.mean() for row in rows for field in np.array_split(row, GRID[1], axis=1)]
    return np.sqrt(fields)


def _tones(sheet: Sheet) -> list[float]:
    height, width = sheet.shape
    middle = (sheet.grey > 60) & (sheet.grey < 200) & sheet.tint
    return [
        width / height,
        np.sqrt(sheet.ink.mean()),
        np.sqrt((sheet.tint & ~sheet.ink).mean()),
        np.sqrt(sheet.coloured.mean()),
        _hues(sheet),
        np.sqrt(middle.mean()),
    ]


def _hues(sheet: Sheet) -> float:
    """Return the entropy of the hues of the coloured pixels, in bits over twelve hues; 0 without colour."""
    if not sheet.coloured.any():
        return 0.0
    red, green, blue = sheet.pixels[sheet.coloured].astype(np.float64).T
    angle = np.arctan2(np.sqrt(3) * (green - blue), 2 * red - green - blue)
    share = np.bincount(((angle / (2 * np.pi) * 12) % 12).astype(np.int64), minlength=12) / len(red)
    return float(-(share[share > 0] * np.log2(share[share > 0])).sum())

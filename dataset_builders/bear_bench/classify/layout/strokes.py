"""Rules, filled areas and slanted strokes of a page."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dataset_builders.bear_bench.classify.layout.parts import parts_of
from dataset_builders.bear_bench.classify.layout.sheet import Mask, Sheet, run_lengths

_THIN = 5
_LEVEL_SHARES = (0.04, 0.15, 0.4)
_UPRIGHT_SHARES = (0.025, 0.08, 0.25)
_LEAST_FILL = 14
"""Pixels: what is thicker both ways is a fill, no letter and no rule."""
_MOST = 400
"""More parts than these, the largest, are not compared with each other."""

NAMES = (
    *(f"level rules, {share:g} of the width" for share in _LEVEL_SHARES),
    *(f"upright rules, {share:g} of the height" for share in _UPRIGHT_SHARES),
    *("crossings of rules", "level rules of one extent", "upright rules of one extent"),
    *("fills", "area of fills", "fills on one base", "fills of one left edge", "colours of fills"),
)


@dataclass(frozen=True, eq=False)
class Strokes:
    """The long straight marks of a page: `level` and `upright` rules, `fills`; masks of its size."""

    level: Mask
    upright: Mask
    fills: Mask


def strokes_of(sheet: Sheet) -> Strokes:
    """Return the rules and the fills of a page."""
    height, width = sheet.shape
    across = run_lengths(sheet.ink)
    along = run_lengths(sheet.ink.T).T
    level = (across >= _LEVEL_SHARES[0] * width) & (along <= _THIN)
    upright = (along >= _UPRIGHT_SHARES[0] * height) & (across <= _THIN)
    return Strokes(level, upright, _fills(sheet.tint & (sheet.coloured | sheet.ink)))


def stroke_features(sheet: Sheet, strokes: Strokes) -> list[float]:
    """Return the features called `NAMES`."""
    height, width = sheet.shape
    level, upright, fills = (_boxes(mask) for mask in (strokes.level, strokes.upright, strokes.fills))
    across, along = level[:, 3] - level[:, 2], upright[:, 1] - upright[:, 0]
    crossings = parts_of(_longer(strokes.level) & _longer(strokes.upright.T).T)
    return [
        *(np.log1p((across >= share * width).sum()) for share in _LEVEL_SHARES),
        *(np.log1p((along >= share * height).sum()) for share in _UPRIGHT_SHARES),
        np.log1p(len(crossings.areas)),
        np.log1p(_alike(level[:, 2:])),
        np.log1p(_alike(upright[:, :2])),
        np.log1p(len(fills)),
        np.sqrt(strokes.fills.mean()),
        np.log1p(_alike(fills[:, 1:2])),
        np.log1p(_alike(fills[:, 2:3])),
        _colours(sheet, strokes.fills),
    ]


def _fills(mask: Mask) -> Mask:
    thick = parts_of((run_lengths(mask) >= _LEAST_FILL) & (run_lengths(mask.T).T >= _LEAST_FILL))
    # Where two rules cross, a few pixels lie in a long run both ways.
    return thick.mask((thick.heights >= _LEAST_FILL) & (thick.widths >= _LEAST_FILL))


def _longer(mask: Mask, by: int = 2) -> Mask:
    """Return a mask whose level runs reach `by` pixels further on both sides."""
    grown = mask.copy()
    for step in range(1, by + 1):
        grown[:, step:] |= mask[:, :-step]
        grown[:, :-step] |= mask[:, step:]
    return grown


def _boxes(mask: Mask) -> NDArray[np.int64]:
    """Return top, bottom, left and right of the connected parts, the largest first, (parts, 4)."""
    found = parts_of(mask)
    return found.boxes[np.argsort(-found.areas, kind="stable")[:_MOST]]


def _alike(edges: NDArray[np.int64], slack: int = 3) -> int:
    """Return how many boxes the largest group has whose edges are the same but for `slack` pixels."""
    if len(edges) == 0:
        return 0
    near = (np.abs(edges[:, None] - edges[None]) <= slack).all(axis=2)
    return int(near.sum(axis=1).max())


def _colours(sheet: Sheet, fills: Mask) -> float:
    """Return how many colours of 4096 take at least a fiftieth of the filled area."""
    if not fills.any():
        return 0.0
    inside = sheet.pixels[fills].astype(np.int64) // 16
    counts = np.bincount(inside @ np.array([256, 16, 1]), minlength=4096)
    return float(np.log1p((counts >= 0.02 * counts.sum()).sum()))

"""Where on a picture an answer finds its like: cosines of patches as a grid, and over the picture."""

import io
from collections.abc import Sequence
from itertools import pairwise
from math import ceil, log10
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from lvqa_eval.detectors.contextual_lens import LayerPair
from lvqa_eval.detectors.signals import PatchSignals
from lvqa_eval.metrics.bootstrap import Floats

TINTS: Final = ("#DEEFFF", "#BBDCFC", "#8FC3F5", "#67AAE9")
"""One blue in four steps, the lowest cosines first; each is darker than the one before, in grey print too."""

NARROWEST: Final = 560
"""Pixels of width that the legend needs; narrower pictures are enlarged to it."""

_INK, _PAPER = "#151A20", "#FFFFFF"
_EMS_ACROSS = 50
_LIFT = 0.75
"""How much of its darkness a picture keeps: without some light a dark place shows no tint."""


def heat_maps(patches: PatchSignals, pair: LayerPair) -> tuple[Floats, ...]:
    """Return for each picture the cosines of its patches, (rows, columns), at a (text layer, image layer).

    KeyError for a pair that is not there; ValueError for grids that do not hold as many patches.
    """
    cosines = np.asarray(patches.cosines[pair], dtype=np.float64)
    ends = np.cumsum([0, *(rows * columns for rows, columns in patches.grids)])
    if ends[-1] != len(cosines):
        raise ValueError(f"patches: found {len(cosines)} cosines, needed {ends[-1]} for {patches.grids}")
    parts = zip(pairwise(ends), patches.grids, strict=True)
    return tuple(cosines[start:end].reshape(grid) for (start, end), grid in parts)


def band_edges(maps: Sequence[Floats]) -> tuple[float, ...]:
    """Return the edges of four equal bands from the lowest to the highest cosine of all `maps`.

    One band where all are equal; ValueError where there is none.
    """
    cosines = np.concatenate([grid.ravel() for grid in maps]) if maps else np.empty(0)
    known = cosines[~np.isnan(cosines)]
    if not len(known):
        raise ValueError("heat map: found no cosine, needed at least 1")
    low, high = float(known.min()), float(known.max())
    return tuple(map(float, np.linspace(low, high, len(TINTS) + 1))) if low < high else (low, high)


def overlay(picture: Image.Image, grid: Floats, edges: Sequence[float], caption: str) -> Image.Image:
    """Return `picture` in grey under the tints of its patches, with a legend in numbers below.

    `grid` (rows, columns) spans the picture. `edges` are those of `band_edges`, of all pictures of an answer
    where a tint is to mean the same on each. A patch without a cosine has no tint, the highest one has a
    frame. `caption` is the first line of the legend.
    """
    page = picture.convert("L")
    if page.width < NARROWEST:
        height = round(page.height * NARROWEST / page.width)
        page = page.resize((NARROWEST, height), Image.Resampling.LANCZOS)
    grey = 1 - _LIFT * (1 - np.asarray(page, dtype=np.float64) / 255)
    tint = _tints(grid, edges)[_cells(page.height, grid.shape[0])][:, _cells(page.width, grid.shape[1])]
    tinted = Image.fromarray(np.rint(grey[..., None] * tint).astype(np.uint8))
    if not np.isnan(grid).all():
        _frame_highest(tinted, grid)
    legend = _legend(page.width, grid, edges, caption)
    whole = Image.new("RGB", (page.width, page.height + legend.height), _PAPER)
    whole.paste(tinted, (0, 0))
    whole.paste(legend, (0, page.height))
    return whole


def overlay_png(picture: Image.Image, grid: Floats, edges: Sequence[float], caption: str) -> bytes:
    """Return what `overlay` draws as a PNG file."""
    file = io.BytesIO()
    overlay(picture, grid, edges, caption).save(file, format="PNG")
    return file.getvalue()


def _tints(grid: Floats, edges: Sequence[float]) -> Floats:
    """Return the colour of each patch, (rows, columns, 3), from 0 to 255; white without a cosine."""
    colours = np.array([_rgb(tint) for tint in _band_tints(edges)], dtype=np.float64)
    bands = np.digitize(np.nan_to_num(grid), edges[1:-1])
    return np.where(np.isnan(grid)[..., None], 255.0, colours[bands])


def _band_tints(edges: Sequence[float]) -> tuple[str, ...]:
    return TINTS[-(len(edges) - 1) :]


def _cells(pixels: int, cells: int) -> NDArray[np.intp]:
    """Return for each pixel of a side the cell that it lies in; cells are equally wide."""
    return np.asarray(np.arange(pixels) * cells // pixels, dtype=np.intp)


def _frame_highest(tinted: Image.Image, grid: Floats) -> None:
    row, column = np.unravel_index(int(np.nanargmax(grid)), grid.shape)
    down = np.flatnonzero(_cells(tinted.height, grid.shape[0]) == row)
    across = np.flatnonzero(_cells(tinted.width, grid.shape[1]) == column)
    if len(down) and len(across):
        box = (across[0], down[0], across[-1], down[-1])
        draw = ImageDraw.Draw(tinted)
        draw.rectangle([int(side) for side in box], outline=_INK, width=_frame_width(tinted.width))


def _legend(width: int, grid: Floats, edges: Sequence[float], caption: str) -> Image.Image:
    em = width // _EMS_ACROSS
    font = _font(em)
    legend = Image.new("RGB", (width, round(6.6 * em)), _PAPER)
    draw = ImageDraw.Draw(legend)
    draw.text((em // 2, em // 2), caption, fill=_INK, font=font)
    digits = _digits(edges)

    def entry(left: float, top: float, fill: str, outline: int, label: str) -> float:
        draw.rectangle((left, top, left + 1.2 * em, top + 1.2 * em), fill, _INK, outline)
        draw.text((left + 1.6 * em, top), label, fill=_INK, font=font)
        return left + 2.6 * em + font.getlength(label)

    left = em / 2
    for tint, (low, high) in zip(_band_tints(edges), pairwise(edges), strict=True):
        left = entry(left, round(2.4 * em), tint, 1, f"{low:.{digits}f} to {high:.{digits}f}")
    if not np.isnan(grid).all():
        label = f"the highest here: {np.nanmax(grid):.{digits}f}"
        entry(em / 2, round(4.5 * em), _PAPER, _frame_width(width), label)
    return legend


def _frame_width(width: int) -> int:
    return max(2, width // 400)


def _digits(edges: Sequence[float]) -> int:
    """Return how many places tell neighbouring edges apart: two at least."""
    step = edges[1] - edges[0]
    return max(2, ceil(-log10(step))) if step > 0 else 2


def _font(size: int) -> ImageFont.FreeTypeFont:
    from matplotlib import get_data_path

    path = Path(get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"
    # Basic layout: other layout engines differ between builds of Pillow, and the bytes with them.
    return ImageFont.truetype(str(path), size, layout_engine=ImageFont.Layout.BASIC)


def _rgb(colour: str) -> tuple[int, int, int]:
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return red, green, blue

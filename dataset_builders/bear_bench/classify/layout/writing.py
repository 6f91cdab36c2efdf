"""Letters, lines of writing, and how these are set: running text, columns of cells, formulae, listings."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dataset_builders.bear_bench.classify.layout.parts import Parts, parts_of
from dataset_builders.bear_bench.classify.layout.regions import is_drawing
from dataset_builders.bear_bench.classify.layout.sheet import Mask, Sheet, run_lengths
from dataset_builders.bear_bench.classify.layout.strokes import Strokes

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

NAMES = (
    *("letters", "height of letters", "spread of heights", "tall parts", "tiny parts", "wide parts"),
    *("lines", "share of wide lines", "share of short lines", "cells in rows", "rows of cells"),
    *("rows of three cells", "cells of one right edge", "cells of one left edge"),
    *("left edges", "indented lines", "tall lines", "centred lines", "numbers at the right", "uneven lines"),
    *("lines of one pitch", "share of lines of one pitch", "best pitch", "small bars", "letters in colour"),
)

_LETTER = (3, 40)
"""Heights in pixels between which a part of the ink may be a letter."""
_PITCHES = np.arange(5.0, 13.0, 0.1)
_LEAST_LETTERS = 10
_ONE_PITCH = 0.72


@dataclass(frozen=True, eq=False)
class _Lines:
    """Lines of writing, split where the space between words is wide: `boxes` as in Parts, `middles` upright.

    `members` has, for every letter, the number of its line, -1 for none. `unit` is the height of letters.
    """

    boxes: Integers
    members: Integers
    unit: float

    @property
    def heights(self) -> Integers:
        return self.boxes[:, 1] - self.boxes[:, 0]

    @property
    def widths(self) -> Integers:
        return self.boxes[:, 3] - self.boxes[:, 2]


def writing_features(sheet: Sheet, ink: Parts, strokes: Strokes) -> list[float]:
    """Return the features called `NAMES`; `ink` are the connected parts of the page's ink."""
    letter = (ink.heights >= _LETTER[0]) & (ink.heights <= _LETTER[1]) & ~is_drawing(ink, sheet.shape)
    letter &= ink.widths <= 3 * _LETTER[1]
    written = ink.mask(letter) & ~strokes.level & ~strokes.upright
    unit = float(np.median(ink.heights[letter])) if letter.any() else 8.0
    lines = _lines(ink, letter, written, unit)
    return [
        *_letters(sheet, ink, letter, unit),
        *_cells(lines, sheet.shape),
        *_formulae(lines, sheet.shape, ink, letter),
        *_pitch(lines, ink, letter),
        np.log1p(_small_bars(ink, unit)),
        float(sheet.coloured[written].mean()) if written.any() else 0.0,
    ]


def _letters(sheet: Sheet, ink: Parts, letter: Mask, unit: float) -> list[float]:
    heights, widths = ink.heights[letter], ink.widths[letter]
    count = max(len(heights), 1)
    return [
        np.log1p(len(heights)),
        unit / max(sheet.shape) * 100,
        float(heights.std() / unit) if len(heights) else 0.0,
        float((heights > 1.7 * unit).sum() / count),
        float((heights < 0.55 * unit).sum() / count),
        float((widths > 2.5 * heights).sum() / count),
    ]


def _lines(ink: Parts, letter: Mask, written: Mask, unit: float) -> _Lines:
    """Join letters whose gaps are narrower than a space between columns is."""
    gaps = run_lengths(~written)
    smeared = written | (gaps <= round(1.6 * unit)) & (gaps > 0)
    found = parts_of(smeared, corners=False)
    rows = (ink.boxes[letter, 0] + ink.boxes[letter, 1]) // 2
    columns = (ink.boxes[letter, 2] + ink.boxes[letter, 3]) // 2
    members = found.labels[rows, columns].astype(np.int64) - 1 if letter.any() else np.zeros(0, np.int64)
    real = np.bincount(members[members >= 0], minlength=len(found.boxes)) > 0
    number = np.where(real, np.cumsum(real) - 1, -1)
    return _Lines(found.boxes[real], np.where(members >= 0, number[members], -1), unit)


def _cells(lines: _Lines, shape: tuple[int, int]) -> list[float]:
    """Measure what stands in rows and columns: short lines beside each other, with edges in common."""
    width = shape[1]
    if len(lines.boxes) == 0:
        return [0.0] * 8
    top, bottom, left, right = lines.boxes.T
    short, wide = lines.widths < 0.2 * width, lines.widths > 0.3 * width
    total = max(int(lines.widths.sum()), 1)
    middles = (top + bottom) / 2
    row = np.round(middles / (1.2 * lines.unit)).astype(np.int64)
    in_row = np.bincount(row[short], minlength=row.max() + 1)
    return [
        np.log1p(len(lines.boxes)),
        float(lines.widths[wide].sum() / total),
        float(lines.widths[short].sum() / total),
        np.log1p((in_row[row[short]] >= 2).sum()),
        np.log1p((in_row >= 2).sum()),
        np.log1p((in_row >= 3).sum()),
        np.log1p(_most_alike(right[short])),
        np.log1p(_most_alike(left[short & (left > 0.15 * width)])),
    ]


def _formulae(lines: _Lines, shape: tuple[int, int], ink: Parts, letter: Mask) -> list[float]:
    """Measure what displayed formulae are: high, centred, of uneven letters, with a number at the right."""
    width = shape[1]
    if len(lines.boxes) == 0:
        return [0.0] * 6
    left, right = lines.boxes[:, 2], lines.boxes[:, 3]
    wide = lines.widths > 0.25 * width
    edges = np.round(left[wide] / (1.5 * lines.unit)).astype(np.int64)
    column = np.bincount(edges).argmax() * 1.5 * lines.unit if len(edges) else 0.0
    indented = wide & (left > column + 1.5 * lines.unit) & (left < column + 8 * lines.unit)
    short = (lines.widths > 3 * lines.unit) & (lines.widths < 0.4 * width)
    beside = _space_beside(lines, width)
    centred = short & (np.minimum(*beside) > 0.06 * width) & (np.abs(beside[0] - beside[1]) < 0.06 * width)
    numbered = (lines.widths < 4 * lines.unit) & (beside[0] > 0.08 * width)
    uneven = _unevenness(lines, ink, letter) > 0.45
    return [
        np.log1p(len(np.unique(edges))),
        np.log1p(indented.sum()),
        np.log1p(((lines.heights > 2.4 * lines.unit) & short).sum()),
        np.log1p((centred & uneven).sum()),
        np.log1p((numbered & (right > 0.4 * width)).sum()),
        np.log1p(uneven.sum()),
    ]


def _space_beside(lines: _Lines, width: int) -> tuple[Floats, Floats]:
    """Return the space to the left and to the right of each line, up to the next line or the page's edge."""
    top, bottom, left, right = lines.boxes.T
    before, after = np.zeros(len(top)), np.zeros(len(top))
    for number in range(len(top)):
        level = (top < bottom[number]) & (bottom > top[number])
        before[number] = left[number] - right[level & (right <= left[number])].max(initial=0)
        after[number] = left[level & (left >= right[number])].min(initial=width) - right[number]
    return before, after


def _unevenness(lines: _Lines, ink: Parts, letter: Mask) -> Floats:
    """Return how far the letters of each line scatter about its middle, in heights of letters."""
    middles = (ink.boxes[letter, 0] + ink.boxes[letter, 1]) / 2
    inside = lines.members >= 0
    member, middles = lines.members[inside], middles[inside]
    count = np.maximum(np.bincount(member, minlength=len(lines.boxes)), 1)
    mean = np.bincount(member, middles, len(lines.boxes)) / count
    square = np.bincount(member, (middles - mean[member]) ** 2, len(lines.boxes)) / count
    return np.where(count >= 4, np.sqrt(square) / lines.unit, 0.0)


def _pitch(lines: _Lines, ink: Parts, letter: Mask) -> list[float]:
    """Measure how many lines are set in letters of one width, as listings are."""
    middles = (ink.boxes[letter, 2] + ink.boxes[letter, 3]) / 2
    inside = lines.members >= 0
    order = np.argsort(lines.members[inside], kind="stable")
    _, starts, count = np.unique(lines.members[inside][order], return_index=True, return_counts=True)
    long = count >= _LEAST_LETTERS
    if not long.any():
        return [0.0, 0.0, 0.0]
    # At the true pitch all letters of a line stand at the same place of their period.
    turns = np.exp(2j * np.pi * middles[inside][order][:, None] / _PITCHES)
    strength = np.add.reduceat(turns, starts)[long]
    best = np.abs(strength).max(axis=1) / count[long]
    return [
        np.log1p((best > _ONE_PITCH).sum()),
        float((best > _ONE_PITCH).mean()),
        float(np.sort(best)[-min(3, len(best)) :].mean()),
    ]


def _small_bars(ink: Parts, unit: float) -> int:
    """Count flat parts as long as the bar of a fraction."""
    flat = (ink.heights <= 3) & (ink.widths >= 1.2 * unit) & (ink.widths <= 15 * unit)
    return int(flat.sum())


def _most_alike(edges: Integers, slack: int = 3) -> int:
    """Return how many edges lie within `slack` pixels of the most common one."""
    if len(edges) == 0:
        return 0
    counts = np.bincount(edges)
    return int(np.convolve(counts, np.ones(2 * slack + 1, dtype=np.int64)).max())

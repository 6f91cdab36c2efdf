"""Where objects go: drawn at random, kept only when the picture stays readable.

A layout is readable when
- every object lies inside the canvas and shows at least `MIN_VISIBLE` of its area and most of its landmarks;
- two objects either overlap plainly (`MIN_OVERLAP` of the smaller one, and the upper one shows in
  `MIN_OVERLAP_SHOWN` of the overlap) or stay apart by a gap, so nobody has to guess who covers whom;
- objects that overlap differ in colour or in pattern.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, hypot, pi, sin
from random import Random

import numpy as np
from numpy.typing import NDArray

from dataset_builders.layered_vqa.sources.procedural.attributes import SIZES, Look
from dataset_builders.layered_vqa.sources.procedural.drawing import (
    Box,
    Mask,
    Pose,
    Stamp,
    landmark_pixels,
    stamp,
)

MIN_VISIBLE = 0.55
MIN_LANDMARKS = 0.65
MIN_OVERLAP = 0.12
MIN_OVERLAP_SHOWN = 0.6
TRIES_PER_OBJECT = 40
HALF_TOUCHING = (0.78, 1.0)
"""Range of distances, in sums of the two radii, at which objects mostly touch without a plain overlap."""

OVERLAPPING = 0.62
"""Chance that an object is first tried on top of an earlier one."""

Owner = NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class Placed:
    """One object that has found its place, measured (`part`), with masks of the box that it reaches.

    `solid` holds the pixels at least half covered, `touched` those covered at all, `near` those covered or
    within the gap that separate objects keep.
    """

    look: Look
    pose: Pose
    part: Stamp
    solid: Mask
    touched: Mask
    near: Mask
    area: int

    @property
    def box(self) -> Box:
        """The rows and columns of the canvas that the masks stand for."""
        return self.part.box


@dataclass(frozen=True, eq=False)
class Layout:
    """Objects bottom first, and for each pixel the layer on top there (0 is the background)."""

    placed: tuple[Placed, ...]
    topmost: Owner


@dataclass(frozen=True, eq=False)
class Overlap:
    """The pixels of a box that two objects both cover."""

    box: Box
    mask: Mask


def lay_out(looks: Sequence[Look], width: int, height: int, rng: Random) -> Layout:
    """Place `looks`, bottom first, on a canvas of `width` x `height` pixels, and return a readable layout.

    The second object always overlaps the first, so these two must not blend. Where the canvas proves too
    tight, objects get smaller.
    """
    shrink = 1.0
    while True:
        layout = Layout((), np.zeros((height, width), np.int8))
        for look in looks:
            grown = _place(layout, look, shrink, rng)
            if grown is None:
                break
            layout = grown
        else:
            return layout
        shrink *= 0.985


def overlap(one: Placed, other: Placed) -> Overlap | None:
    """Return where two objects cover the same pixels; None where they do not."""
    shared = _in_both_boxes(one, other, one.solid, other.solid)
    return shared if shared is not None and shared.mask.any() else None


def _in_both_boxes(one: Placed, other: Placed, of_one: Mask, of_other: Mask) -> Overlap | None:
    """Return the intersection of two masks that are given on the boxes of two objects."""
    spans = []
    for first, second in zip(one.box, other.box, strict=True):
        span = slice(max(first.start, second.start), min(first.stop, second.stop))
        if span.start >= span.stop:
            return None
        spans.append(span)
    box = (spans[0], spans[1])
    return Overlap(box, of_one[_inside(one.box, box)] & of_other[_inside(other.box, box)])


def _inside(outer: Box, inner: Box) -> Box:
    """Return `inner`, given on the canvas, in the coordinates of `outer`."""
    rows, columns = (
        slice(small.start - large.start, small.stop - large.start)
        for large, small in zip(outer, inner, strict=True)
    )
    return rows, columns


def _place(layout: Layout, look: Look, shrink: float, rng: Random) -> Layout | None:
    must_overlap = len(layout.placed) == 1
    height, width = layout.topmost.shape
    for _ in range(TRIES_PER_OBJECT):
        onto = None
        if layout.placed and (must_overlap or rng.random() < OVERLAPPING):
            onto = rng.choice(layout.placed).pose
        pose = _propose(look, shrink, onto, width, height, rng)
        new = _measure(look, pose, width, height) if _is_promising(layout, pose) else None
        if new is None or (must_overlap and overlap(layout.placed[0], new) is None):
            continue
        if all(_is_plain(below, new) for below in layout.placed):
            grown = _with(layout, new)
            if _is_readable(grown):
                return grown
    return None


def _propose(look: Look, shrink: float, onto: Pose | None, width: int, height: int, rng: Random) -> Pose:
    """Draw a pose: within a part of the picture, or in one of eight directions from an object."""
    radius = rng.uniform(*SIZES[look.size]) * min(width, height) * shrink
    tilt = rng.uniform(-10, 10)
    if onto is not None:
        angle = (rng.randrange(8) * 45 + rng.uniform(-9, 9)) * pi / 180
        apart = rng.uniform(0.45, HALF_TOUCHING[0]) * (onto.radius + radius)
        return Pose(onto.x + apart * cos(angle), onto.y + apart * sin(angle), radius, tilt)
    column, row = rng.randrange(3), rng.randrange(3)
    x = width * ((column + 0.5) / 3 + rng.uniform(-0.09, 0.09))
    y = height * ((row + 0.5) / 3 + rng.uniform(-0.09, 0.09))
    edge = 1.12 * radius
    return Pose(min(max(x, edge), width - edge), min(max(y, edge), height - edge), radius, tilt)


def _is_promising(layout: Layout, pose: Pose) -> bool:
    """Tell cheaply whether an object at `pose` is worth measuring: leave out what nearly always fails."""
    height, width = layout.topmost.shape
    edge = 0.95 * pose.radius
    if not (edge < pose.x < width - edge and edge < pose.y < height - edge):
        return False
    least, most = HALF_TOUCHING
    for one in layout.placed:
        apart = hypot(pose.x - one.pose.x, pose.y - one.pose.y) / (pose.radius + one.pose.radius)
        if least < apart < most:
            return False
    return True


def _measure(look: Look, pose: Pose, width: int, height: int) -> Placed | None:
    """Return the object with its masks, or nothing where it would leave the canvas."""
    part = stamp(look.shape, pose, width, height)
    alpha = part.alpha()
    touched, solid = alpha > 0, alpha >= 128
    if touched[0].any() or touched[-1].any() or touched[:, 0].any() or touched[:, -1].any():
        return None
    near = part.distance < max(3.0, 0.015 * min(width, height))
    return Placed(look, pose, part, solid, touched, near, int(np.count_nonzero(solid)))


def _is_plain(below: Placed, above: Placed) -> bool:
    """Tell whether two objects overlap plainly or keep their gap."""
    contact = _in_both_boxes(below, above, below.near, above.touched)
    if contact is None or not contact.mask.any():
        return True
    shared = overlap(below, above)
    least = MIN_OVERLAP * min(below.area, above.area)
    if shared is None or below.look.blends_with(above.look):
        return False
    return bool(np.count_nonzero(shared.mask) >= least)


def _with(layout: Layout, new: Placed) -> Layout:
    topmost = layout.topmost.copy()
    topmost[new.box][new.solid] = len(layout.placed) + 1
    return Layout((*layout.placed, new), topmost)


def _is_readable(layout: Layout) -> bool:
    for layer, one in enumerate(layout.placed, start=1):
        shown = np.count_nonzero(layout.topmost[one.box] == layer)
        if shown < MIN_VISIBLE * one.area or not _landmarks_show(layout, layer):
            return False
    return all(
        _overlap_shows(layout, below, above)
        for above in range(2, len(layout.placed) + 1)
        for below in range(1, above)
    )


def _overlap_shows(layout: Layout, below: int, above: int) -> bool:
    shared = overlap(layout.placed[below - 1], layout.placed[above - 1])
    if shared is None:
        return True
    shown = np.count_nonzero(layout.topmost[shared.box][shared.mask] == above)
    return bool(shown >= MIN_OVERLAP_SHOWN * np.count_nonzero(shared.mask))


def _landmarks_show(layout: Layout, layer: int) -> bool:
    placed = layout.placed[layer - 1]
    points = landmark_pixels(placed.look.shape, placed.pose)
    seen = sum(int(layout.topmost[row, column]) == layer for row, column in points)
    return seen >= MIN_LANDMARKS * len(points)

"""Connected parts of a mask, as boxes."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dataset_builders.bear_bench.classify.layout.sheet import Mask

Labels = NDArray[np.int32]

_EIGHT = np.ones((3, 3), dtype=bool)


class Parts(NamedTuple):
    """Connected parts, one a row: `boxes` (parts, 4) are top, bottom, left, right; `areas` in pixels.

    `labels` has the number of the part, from 1, in the place of each of its pixels.
    """

    labels: Labels
    boxes: NDArray[np.int64]
    areas: NDArray[np.int64]

    @property
    def heights(self) -> NDArray[np.int64]:
        """The height of each box."""
        return self.boxes[:, 1] - self.boxes[:, 0]

    @property
    def widths(self) -> NDArray[np.int64]:
        """The width of each box."""
        return self.boxes[:, 3] - self.boxes[:, 2]

    def mask(self, chosen: NDArray[np.bool_]) -> Mask:
        """Return the pixels of the chosen parts."""
        return np.concatenate([[False], chosen])[self.labels]


def parts_of(mask: Mask, corners: bool = True) -> Parts:
    """Return the connected parts of a mask; pixels that touch at a corner are connected where `corners`."""
    from scipy import ndimage

    labels = np.zeros(mask.shape, dtype=np.int32)
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if len(rows) == 0:
        return Parts(labels, np.zeros((0, 4), dtype=np.int64), np.zeros(0, dtype=np.int64))
    # Rules and fills often take a small part of a page; the rest need not be looked at.
    top, left = int(rows[0]), int(columns[0])
    window = (slice(top, int(rows[-1]) + 1), slice(left, int(columns[-1]) + 1))
    inside, count = ndimage.label(mask[window], _EIGHT if corners else None)
    labels[window] = inside
    found = ndimage.find_objects(inside)
    boxes = np.array([(down.start, down.stop, along.start, along.stop) for down, along in found], np.int64)
    areas = np.bincount(inside.ravel(), minlength=count + 1)[1:].astype(np.int64)
    return Parts(labels, boxes + np.array([top, top, left, left]), areas)

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

    labels, count = ndimage.label(mask, _EIGHT if corners else None)
    found = ndimage.find_objects(labels)
    boxes = [(rows.start, rows.stop, columns.start, columns.stop) for rows, columns in found]
    areas = np.bincount(labels.ravel(), minlength=count + 1)[1:]
    return Parts(labels, np.array(boxes, dtype=np.int64).reshape(-1, 4), areas.astype(np.int64))

"""Which object of a photo becomes which layer, and which layer owns each pixel."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dataset_builders.layered_vqa.sources.coco.annotations import Annotation
from dataset_builders.layered_vqa.sources.coco.masks import Mask, MaskError, decode_mask


@dataclass(frozen=True, eq=False)
class Layout:
    """The layers of one photo.

    `kept` are the objects of layers 1, 2, ..., `merged` those that stay in layer 0, both largest first, and
    `refused` the annotations that give no layer, each with the reason. `owner` is H x W: for each pixel the
    layer that shows it. `objects` is H x W: whether any object, kept or merged, covers the pixel.
    """

    kept: tuple[Annotation, ...]
    merged: tuple[Annotation, ...]
    refused: tuple[tuple[Annotation, str], ...]
    owner: NDArray[np.int32]
    objects: Mask

    @property
    def depth(self) -> int:
        """Number of layers, the background included."""
        return len(self.kept) + 1

    def layer_of(self) -> Mapping[int, int]:
        """Return annotation id -> layer, for every annotation that was not refused."""
        layers = {annotation.id: 0 for annotation in self.merged}
        return layers | {annotation.id: index for index, annotation in enumerate(self.kept, start=1)}


def lay_out(
    annotations: Sequence[Annotation], width: int, height: int, max_layers: int, min_area: int
) -> Layout:
    """Draw the masks of a photo of `width` x `height` pixels and put its objects in order as `stack` does."""
    masks, refused = _decode(annotations, width, height)
    return stack(masks, refused, (height, width), max_layers, min_area)


def stack(
    masks: Sequence[tuple[Annotation, Mask]],
    refused: Sequence[tuple[Annotation, str]],
    shape: tuple[int, int],
    max_layers: int,
    min_area: int,
) -> Layout:
    """Order the objects of a photo of `shape` (height, width) by the size of their masks.

    The larger object lies below, the smaller annotation id first among equals. Where masks overlap, the
    pixel belongs to the smallest object alone: a cup on a table shows in the cup's layer, and the table has
    a hole there. The largest objects are kept, at most `max_layers - 1` and none of fewer than `min_area`
    pixels; the rest are merged into layer 0. `refused` are annotations without a mask.
    """
    masks = sorted(masks, key=lambda item: (-int(item[1].sum()), item[0].id))
    hidden = list(refused)
    smallest = np.full(shape, -1, np.int32)
    for rank, (_, mask) in enumerate(masks):
        smallest[mask] = rank
    visible = set(np.unique(smallest).tolist())
    kept: list[Annotation] = []
    merged: list[Annotation] = []
    layer_of_rank = np.zeros(len(masks) + 1, np.int32)
    for rank, (annotation, mask) in enumerate(masks):
        if rank not in visible:
            hidden.append((annotation, "every pixel of it belongs to smaller objects"))
        elif len(kept) < max_layers - 1 and int(mask.sum()) >= min_area:
            kept.append(annotation)
            layer_of_rank[rank] = len(kept)
        else:
            merged.append(annotation)
    # Rank -1, no object, reads the last entry: layer 0.
    return Layout(tuple(kept), tuple(merged), tuple(hidden), layer_of_rank[smallest], smallest >= 0)


def _decode(
    annotations: Sequence[Annotation], width: int, height: int
) -> tuple[list[tuple[Annotation, Mask]], list[tuple[Annotation, str]]]:
    masks: list[tuple[Annotation, Mask]] = []
    refused: list[tuple[Annotation, str]] = []
    for annotation in annotations:
        try:
            masks.append((annotation, decode_mask(annotation.segmentation, width, height)))
        except MaskError as error:
            refused.append((annotation, str(error)))
    return masks, refused

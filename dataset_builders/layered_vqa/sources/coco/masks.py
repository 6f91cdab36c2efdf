"""The segmentations of COCO annotations as masks: polygons, and run lengths plain or compressed."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]


class MaskError(ValueError):
    """A segmentation that is no mask of its picture; the text says why."""


def decode_mask(segmentation: Any, width: int, height: int) -> Mask:
    """Draw a segmentation on a canvas of `width` x `height` pixels; returns an H x W array.

    A list holds polygons, each a list x1, y1, x2, y2, ...; an object holds `size` (height, width) and
    `counts`, run lengths column by column from the top left, as numbers or as COCO's compressed text.
    Raises MaskError for anything else, for a mask of another size, and for one without a pixel.
    """
    from pycocotools import mask as coco

    if isinstance(segmentation, list):
        _check_polygons(segmentation, width, height)
        encoded = coco.merge(coco.frPyObjects(segmentation, height, width))
    elif isinstance(segmentation, dict):
        counts = _checked_counts(segmentation, width, height)
        encoded = coco.frPyObjects({"size": [height, width], "counts": counts}, height, width)
    else:
        raise MaskError(f"segmentation: found {segmentation!r:.60}, allowed: polygons or run lengths")
    mask: Mask = coco.decode(encoded).astype(bool)
    if not mask.any():
        raise MaskError("segmentation: found no pixel inside the picture, at least one is needed")
    return mask


def _check_polygons(polygons: list[Any], width: int, height: int) -> None:
    if not polygons:
        raise MaskError("segmentation: found no polygon, at least one is needed")
    for index, polygon in enumerate(polygons):
        name = f"polygon {index}"
        if not isinstance(polygon, list) or not all(_is_number(value) for value in polygon):
            raise MaskError(f"{name}: found {polygon!r:.60}, allowed: a list of numbers")
        # Four numbers would be taken for a box.
        if len(polygon) < 6 or len(polygon) % 2:
            raise MaskError(f"{name}: found {len(polygon)} numbers, allowed: an even count, at least 6")
        # Drawing takes memory in proportion to the outline, so far-off points must not come through.
        for limit, values in ((width, polygon[0::2]), (height, polygon[1::2])):
            far = [value for value in values if not -limit <= value <= 2 * limit]
            if far:
                raise MaskError(f"{name}: found a point at {far[0]}, allowed: {-limit} to {2 * limit}")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _checked_counts(segmentation: dict[str, Any], width: int, height: int) -> list[int]:
    size = segmentation.get("size")
    if size != [height, width]:
        raise MaskError(f"size: found {size!r:.60}, the picture is {[height, width]} (height, width)")
    counts = segmentation.get("counts")
    if isinstance(counts, str):
        counts = expand_counts(counts)
    if not isinstance(counts, list) or not all(type(count) is int and count >= 0 for count in counts):
        raise MaskError(f"counts: found {counts!r:.60}, allowed: run lengths from 0")
    if sum(counts) != width * height:
        raise MaskError(f"counts: found {sum(counts)} pixels, the picture has {width * height}")
    return counts


def expand_counts(text: str) -> list[int]:
    """Return the run lengths that COCO's compressed text stands for; raises MaskError where it is broken.

    pycocotools reads such text without checking that it fills the canvas, and leaves pixels it never wrote
    as they lay in memory; so the runs are unpacked here, to be counted first. Format: digits to base 32 from
    the lowest, each `digit + 32 * (another follows) + 48`, signed; from the fourth run on, the difference to
    the run before the last.
    """
    counts: list[int] = []
    value, shift = 0, 0
    for character in text:
        digit = ord(character) - 48
        if not 0 <= digit < 64:
            raise MaskError(f"counts: found {character!r}, allowed: characters from '0' to 'o'")
        value |= (digit & 31) << shift
        shift += 5
        if digit & 32:
            continue
        if digit & 16:
            value -= 1 << shift
        counts.append(value + counts[-2] if len(counts) > 2 else value)
        value, shift = 0, 0
    if shift:
        raise MaskError("counts: found text that ends within a number")
    return counts

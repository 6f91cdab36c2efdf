"""One MuLAn annotation: what stands in it, and the layers that it makes of a photo."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dataset_builders.layered_vqa.scene import Pixels
from dataset_builders.layered_vqa.sources.mulan.unpickling import AnnotationError, StoredArray, read_pickle

CAPTIONERS = ("blip2", "llava")
_NO_CAPTION = ("", "N/A")
_MAX_DELTA = 65_535


@dataclass(frozen=True, eq=False)
class LayerAnnotation:
    """What makes one layer of a photo of H x W pixels.

    `mask` is H x W x 1, 1 where the photo shows the layer; `delta` is H x W x 3, added to it: the colours of
    what was painted in. `alpha` is H x W, None for the background. `captions` has texts by captioner.
    """

    name: str
    mask: NDArray[Any]
    delta: NDArray[Any]
    alpha: Pixels | None
    captions: Mapping[str, str]

    def layer(self, photo: Pixels) -> Pixels:
        """Return the layer of `photo` (H x W x 3) as H x W x 4; raises AnnotationError where sizes differ.

        photo * mask + delta, its integers cut to 8 bits as the published script does, then alpha.
        """
        for field, values in (("mask", self.mask), ("inpainted_delta", self.delta), ("alpha", self.alpha)):
            if values is not None and values.shape[:2] != photo.shape[:2]:
                raise AnnotationError(
                    f"{self.name}: {field}: found {values.shape[1]}x{values.shape[0]}, "
                    f"the upright photo is {photo.shape[1]}x{photo.shape[0]}"
                )
        colours = photo.astype(np.int64) * self.mask.astype(np.int64) + self.delta.astype(np.int64)
        alpha = np.full(photo.shape[:2], 255, np.uint8) if self.alpha is None else self.alpha
        return np.dstack([colours.astype(np.uint8), alpha])


def read_annotation(path: Path) -> tuple[LayerAnnotation, ...]:
    """Read `*.p.zl` and return its layers, the background first, then the instances in stored order.

    Instances are whatever dicts in `instances`, at any depth, have an `instance_alpha`. Raises
    AnnotationError, one line with the file's name, for anything that is no such annotation.
    """
    try:
        content = read_pickle(path)
        if not isinstance(content, dict) or not isinstance(content.get("background"), dict):
            raise AnnotationError("background: found none, allowed: a dict")
        layers = [_layer("background", content["background"], with_alpha=False)]
        for number, instance in enumerate(_instances(content.get("instances")), start=1):
            layers.append(_layer(f"instance {number}", instance, with_alpha=True))
    except AnnotationError as error:
        raise AnnotationError(f"{path.name}: {error}") from error
    if len(layers) < 2:
        raise AnnotationError(f"{path.name}: instances: found none with instance_alpha, at least 1 is needed")
    return tuple(layers)


def choose_caption(captions: Mapping[str, str], preferred: str, otherwise: str) -> str:
    """Return the caption of the preferred captioner, else of the other, else the text `otherwise`."""
    for captioner in (preferred, *CAPTIONERS):
        caption = captions.get(captioner, "").strip()
        if caption not in _NO_CAPTION:
            return caption
    return otherwise


def _instances(root: Any) -> Iterator[dict[Any, Any]]:
    # Without recursion, and no container twice: a pickle may hold itself, or one list many times over.
    waiting, seen = [root], set()
    while waiting:
        value = waiting.pop()
        if not isinstance(value, dict | list | tuple) or id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, dict) and "instance_alpha" in value:
            yield value
        waiting += reversed(list(value.values() if isinstance(value, dict) else value))


def _layer(name: str, stored: dict[Any, Any], with_alpha: bool) -> LayerAnnotation:
    mask = _mask(name, stored, "original_image_mask")
    if stored.get("instance_mask") is not None:
        narrower = _mask(name, stored, "instance_mask")
        if narrower.shape != mask.shape:
            raise AnnotationError(f"{name}: instance_mask: found another size than original_image_mask")
        mask = mask * narrower
    delta = _values(name, stored, "inpainted_delta")
    if delta.ndim != 3 or delta.shape[2] != 3:
        raise AnnotationError(f"{name}: inpainted_delta: found the shape {delta.shape}, allowed: H x W x 3")
    if not (np.abs(delta.astype(np.float64)) <= _MAX_DELTA).all():
        raise AnnotationError(f"{name}: inpainted_delta: found numbers beyond {_MAX_DELTA}")
    alpha = None
    if with_alpha:
        alpha = _flat(name, "instance_alpha", _values(name, stored, "instance_alpha"))
        if alpha.dtype != np.uint8:
            raise AnnotationError(f"{name}: instance_alpha: found {alpha.dtype}, allowed: uint8")
    captions = {key: value for key, value in stored.items() if key in CAPTIONERS and isinstance(value, str)}
    return LayerAnnotation(name, mask[..., np.newaxis], delta, alpha, captions)


def _mask(name: str, stored: dict[Any, Any], field: str) -> NDArray[Any]:
    mask = _flat(name, field, _values(name, stored, field))
    if not ((mask == 0) | (mask == 1)).all():
        raise AnnotationError(f"{name}: {field}: found other values than 0 and 1")
    return mask.astype(np.uint8)


def _flat(name: str, field: str, values: NDArray[Any]) -> NDArray[Any]:
    if values.ndim == 3 and values.shape[2] == 1:
        values = values[..., 0]
    if values.ndim != 2:
        raise AnnotationError(f"{name}: {field}: found the shape {values.shape}, allowed: H x W or H x W x 1")
    return values


def _values(name: str, stored: dict[Any, Any], field: str) -> NDArray[Any]:
    value = stored.get(field)
    if not isinstance(value, StoredArray) or value.values is None:
        raise AnnotationError(f"{name}: {field}: found no array, allowed: an array of numbers")
    return value.values

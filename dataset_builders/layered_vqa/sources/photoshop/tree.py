"""The layers of an open Photoshop document as a tree of nodes with 8-bit pixels."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dataset_builders.layered_vqa.scene import Pixels
from dataset_builders.layered_vqa.sources.layered_files.patch import Cover, Mask, Patch
from dataset_builders.layered_vqa.sources.layered_files.stack import (
    Group,
    LayeredFileError,
    Leaf,
    Node,
    PixelBudget,
)
from dataset_builders.layered_vqa.sources.photoshop.features import not_drawn
from lvqa_eval.images.decoding import MAX_PIXELS

if TYPE_CHECKING:
    from psd_tools import PSDImage
    from psd_tools.api.layers import Layer


class Tree:
    """Collects the visible nodes of a document, bottom first.

    `hidden` tells in words what was left out, `not_drawn` which features are not drawn.
    """

    def __init__(self, document: "PSDImage") -> None:
        self.hidden: list[str] = []
        self.not_drawn: list[str] = []
        self._canvas = (0, 0, document.width, document.height)
        self._budget = PixelBudget()
        self.members = self._nodes(document)

    def _nodes(self, layers: "Iterable[Layer]") -> tuple[Node, ...]:
        found: list[Node] = []
        base: Node | None = None
        clips: list[Node] = []
        base_is_hidden = False
        for layer in layers:
            # A clipping layer without a layer below it has nothing to be clipped to, and shows as it is.
            is_clipped = layer.clipping and (base is not None or base_is_hidden)
            if is_clipped and base_is_hidden:
                self.hidden.append(f"{_described(layer)} left out: the layer it is clipped to is hidden")
                continue
            node = self._node(layer)
            if is_clipped:
                clips += [node] if node else []
                continue
            found += _with_clips(base, clips)
            base, clips, base_is_hidden = node, [], node is None
        return (*found, *_with_clips(base, clips))

    def _node(self, layer: "Layer") -> Node | None:
        described = _described(layer)
        if not layer.visible:
            self.hidden.append(f"hidden {described} left out")
            return None
        self.not_drawn += not_drawn(layer, described)
        cover = Cover(layer.opacity / 255.0 * layer.fill_opacity / 255.0, _mask(layer, described))
        if layer.is_group():
            members: Any = layer
            return Group(layer.name, self._nodes(members), cover)
        return Leaf(layer.name, self._budget.take(_patch(layer, described).cut(self._canvas)), cover)


def merged_picture(document: "PSDImage") -> Pixels | None:
    """Return the picture stored beside the layers, H x W x 3 over white; None where the file has none."""
    if not document.has_preview():
        return None
    planes = document.numpy()
    colours = 1 if planes.shape[2] < 3 else 3
    colour = planes[..., :colours].astype(np.float64)
    if planes.shape[2] > colours and _stores_transparency(document):
        alpha = planes[..., colours : colours + 1]
        colour = colour * alpha + (1.0 - alpha)
    return _grey_to_rgb(_eight_bit(colour))


def _stores_transparency(document: "PSDImage") -> bool:
    from psd_tools.api.utils import has_transparency

    return has_transparency(document)


def _with_clips(base: Node | None, clips: list[Node]) -> list[Node]:
    return [replace(base, clipped=tuple(clips))] if base else []


def _described(layer: "Layer") -> str:
    return f"{'group' if layer.is_group() else 'layer'} {layer.name!r}"


def _patch(layer: "Layer", described: str) -> Patch:
    width, height = layer.width, layer.height
    if not layer.has_pixels() or width < 1 or height < 1:
        return Patch(np.zeros((0, 0, 4), np.uint8), 0, 0)
    _check_size(width, height, described)
    colour, alpha = layer.numpy("color"), layer.numpy("shape")
    if colour is None:
        raise LayeredFileError(f"{described}: found no colour channel, allowed: 1 or 3")
    rgb = _grey_to_rgb(_eight_bit(colour))
    shape = np.full(rgb.shape[:2], 255, np.uint8) if alpha is None else _eight_bit(alpha[..., 0])
    return Patch(np.dstack([rgb, shape]), layer.left, layer.top)


def _mask(layer: "Layer", described: str) -> Mask | None:
    mask = layer.mask
    if mask is None or mask.disabled:
        return None
    _check_size(mask.width, mask.height, f"mask of {described}")
    values = layer.numpy("mask") if mask.width > 0 and mask.height > 0 else None
    plane = np.zeros((0, 0), np.uint8) if values is None else _eight_bit(values[..., 0])
    density = mask.parameters.user_mask_density if mask.parameters else None
    outside = mask.background_color
    if density is not None:
        # At a density of 0 the mask hides nothing.
        plane = _eight_bit(1.0 - (1.0 - plane / 255.0) * density / 255.0)
        outside = round(255 - (255 - outside) * density / 255)
    return Mask(plane, mask.left, mask.top, outside)


def _check_size(width: int, height: int, described: str) -> None:
    if width * height > MAX_PIXELS:
        found = f"{width}x{height} ({width * height} pixels)"
        raise LayeredFileError(f"{described}: size: found {found}, at most {MAX_PIXELS} pixels are decoded")


def _eight_bit(shares: Any) -> Pixels:
    """Return shares from 0 to 1 as 255 steps, rounded to the nearest."""
    return np.floor(np.asarray(shares, np.float64) * 255.0 + 0.5).astype(np.uint8)


def _grey_to_rgb(pixels: Pixels) -> Pixels:
    return np.repeat(pixels, 3, axis=2) if pixels.shape[2] == 1 else pixels

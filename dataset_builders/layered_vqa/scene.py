"""A scene: ordered full-canvas RGBA layers, and the one composite they make."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]

MAX_SOURCE_ERROR = 2
"""Largest difference (of 255) accepted between a source's own merged picture and our composite."""


@dataclass(frozen=True, eq=False)
class Scene:
    """One scene, bottom layer first; layer 0 is the opaque background.

    `layers` holds H x W x 4 uint8 arrays of one size with straight (not premultiplied) alpha.
    `captions` has one text a layer. `licence` is an SPDX-like identifier and `attribution` whom to credit.
    `notes` says in words what was changed on the way in (a white background added, objects merged).
    """

    scene_id: str
    layers: tuple[Pixels, ...]
    source: str
    licence: str
    attribution: str
    captions: tuple[str, ...]
    notes: tuple[str, ...] = field(default=())

    @property
    def width(self) -> int:
        """Canvas width in pixels."""
        return int(self.layers[0].shape[1])

    @property
    def height(self) -> int:
        """Canvas height in pixels."""
        return int(self.layers[0].shape[0])

    @property
    def depth(self) -> int:
        """Number of layers, the background included."""
        return len(self.layers)

    def composite(self) -> Pixels:
        """Return the scene as one H x W x 3 uint8 picture."""
        return compose(self.layers)

    def problems(self) -> list[str]:
        """Return every broken rule of this scene in words; empty when it is sound."""
        if not self.layers:
            return [f"scene {self.scene_id}: layers: found none, at least 2 are needed"]
        found = []
        if self.depth < 2:
            found.append(f"scene {self.scene_id}: layers: found {self.depth}, at least 2 are needed")
        for index, layer in enumerate(self.layers):
            if layer.dtype != np.uint8 or layer.ndim != 3 or layer.shape[2] != 4:
                found.append(
                    f"scene {self.scene_id}: layer {index}: found {layer.dtype} of shape {layer.shape}, "
                    "an H x W x 4 uint8 array is needed"
                )
            elif layer.shape[:2] != self.layers[0].shape[:2]:
                found.append(
                    f"scene {self.scene_id}: layer {index}: found {layer.shape[1]}x{layer.shape[0]}, "
                    f"the canvas is {self.width}x{self.height}"
                )
        if not found and not is_opaque(self.layers[0]):
            found.append(f"scene {self.scene_id}: layer 0: found transparent pixels, it must be opaque")
        if len(self.captions) != self.depth:
            found.append(
                f"scene {self.scene_id}: captions: found {len(self.captions)}, "
                f"one a layer ({self.depth}) is needed"
            )
        return found


def compose(layers: Sequence[Pixels]) -> Pixels:
    """Lay `layers` over each other, bottom first, in floating point, rounded once at the end.

    Layers are H x W x 4 uint8 with straight alpha; the bottom one must be opaque.
    Returns H x W x 3 uint8. This is the only place where a composite is made.
    """
    canvas = layers[0][..., :3].astype(np.float64)
    for layer in layers[1:]:
        alpha = layer[..., 3:].astype(np.float64) / 255.0
        canvas = layer[..., :3] * alpha + canvas * (1.0 - alpha)
    return np.floor(canvas + 0.5).astype(np.uint8)


def is_opaque(layer: Pixels) -> bool:
    """Tell whether every pixel of an RGBA layer has full alpha."""
    return bool((layer[..., 3] == 255).all())


def with_opaque_background(scene: Scene) -> Scene:
    """Return `scene` with a white layer below, and a note of it, where its bottom is not opaque."""
    if is_opaque(scene.layers[0]):
        return scene
    return replace(
        scene,
        layers=(np.full_like(scene.layers[0], 255), *scene.layers),
        captions=("white background", *scene.captions),
        notes=(*scene.notes, "white layer 0 added below a transparent bottom layer"),
    )


def source_error(scene: Scene, merged: Pixels) -> int:
    """Return the largest difference (0 to 255) between our composite and a source's own merged picture.

    Raises ValueError with the figure where it exceeds `MAX_SOURCE_ERROR`: the source then draws its layers
    with effects that we do not draw, so its layers are no decomposition of its picture.
    """
    ours = scene.composite()
    if merged.shape != ours.shape:
        raise ValueError(
            f"scene {scene.scene_id}: merged picture: found shape {merged.shape}, the canvas is {ours.shape}"
        )
    error = int(np.abs(ours.astype(np.int16) - merged.astype(np.int16)).max())
    if error > MAX_SOURCE_ERROR:
        raise ValueError(
            f"scene {scene.scene_id}: the layers miss the source's merged picture by {error}/255, "
            f"at most {MAX_SOURCE_ERROR}/255 is accepted"
        )
    return error

"""Scenes from photos with object masks, however the masks are stored."""

from abc import abstractmethod
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator, Field

from dataset_builders.layered_vqa.pictures import read_rgb
from dataset_builders.layered_vqa.questions import LayerKeys
from dataset_builders.layered_vqa.scene import Pixels, Scene, source_error
from dataset_builders.layered_vqa.sources.coco.annotations import ImageRecord, Instances
from dataset_builders.layered_vqa.sources.coco.background import InpaintMethod, paint_background
from dataset_builders.layered_vqa.sources.coco.layout import Layout
from dataset_builders.layered_vqa.sources.coco.masks import Mask
from dataset_builders.layered_vqa.sources.file_source import FileSource, Found

BACKGROUND = "background"
"""Key of layer 0 in a question file; every other key is an annotation id."""


def as_tuple(value: Any) -> Any:
    """Return one path as a tuple of one; anything else as it is."""
    return (value,) if isinstance(value, str | Path) else value


@dataclass(frozen=True)
class Photo:
    """A photo's row in the annotation file, that file, and where the photo lies."""

    instances: Instances
    record: ImageRecord
    path: Path


class PhotoSource(FileSource[Photo]):
    """Photos with object masks: each object a layer, largest first, over the background without the objects.

    Scene ids are image ids, and every image that has annotations is a scene.
    """

    noun = "image"

    images: Annotated[tuple[Path, ...], BeforeValidator(as_tuple)] = Field(
        min_length=1,
        description="Folder of photos; may be given several times, the first that has a photo wins.",
    )
    max_layers: int = Field(
        default=6,
        ge=2,
        description="Most layers of a scene, layer 0 included; smaller objects stay in layer 0.",
    )
    min_area: int = Field(default=1, ge=1, description="Objects of fewer mask pixels stay in layer 0.")
    inpaint_method: InpaintMethod = Field(default="telea", description="How OpenCV fills the background.")
    inpaint_radius: int = Field(default=5, ge=1, description="Neighbourhood of the filling, in pixels.")
    inpaint_margin: int = Field(
        default=5, ge=0, description="Pixels around an object that the filling does not read."
    )

    @abstractmethod
    def _instances(self) -> Instances:
        """Read the annotations as a whole; raises SourceError with all their problems."""

    @abstractmethod
    def _layout(self, photo: Photo) -> Layout:
        """Tell which object becomes which layer; raises ValueError where the masks cannot be read."""

    def _find(self, wanted: frozenset[str] | None) -> Found[Photo]:
        instances = self._instances()
        entries, missing = {}, {}
        for record in instances.images.values():
            scene_id = str(record.id)
            if not instances.annotations[record.id] or (wanted is not None and scene_id not in wanted):
                continue
            paths = [folder / record.file_name for folder in self.images]
            path = next((path for path in paths if path.is_file()), None)
            if path:
                entries[scene_id] = Photo(instances, record, path)
            else:
                missing[scene_id] = f"{record.file_name} lies in none of {', '.join(map(str, self.images))}"
        return Found(entries, missing)

    def _usable_layout(self, photo: Photo) -> Layout:
        layout = self._layout(photo)
        if not layout.kept:
            reasons = "; ".join(_refusals(layout)) or f"none has {self.min_area} pixels"
            raise ValueError(f"no usable object mask, at least one is needed: {reasons}")
        return layout

    def _keys(self, entry: Photo) -> LayerKeys:
        layout = self._usable_layout(entry)
        by_id = {str(annotation): layer for annotation, layer in layout.layer_of().items()}
        return LayerKeys(layout.depth, {BACKGROUND: 0, **by_id})

    def _scene(self, entry: Photo) -> Scene:
        instances, record = entry.instances, entry.record
        photo = read_rgb(entry.path)
        if photo.shape[:2] != (record.height, record.width):
            raise ValueError(
                f"size: found {record.width}x{record.height} in the annotation file, "
                f"the upright photo {entry.path.name} is {photo.shape[1]}x{photo.shape[0]}"
            )
        layout = self._usable_layout(entry)
        background = paint_background(
            photo, layout, self.inpaint_method, self.inpaint_radius, self.inpaint_margin
        )
        objects = [_cut_out(photo, layout.owner == layer) for layer in range(1, layout.depth)]
        scene = Scene(
            scene_id=str(record.id),
            layers=(_opaque(background), *objects),
            source=self.name,
            licence=instances.licence(record),
            attribution=record.attribution,
            captions=_captions(instances, record, layout),
        )
        return replace(scene, notes=self._notes(instances, layout, source_error(scene, photo)))

    def _notes(self, instances: Instances, layout: Layout, error: int) -> tuple[str, ...]:
        notes = [
            f"layer 0 inpainted under the objects (OpenCV {self.inpaint_method}, "
            f"radius {self.inpaint_radius}, margin {self.inpaint_margin})",
            f"largest error of the composite against the photo: {error}/255",
        ]
        if layout.merged:
            merged = ", ".join(f"{instances.caption(one)} ({one.id})" for one in layout.merged)
            notes.append(f"objects merged into layer 0: {merged}")
        return (*notes, *_refusals(layout))


def _captions(instances: Instances, record: ImageRecord, layout: Layout) -> tuple[str, ...]:
    merged = Counter(instances.caption(annotation) for annotation in layout.merged)
    names = [*instances.stuff.get(record.id, ())]
    names += [name if count == 1 else f"{name} x{count}" for name, count in merged.items()]
    background = f"{BACKGROUND} (with {', '.join(names)})" if names else BACKGROUND
    return (background, *(instances.caption(annotation) for annotation in layout.kept))


def _refusals(layout: Layout) -> list[str]:
    return [f"annotation {annotation.id} refused: {reason}" for annotation, reason in layout.refused]


def _opaque(rgb: Pixels) -> Pixels:
    return np.dstack([rgb, np.full(rgb.shape[:2], 255, np.uint8)])


def _cut_out(photo: Pixels, mask: Mask) -> Pixels:
    """Return H x W x 4 with the photo under `mask`, and transparent black elsewhere: nothing hides there."""
    layer = np.zeros((*mask.shape, 4), np.uint8)
    layer[mask] = _opaque(photo)[mask]
    return layer

"""Scenes from photos with instance masks, in the format of COCO."""

import logging
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import BeforeValidator, Field

from dataset_builders.layered_vqa.pictures import read_rgb
from dataset_builders.layered_vqa.questions import LayerKeys, load_questions
from dataset_builders.layered_vqa.scene import Pixels, Scene, source_error
from dataset_builders.layered_vqa.sources.coco.annotations import ImageRecord, Instances, read_instances
from dataset_builders.layered_vqa.sources.coco.background import InpaintMethod, paint_background
from dataset_builders.layered_vqa.sources.coco.layout import Layout, lay_out
from dataset_builders.layered_vqa.sources.coco.masks import Mask
from dataset_builders.layered_vqa.sources.source import Material, SceneSource, SourceError

BACKGROUND = "background"
"""Key of layer 0 in a question file; every other key is an annotation id."""

_log = logging.getLogger(__name__)


def _as_tuple(value: Any) -> Any:
    return (value,) if isinstance(value, str | Path) else value


class CocoSource(SceneSource):
    """COCO-format photos: each object a layer, largest first, over the background with the objects removed.

    With a question file the scenes are those that it asks about; without one, every image that has
    annotations. Scene ids are image ids. Scenes come in the order of the annotation file.
    """

    name: ClassVar[str] = "coco"

    images: Annotated[tuple[Path, ...], BeforeValidator(_as_tuple)] = Field(
        min_length=1,
        description="Folder of photos; may be given several times, the first that has a photo wins.",
    )
    annotations: Path = Field(description="Annotation file (instances_*.json).")
    questions: Path | None = Field(default=None, description="Question file (YAML).")
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
    unusable: Literal["fail", "skip"] = Field(
        default="fail",
        description="What a photo that is missing, broken or without a usable mask does to the build.",
    )

    def read(self) -> Iterator[Material]:
        """Yield every usable scene, then raise SourceError with every unusable photo (`unusable: fail`).

        Faults of the annotation file and of the question file, and photos that lie in none of the folders,
        are raised before the first scene.
        """
        instances = read_instances(self.annotations)
        asked = load_questions(self.questions) if self.questions else None
        records = [
            record
            for record in instances.images.values()
            if (str(record.id) in asked.scene_ids() if asked else instances.annotations[record.id])
        ]
        examples = asked.examples(self._keys(instances, records)) if asked else ()
        photos = [(record, self._find(record)) for record in records]
        self._judge(
            [
                f"image {record.id}: {record.file_name} lies in none of {', '.join(map(str, self.images))}"
                for record, path in photos
                if path is None
            ]
        )
        broken = []
        for record, path in photos:
            if path is None:
                continue
            try:
                scene = self._scene(instances, record, path)
            except ValueError as error:
                broken.append(f"image {record.id}: {error}")
                continue
            yield Material(scene, tuple(one for one in examples if one.scene_id == scene.scene_id))
        self._judge(broken)

    def _judge(self, unusable: list[str]) -> None:
        if unusable and self.unusable == "fail":
            raise SourceError(unusable)
        for line in unusable:
            _log.warning("left out: %s", line)

    def _find(self, record: ImageRecord) -> Path | None:
        paths = [folder / record.file_name for folder in self.images]
        return next((path for path in paths if path.is_file()), None)

    def _layout(self, instances: Instances, record: ImageRecord) -> Layout:
        annotations = instances.annotations[record.id]
        return lay_out(annotations, record.width, record.height, self.max_layers, self.min_area)

    def _keys(self, instances: Instances, records: Iterable[ImageRecord]) -> dict[str, LayerKeys]:
        """Return scene -> keys, for the scenes that have an object layer."""
        keys = {}
        for record in records:
            layout = self._layout(instances, record)
            if layout.kept:
                by_id = {str(annotation): layer for annotation, layer in layout.layer_of().items()}
                keys[str(record.id)] = LayerKeys(layout.depth, {BACKGROUND: 0, **by_id})
        return keys

    def _scene(self, instances: Instances, record: ImageRecord, path: Path) -> Scene:
        photo = read_rgb(path)
        if photo.shape[:2] != (record.height, record.width):
            raise ValueError(
                f"size: found {record.width}x{record.height} in the annotation file, "
                f"the upright photo {path.name} is {photo.shape[1]}x{photo.shape[0]}"
            )
        layout = self._layout(instances, record)
        if not layout.kept:
            reasons = "; ".join(_refusals(layout)) or f"none has {self.min_area} pixels"
            raise ValueError(f"no usable object mask, at least one is needed: {reasons}")
        background = paint_background(
            photo, layout, self.inpaint_method, self.inpaint_radius, self.inpaint_margin
        )
        objects = [_cut_out(photo, layout.owner == layer) for layer in range(1, layout.depth)]
        scene = Scene(
            scene_id=str(record.id),
            layers=(_opaque(background), *objects),
            source=self.name,
            licence=instances.licence(record),
            attribution=record.flickr_url or record.coco_url or record.file_name,
            captions=_captions(instances, layout),
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


def _captions(instances: Instances, layout: Layout) -> tuple[str, ...]:
    merged = Counter(instances.caption(annotation) for annotation in layout.merged)
    names = [name if count == 1 else f"{name} x{count}" for name, count in merged.items()]
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

"""Scenes from photos with instance masks, in the format of COCO."""

from pathlib import Path
from typing import ClassVar

from pydantic import Field

from dataset_builders.layered_vqa.sources.coco.annotations import Instances, read_instances
from dataset_builders.layered_vqa.sources.coco.layout import Layout, lay_out
from dataset_builders.layered_vqa.sources.coco.photos import Photo, PhotoSource


class CocoSource(PhotoSource):
    """COCO-format photos: masks are polygons or run lengths of the annotation file.

    | field | what |
    |---|---|
    | `images` | folders of photos |
    | `annotations` | `instances_*.json` |
    | `questions` | question file; keys are annotation ids, and `background` |
    | `max_layers`, `min_area` | which objects become layers; the others stay in layer 0 |
    | `inpaint_*` | how layer 0 is filled under the objects |
    | `unusable`, `max_side` | as in every source of files |
    """

    name: ClassVar[str] = "coco"

    annotations: Path = Field(description="Annotation file (instances_*.json).")

    def _instances(self) -> Instances:
        return read_instances(self.annotations)

    def _layout(self, photo: Photo) -> Layout:
        record = photo.record
        annotations = photo.instances.annotations[record.id]
        return lay_out(annotations, record.width, record.height, self.max_layers, self.min_area)

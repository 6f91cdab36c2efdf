"""Scenes from photos with panoptic segments, in the format of COCO."""

from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np
from pydantic import Field

from dataset_builders.layered_vqa.pictures import read_rgb
from dataset_builders.layered_vqa.sources.coco.annotations import Annotation, Instances
from dataset_builders.layered_vqa.sources.coco.layout import Layout, stack
from dataset_builders.layered_vqa.sources.coco.masks import Mask
from dataset_builders.layered_vqa.sources.coco.photos import Photo, PhotoSource
from dataset_builders.layered_vqa.sources.panoptic.annotations import Panoptic, read_panoptic


class PanopticSource(PhotoSource):
    """Photos whose every pixel belongs to one segment: things become layers, stuff stays in layer 0.

    | field | what |
    |---|---|
    | `images` | folders of photos |
    | `annotations` | `panoptic_*.json` |
    | `maps` | folder of PNG maps; the id of a pixel's segment is R + 256 G + 65536 B, 0 for none |
    | `questions` | question file; keys are segment ids, and `background` |
    | `max_layers`, `min_area` | which things become layers; the others stay in layer 0 |
    | `inpaint_*` | how layer 0 is filled under the things |
    | `unusable`, `max_side` | as in every source of files |
    """

    name: ClassVar[str] = "panoptic"

    annotations: Path = Field(description="Annotation file (panoptic_*.json).")
    maps: Path = Field(description="Folder of the PNG maps that it names.")

    @cached_property
    def _panoptic(self) -> Panoptic:
        return read_panoptic(self.annotations)

    def _instances(self) -> Instances:
        return self._panoptic.instances

    def _layout(self, photo: Photo) -> Layout:
        record = photo.record
        # Widened first: blue times 65536 leaves 8 bits.
        map_name = self._panoptic.maps[record.id]
        colours = read_rgb(self.maps / map_name).astype(np.int32)
        if colours.shape[:2] != (record.height, record.width):
            raise ValueError(
                f"size: found {record.width}x{record.height} in the annotation file, "
                f"the map {map_name} is {colours.shape[1]}x{colours.shape[0]}"
            )
        segments = colours[..., 0] + 256 * colours[..., 1] + 65536 * colours[..., 2]
        masks: list[tuple[Annotation, Mask]] = []
        refused: list[tuple[Annotation, str]] = []
        for annotation in photo.instances.annotations[record.id]:
            mask = segments == annotation.id
            if mask.any():
                masks.append((annotation, mask))
            else:
                refused.append((annotation, f"found no pixel of it in {map_name}, at least one is needed"))
        return stack(masks, refused, segments.shape, self.max_layers, self.min_area)

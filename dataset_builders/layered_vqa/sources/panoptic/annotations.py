"""The annotation file of a COCO panoptic set (`panoptic_*.json`), read and checked as a whole."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pydantic import BaseModel, Field, field_validator

from dataset_builders.layered_vqa.sources.coco.annotations import (
    Annotation,
    Category,
    ImageRecord,
    Instances,
    InstancesFile,
    Licence,
    checked,
    read_json,
)
from dataset_builders.layered_vqa.sources.source import SourceError


class PanopticCategory(Category):
    """One row of `categories`: a thing can be counted, stuff cannot."""

    isthing: int = Field(ge=0, le=1)


class Segment(BaseModel):
    """One row of `segments_info`; `id` is the colour of its pixels in the map."""

    id: int = Field(gt=0, lt=2**24)
    category_id: int
    iscrowd: int = Field(default=0, ge=0, le=1)


class SegmentMap(BaseModel):
    """One row of `annotations`: the map of one image, a PNG, and the segments in it."""

    image_id: int
    file_name: str = Field(min_length=1)
    segments_info: list[Segment]

    @field_validator("file_name")
    @classmethod
    def _stays_inside(cls, name: str) -> str:
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts:
            raise ValueError("allowed: a path below the folder of maps")
        return name


class _File(BaseModel):
    images: list[ImageRecord]
    annotations: list[SegmentMap]
    categories: list[PanopticCategory]
    licenses: list[Licence] = []


@dataclass(frozen=True)
class Panoptic:
    """A checked file: its things as instances without segmentations, and image id -> file name of the map."""

    instances: Instances
    maps: dict[int, str]


def read_panoptic(path: Path) -> Panoptic:
    """Read and check an annotation file; raises SourceError with all its problems."""
    content = read_json(path, _File)
    found = [f"{path.name}: {line}" for line in _problems(content)]
    if found:
        raise SourceError(found)
    things = {category.id for category in content.categories if category.isthing}
    names = {category.id: category.name for category in content.categories}
    empty = InstancesFile(
        images=content.images, annotations=[], categories=[*content.categories], licenses=content.licenses
    )
    images = checked(path, empty)
    annotations = dict(images.annotations)
    stuff = {}
    for row in content.annotations:
        annotations[row.image_id] = tuple(
            Annotation(image_id=row.image_id, **segment.model_dump())
            for segment in row.segments_info
            if segment.category_id in things
        )
        # A segment's category occurs once an image where it is stuff; twice says nothing more.
        stuff[row.image_id] = tuple(
            dict.fromkeys(
                names[one.category_id] for one in row.segments_info if one.category_id not in things
            )
        )
    instances = Instances(images.images, annotations, names, images.licences, stuff)
    return Panoptic(instances, {row.image_id: row.file_name for row in content.annotations})


def _problems(content: _File) -> Iterator[str]:
    images = {image.id for image in content.images}
    categories = {category.id for category in content.categories}
    for image_id, count in Counter(row.image_id for row in content.annotations).items():
        if count > 1:
            yield f"annotations: found {count} maps of image {image_id}, allowed: one"
    for row in content.annotations:
        if row.image_id not in images:
            yield f"map {row.file_name}: image_id: found {row.image_id}, allowed: an id of `images`"
        for segment_id, count in Counter(segment.id for segment in row.segments_info).items():
            if count > 1:
                yield f"image {row.image_id}: segment {segment_id}: found {count} times, allowed: once"
        for segment in row.segments_info:
            if segment.category_id not in categories:
                yield (
                    f"image {row.image_id}: segment {segment.id}: category_id: found {segment.category_id}, "
                    "allowed: an id of `categories`"
                )

"""The annotation file of a COCO-format set (`instances_*.json`), read and checked as a whole."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Self, TypeVar

import orjson
from pydantic import BaseModel, Field, ValidationError, field_validator, model_validator

from dataset_builders.layered_vqa.sources.source import SourceError
from lvqa_eval.images.decoding import MAX_PIXELS

Content = TypeVar("Content", bound=BaseModel)

NO_LICENCE = "NOASSERTION"
"""SPDX word for a picture of which no licence is given."""


class Licence(BaseModel):
    """One row of `licenses`."""

    id: int
    name: str = ""
    url: str = ""

    @property
    def spdx(self) -> str:
        """SPDX identifier of a Creative Commons licence; `LicenseRef-` and its name for any other."""
        found = re.search(r"creativecommons\.org/licenses/([a-z-]+)/(\d\.\d)", self.url.lower())
        if found:
            return f"CC-{found[1].upper()}-{found[2]}"
        if re.search(r"creativecommons\.org/publicdomain/zero", self.url.lower()):
            return "CC0-1.0"
        words = "-".join(re.findall(r"[A-Za-z0-9.]+", self.name))
        return f"LicenseRef-{words}" if words else NO_LICENCE


class Category(BaseModel):
    """One row of `categories`."""

    id: int
    name: str = Field(min_length=1)


class ImageRecord(BaseModel):
    """One row of `images`; `width` and `height` in pixels."""

    id: int
    file_name: str = Field(min_length=1)
    width: int = Field(gt=0)
    height: int = Field(gt=0)
    license: int | None = None
    flickr_url: str = ""
    coco_url: str = ""

    @property
    def attribution(self) -> str:
        """Where the photo comes from: its address, or its name where none is given."""
        return self.flickr_url or self.coco_url or self.file_name

    @field_validator("file_name")
    @classmethod
    def _stays_inside(cls, name: str) -> str:
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts:
            raise ValueError("allowed: a path below the image folder")
        return name

    @model_validator(mode="after")
    def _can_be_decoded(self) -> Self:
        # Masks are drawn on a canvas of this size before the photo is seen.
        if self.width * self.height > MAX_PIXELS:
            raise ValueError(f"width * height: allowed: at most {MAX_PIXELS}")
        return self


class Annotation(BaseModel):
    """One object; its `segmentation` is judged when it is drawn, since one bad mask spoils no other."""

    id: int
    image_id: int
    category_id: int
    segmentation: Any = None
    iscrowd: int = Field(default=0, ge=0, le=1)


class InstancesFile(BaseModel):
    """The file as a whole."""

    images: list[ImageRecord]
    annotations: list[Annotation]
    categories: list[Category]
    licenses: list[Licence] = []


@dataclass(frozen=True)
class Instances:
    """A checked annotation file: images by id in file order, each with its annotations in file order."""

    images: dict[int, ImageRecord]
    annotations: dict[int, tuple[Annotation, ...]]
    categories: dict[int, str]
    licences: dict[int, Licence]
    stuff: dict[int, tuple[str, ...]] = field(default_factory=dict)
    """Image id -> what its background is known to show."""

    def caption(self, annotation: Annotation) -> str:
        """Return what an annotation shows, in words."""
        name = self.categories[annotation.category_id]
        return f"{name} (crowd)" if annotation.iscrowd else name

    def licence(self, image: ImageRecord) -> str:
        """Return the SPDX-like identifier of a photo's licence."""
        return NO_LICENCE if image.license is None else self.licences[image.license].spdx


def read_instances(path: Path) -> Instances:
    """Read and check an annotation file; raises SourceError with all its problems."""
    return checked(path, read_json(path, InstancesFile))


def read_json(path: Path, model: type[Content]) -> Content:
    """Return a JSON file as `model`; raises SourceError with all that is of another form."""
    try:
        return model.model_validate(orjson.loads(path.read_bytes()))
    except OSError as error:
        raise SourceError([f"{path.name}: cannot be opened: {error.strerror}"]) from error
    except orjson.JSONDecodeError as error:
        raise SourceError([f"{path.name}: line {error.lineno}: not JSON: {error.msg}"]) from error
    except ValidationError as error:
        raise SourceError([f"{path.name}: {line}" for line in _structure(error)]) from error


def checked(path: Path, content: InstancesFile) -> Instances:
    """Return the content of the file `path`; raises SourceError with every id that repeats or is unknown."""
    found = [f"{path.name}: {line}" for check in (_repeats, _references) for line in check(content)]
    if found:
        raise SourceError(found)
    by_image: dict[int, list[Annotation]] = defaultdict(list)
    for annotation in content.annotations:
        by_image[annotation.image_id].append(annotation)
    return Instances(
        images={image.id: image for image in content.images},
        annotations={image.id: tuple(by_image[image.id]) for image in content.images},
        categories={category.id: category.name for category in content.categories},
        licences={licence.id: licence for licence in content.licenses},
    )


def _structure(error: ValidationError) -> Iterator[str]:
    for one in error.errors():
        where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in one["loc"])
        found = "no such field" if one["type"] == "missing" else f"found {one['input']!r:.80}"
        yield f"{where.lstrip('.') or 'file'}: {found}: {one['msg']}"


def _repeats(content: InstancesFile) -> Iterator[str]:
    tables: dict[str, Sequence[ImageRecord | Annotation | Category | Licence]] = {
        "images": content.images,
        "annotations": content.annotations,
        "categories": content.categories,
        "licenses": content.licenses,
    }
    for name, rows in tables.items():
        first: dict[int, int] = {}
        for index, row in enumerate(rows):
            if row.id in first:
                earlier = first[row.id]
                yield (
                    f"{name}: id {row.id} stands twice, in {name}[{earlier}]{_of_image(rows[earlier])} "
                    f"and {name}[{index}]{_of_image(row)}; allowed: each id once"
                )
            first.setdefault(row.id, index)


def _of_image(row: ImageRecord | Annotation | Category | Licence) -> str:
    return f" of image {row.image_id}" if isinstance(row, Annotation) else ""


def _references(content: InstancesFile) -> Iterator[str]:
    images = {image.id for image in content.images}
    categories = {category.id for category in content.categories}
    licences = {licence.id for licence in content.licenses}
    for image in content.images:
        if image.license is not None and image.license not in licences:
            yield f"image {image.id}: license: found {image.license}, allowed: an id of `licenses`"
    known = {"image_id": ("images", images), "category_id": ("categories", categories)}
    for annotation in content.annotations:
        for name, (table, ids) in known.items():
            found = getattr(annotation, name)
            if found not in ids:
                yield f"annotation {annotation.id}: {name}: found {found}, allowed: an id of `{table}`"

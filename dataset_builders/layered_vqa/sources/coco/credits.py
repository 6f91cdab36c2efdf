"""Licences and addresses of photos, from the two tables of a COCO-format file that tell them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pydantic import BaseModel

from dataset_builders.layered_vqa.sources.coco.annotations import (
    NO_LICENCE,
    ImageRecord,
    Licence,
    read_json,
)


@dataclass(frozen=True)
class Credit:
    """Licence of a photo (SPDX identifier) and whom to credit."""

    licence: str
    attribution: str


class _File(BaseModel):
    images: list[ImageRecord]
    licenses: list[Licence] = []


def read_credits(path: Path) -> Mapping[str, Credit]:
    """Return a photo's file name without folders and ending -> its credit; raises SourceError."""
    content = read_json(path, _File)
    licences = {licence.id: licence.spdx for licence in content.licenses}
    return {
        PurePosixPath(image.file_name).stem: Credit(
            NO_LICENCE if image.license is None else licences.get(image.license, NO_LICENCE),
            image.attribution,
        )
        for image in content.images
    }

"""Scenes of MuLAn, from its annotations joined with the photos, or from layers decomposed before."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import BeforeValidator, Field

from dataset_builders.layered_vqa.pictures import read_rgb, read_rgba
from dataset_builders.layered_vqa.questions import LayerKeys
from dataset_builders.layered_vqa.scene import Pixels, Scene, compose
from dataset_builders.layered_vqa.sources.coco.annotations import NO_LICENCE
from dataset_builders.layered_vqa.sources.coco.credits import Credit, read_credits
from dataset_builders.layered_vqa.sources.coco.photos import as_tuple
from dataset_builders.layered_vqa.sources.file_source import FileSource, Found
from dataset_builders.layered_vqa.sources.mulan.annotation import choose_caption, read_annotation
from dataset_builders.layered_vqa.sources.mulan.files import (
    Pair,
    find_decomposed,
    find_pairs,
    read_captions,
)
from dataset_builders.layered_vqa.sources.source import SourceError

LICENCE = "CC-BY-NC-SA-4.0"
"""Licence of MuLAn's annotations; the photo's own comes on top."""

_CREDIT = "MuLAn (Tudosiu et al., 2024), https://MuLAn-dataset.github.io"


@dataclass(frozen=True)
class MulanFiles:
    """The files of one scene: a pair, or decomposed layers, bottom first, with their captions."""

    scene_id: str
    pair: Pair | None = None
    layers: tuple[Path, ...] = ()
    captions: tuple[Mapping[str, str], ...] = ()


class MulanSource(FileSource[MulanFiles]):
    """MuLAn's layers: the background, then each instance from the lowest to the topmost.

    | field | what |
    |---|---|
    | `annotations` | folder of `ID.p.zl`, or of `ID-layer_K.png` with `meta_data.csv` |
    | `images` | folders of photos (train2017 and val2017), for `ID.p.zl` |
    | `pairing` | CSV of which photo goes with which annotation; without it, those of one name |
    | `base_licences` | COCO-format files that tell the licences of the photos |
    | `captioner` | whose captions are taken where there are several |
    | `questions` | question file; keys are layer numbers |
    | `unusable`, `max_side` | as in every source of files |
    """

    name: ClassVar[str] = "mulan"

    annotations: Path = Field(description="Folder of annotations (ID.p.zl) or of layers (ID-layer_K.png).")
    images: Annotated[tuple[Path, ...], BeforeValidator(as_tuple)] = Field(
        default=(),
        description="Folder of photos; may be given several times, the first that has a photo wins.",
    )
    pairing: Path | None = Field(
        default=None, description="CSV with the columns image, annotation; without it, names are matched."
    )
    base_licences: Annotated[tuple[Path, ...], BeforeValidator(as_tuple)] = Field(
        default=(),
        description="COCO-format file with the photos' licences; may be given several times.",
    )
    captioner: Literal["blip2", "llava"] = Field(
        default="blip2", description="Whose captions are taken; the other's where it has none."
    )

    @cached_property
    def _credits(self) -> Mapping[str, Credit]:
        return {
            stem: credit
            for path in reversed(self.base_licences)
            for stem, credit in read_credits(path).items()
        }

    def _find(self, wanted: frozenset[str] | None) -> Found[MulanFiles]:
        _ = self._credits  # faults of those files are told before the first scene
        decomposed, unusable = find_decomposed(self.annotations)
        if decomposed or unusable:
            captions = read_captions(self.annotations / "meta_data.csv")
            entries = {
                scene_id: MulanFiles(
                    scene_id, None, paths, tuple(captions.get(path.name, {}) for path in paths)
                )
                for scene_id, paths in decomposed.items()
            }
        else:
            pairs, unusable = find_pairs(self.annotations, self.images, self.pairing)
            entries = {scene_id: MulanFiles(scene_id, pair) for scene_id, pair in pairs.items()}
        if not entries and not unusable:
            raise SourceError(
                [f"{self.annotations}: found neither ID.p.zl nor ID-layer_K.png, at least one is needed"]
            )
        return Found(
            {one: files for one, files in entries.items() if wanted is None or one in wanted},
            {one: reason for one, reason in unusable.items() if wanted is None or one in wanted},
        )

    def _keys(self, entry: MulanFiles) -> LayerKeys:
        depth = len(read_annotation(entry.pair.annotation)) if entry.pair else len(entry.layers)
        return LayerKeys(depth, {str(index): index for index in range(depth)})

    def _scene(self, entry: MulanFiles) -> Scene:
        layers, captions, notes = _joined(entry.pair) if entry.pair else _decomposed(entry)
        stem = entry.pair.photo.stem if entry.pair else entry.scene_id
        credit = self._credits.get(stem, Credit(NO_LICENCE, stem))
        return Scene(
            scene_id=entry.scene_id,
            layers=layers,
            source=self.name,
            licence=f"{LICENCE} AND {credit.licence}",
            attribution=f"{_CREDIT}; photo: {credit.attribution}",
            captions=tuple(
                choose_caption(one, self.captioner, f"instance {index}" if index else "background")
                for index, one in enumerate(captions)
            ),
            notes=notes,
        )


_Parts = tuple[tuple[Pixels, ...], Sequence[Mapping[str, str]], tuple[str, ...]]
"""Layers, their captions by captioner, notes."""


def _decomposed(files: MulanFiles) -> _Parts:
    return tuple(read_rgba(path) for path in files.layers), files.captions, ()


def _joined(pair: Pair) -> _Parts:
    photo = read_rgb(pair.photo)
    annotation = read_annotation(pair.annotation)
    layers = tuple(one.layer(photo) for one in annotation)
    error = np.abs(compose(layers).astype(np.int16) - photo).max(axis=2)
    note = (
        f"the composite differs from the photo at {int((error > 0).sum())} of {error.size} pixels, "
        f"by at most {int(error.max())}/255"
    )
    return layers, [one.captions for one in annotation], (note,)

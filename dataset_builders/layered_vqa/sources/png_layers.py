"""Scenes from folders of PNG layers, one folder a scene."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from dataset_builders.layered_vqa.pictures import place, read_rgb, read_rgba
from dataset_builders.layered_vqa.questions import LayerKeys
from dataset_builders.layered_vqa.scene import Pixels, Scene, is_opaque, source_error, with_opaque_background
from dataset_builders.layered_vqa.sources.coco.annotations import NO_LICENCE
from dataset_builders.layered_vqa.sources.file_source import FileSource, Found
from dataset_builders.layered_vqa.sources.source import SourceError
from lvqa_eval.images.decoding import MAX_PIXELS

MERGED = "merged.png"
DESCRIPTION = "scene.yaml"

WHITE_BACKGROUND = "white-background"
"""Key in a question file of the layer that is added below a transparent bottom layer."""


class Description(BaseModel):
    """A scene's `scene.yaml`; every field may be left out.

    `layers` are paths below the scene's folder, bottom first; `captions` and `offsets` go with them one by
    one. An offset is x, y of a layer's upper left corner in pixels, also negative; `canvas` is width, height,
    by default those of the bottom layer.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    licence: str | None = Field(default=None, min_length=1)
    attribution: str | None = Field(default=None, min_length=1)
    layers: tuple[str, ...] | None = None
    captions: tuple[str, ...] | None = None
    offsets: tuple[tuple[int, int], ...] | None = None
    canvas: tuple[int, int] | None = None

    @field_validator("layers")
    @classmethod
    def _stay_inside(cls, names: tuple[str, ...] | None) -> tuple[str, ...] | None:
        for name in names or ():
            path = PurePosixPath(name)
            if not name or path.is_absolute() or ".." in path.parts:
                raise ValueError(f"found {name!r:.80}, allowed: paths below the scene's folder")
        return names

    @field_validator("canvas")
    @classmethod
    def _can_be_held(cls, canvas: tuple[int, int] | None) -> tuple[int, int] | None:
        if canvas and not (min(canvas) > 0 and canvas[0] * canvas[1] <= MAX_PIXELS):
            raise ValueError(f"found {list(canvas)}, allowed: 1 to {MAX_PIXELS} pixels in all")
        return canvas


@dataclass(frozen=True)
class LayerFolder:
    """A scene's folder, its layers from bottom to top, and what its description says."""

    path: Path
    names: tuple[str, ...]
    description: Description


class PngLayersSource(FileSource[LayerFolder]):
    """A folder with one folder a scene, which holds the layers as PNG files, bottom first by name.

    | field | what |
    |---|---|
    | `root` | the folder; `root/SCENE/*.png`, and maybe `merged.png` and `scene.yaml` there |
    | `licence`, `attribution` | for scenes whose `scene.yaml` tells none |
    | `questions` | question file; keys are file names without `.png`, and `white-background` |
    | `unusable`, `max_side` | as in every source of files |

    Names are sorted with their numbers as numbers. `merged.png` is the picture that the layers must make.
    """

    name: ClassVar[str] = "png-layers"

    root: Path = Field(description="Folder with one folder of PNG layers a scene.")
    licence: str = Field(
        default=NO_LICENCE, min_length=1, description="SPDX identifier, where scene.yaml tells none."
    )
    attribution: str = Field(
        default="not given", min_length=1, description="Whom to credit, where scene.yaml tells none."
    )

    def _find(self, wanted: frozenset[str] | None) -> Found[LayerFolder]:
        if not self.root.is_dir():
            raise SourceError([f"{self.root}: found no folder, allowed: a folder with one folder a scene"])
        entries, unusable = {}, {}
        folders = sorted((path for path in self.root.iterdir() if path.is_dir()), key=_natural)
        for folder in folders:
            if wanted is not None and folder.name not in wanted:
                continue
            try:
                entries[folder.name] = _read_folder(folder)
            except ValueError as error:
                unusable[folder.name] = str(error)
        if not folders:
            raise SourceError([f"{self.root}: found no folder in it, allowed: one folder a scene"])
        return Found(entries, unusable)

    def _keys(self, entry: LayerFolder) -> LayerKeys:
        keys = [str(PurePosixPath(name).with_suffix("")) for name in entry.names]
        if not is_opaque(_layers(entry, most=1)[0]):
            keys.insert(0, WHITE_BACKGROUND)
        repeated = sorted({key for key in keys if keys.count(key) > 1})
        if repeated:
            raise ValueError(f"layers: found the key {repeated[0]} for more than one, allowed: each once")
        return LayerKeys(len(keys), {key: index for index, key in enumerate(keys)})

    def _scene(self, entry: LayerFolder) -> Scene:
        told = entry.description
        scene = Scene(
            scene_id=entry.path.name,
            layers=_layers(entry),
            source=self.name,
            licence=told.licence or self.licence,
            attribution=told.attribution or self.attribution,
            captions=told.captions or tuple(PurePosixPath(name).stem for name in entry.names),
        )
        scene = with_opaque_background(scene)
        merged = entry.path / MERGED
        if not merged.is_file():
            return scene
        error = source_error(scene, read_rgb(merged))
        return replace(
            scene, notes=(*scene.notes, f"largest error of the composite against {MERGED}: {error}/255")
        )


def _read_folder(folder: Path) -> LayerFolder:
    path = folder / DESCRIPTION
    description = _read_description(path) if path.is_file() else Description()
    names = description.layers
    if names is None:
        files = sorted((one for one in folder.iterdir() if one.suffix.lower() == ".png"), key=_natural)
        names = tuple(one.name for one in files if one.name != MERGED)
    if not names:
        raise ValueError("found no PNG layer, at least 1 is needed")
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(f"{DESCRIPTION}: layers: found {repeated[0]} more than once, allowed: each once")
    for field in ("captions", "offsets"):
        values = getattr(description, field)
        if values is not None and len(values) != len(names):
            raise ValueError(
                f"{DESCRIPTION}: {field}: found {len(values)}, one a layer ({len(names)}) is needed"
            )
    return LayerFolder(folder, names, description)


def _layers(folder: LayerFolder, most: int | None = None) -> tuple[Pixels, ...]:
    """Read the `most` lowest layers, or all; raises ValueError where sizes differ without offsets."""
    layers = [read_rgba(folder.path / name) for name in folder.names[:most]]
    told = folder.description
    sizes = [(layer.shape[1], layer.shape[0]) for layer in layers]
    canvas = told.canvas or sizes[0]
    if told.offsets is None:
        odd = [
            f"{name} is {width}x{height}"
            for name, (width, height) in zip(folder.names, sizes, strict=False)
            if (width, height) != canvas
        ]
        if odd:
            raise ValueError(
                f"sizes: found {', '.join(odd)}, the canvas is {canvas[0]}x{canvas[1]}; "
                f"allowed: one size, or offsets in {DESCRIPTION}"
            )
        return tuple(layers)
    return tuple(place(layer, offset, canvas) for layer, offset in zip(layers, told.offsets, strict=False))


def _read_description(path: Path) -> Description:
    try:
        text = path.read_text(encoding="utf-8")
        # An alias can stand inside its own anchor, or grow a short file without end.
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, yaml.BaseLoader)):
            raise ValueError(f"{path.name}: found an alias, allowed: no aliases")
        values: Any = yaml.load(text, yaml.BaseLoader)
        return Description.model_validate({} if values in (None, "") else values)
    except OSError as error:
        raise ValueError(f"{path.name}: cannot be opened: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"{path.name}: byte {error.start}: not UTF-8") from error
    except yaml.YAMLError as error:
        raise ValueError(f"{path.name}: not YAML: {' '.join(str(error).split())}") from error
    except ValidationError as error:
        raise ValueError("; ".join(f"{path.name}: {_told(one)}" for one in error.errors())) from error


def _told(error: Mapping[str, Any]) -> str:
    where = ".".join(map(str, error["loc"])) or "file"
    if error["type"] == "extra_forbidden":
        return f"{where}: found an unknown field, allowed: {', '.join(Description.model_fields)}"
    if error["type"] == "value_error":
        return f"{where}: {error['ctx']['error']}"
    return f"{where}: found {error['input']!r:.80}, allowed: {error['msg'].removeprefix('Input should be ')}"


def _natural(path: Path) -> tuple[list[tuple[int, str]], str]:
    """Order by numbers as numbers: layer-2 before layer-10; by text where those are equal."""
    parts = re.split(r"(\d+)", path.name)
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts], path.name

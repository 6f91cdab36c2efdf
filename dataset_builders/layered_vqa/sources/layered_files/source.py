"""What OpenRaster and Photoshop files have in common as sources of scenes."""

import re
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, ClassVar, NamedTuple

from pydantic import BeforeValidator, Field

from dataset_builders.layered_vqa.questions import LayerKeys
from dataset_builders.layered_vqa.scene import Scene, source_error, with_opaque_background
from dataset_builders.layered_vqa.sources.coco.annotations import NO_LICENCE
from dataset_builders.layered_vqa.sources.coco.photos import as_tuple
from dataset_builders.layered_vqa.sources.file_source import FileSource, Found
from dataset_builders.layered_vqa.sources.layered_files.stack import (
    MAX_STACK_PIXELS,
    LayeredFile,
    LayeredFileError,
    Stack,
    flatten,
    merge_smallest,
)
from dataset_builders.layered_vqa.sources.source import SourceError


class SceneFile(NamedTuple):
    """The file of one scene."""

    scene_id: str
    path: Path


class LayeredFileSource(FileSource[SceneFile]):
    """One scene a file; its visible layers are the scene's layers, named as in the file.

    Scene ids are file names without their ending, with every run of other characters than letters, digits,
    `_`, `.` and `-` made one `-`. A folder's files come by name.

    | field | what |
    |---|---|
    | `files` | files, or folders of them |
    | `licence`, `attribution` | of all of them; the files themselves do not tell |
    | `max_layers` | most layers of a scene; the smallest neighbours are merged |
    | `questions` | question file; keys are layer numbers, and names that one layer alone has |
    | `unusable`, `max_side` | as in every source of files |
    """

    suffixes: ClassVar[tuple[str, ...]]

    files: Annotated[tuple[Path, ...], BeforeValidator(as_tuple)] = Field(
        min_length=1, description="A file, or a folder of them; may be given several times."
    )
    licence: str = Field(
        default=NO_LICENCE, min_length=1, description="Licence of the pictures, an SPDX identifier."
    )
    attribution: str = Field(default=NO_LICENCE, min_length=1, description="Whom to credit for them.")
    max_layers: int | None = Field(
        default=None,
        ge=2,
        description="Most layers of a scene, layer 0 included; the smallest neighbours are merged.",
    )

    @abstractmethod
    def open_file(self, path: Path) -> LayeredFile:
        """Read one file; raises LayeredFileError or OSError."""

    def _find(self, wanted: frozenset[str] | None) -> Found[SceneFile]:
        """Return the files by scene id; raises SourceError with every name that gives no id of its own."""
        found: dict[str, SceneFile] = {}
        paths, problems = self._paths()
        for path in paths:
            scene = re.sub(r"[^A-Za-z0-9_.-]+", "-", path.stem).strip("-._")
            # Some file systems take names that differ in case alone for the same.
            first = found.setdefault(scene.lower(), SceneFile(scene, path))
            if not scene:
                problems.append(f"files: {path.name}: found no Latin letter or digit, allowed: one or more")
            elif first.path is not path:
                problems.append(f"files: {first.path} and {path}: found the scene id {scene} for both")
        if problems:
            raise SourceError(problems)
        every = {one.scene_id: one for one in found.values()}
        return Found({name: one for name, one in every.items() if wanted is None or name in wanted}, {})

    def _paths(self) -> tuple[list[Path], list[str]]:
        """Return the files, and what is wrong with those given."""
        found: list[Path] = []
        problems = []
        for given in self.files:
            inside = sorted(given.iterdir()) if given.is_dir() else [given]
            usable = [path for path in inside if path.suffix.lower() in self.suffixes and path.is_file()]
            if not usable:
                what = f"the ending {given.suffix!r}" if given.is_file() else "no such file there"
                problems.append(f"files: {given}: found {what}, allowed: {', '.join(self.suffixes)}")
            found += usable
        return found, problems

    def _keys(self, entry: SceneFile) -> LayerKeys:
        with _named(entry.path):
            stack = self._stack(self.open_file(entry.path))
        added = stack.depth - len(stack.layers)
        names = {name: layer + added for name, layer in stack.layer_of().items()}
        # Written last: a number means a layer by its number, whatever another layer is called.
        return LayerKeys(stack.depth, names | {str(layer): layer for layer in range(stack.depth)})

    def _scene(self, entry: SceneFile) -> Scene:
        with _named(entry.path):
            file = self.open_file(entry.path)
            stack = self._stack(file)
            box = (0, 0, file.width, file.height)
            scene = with_opaque_background(
                Scene(
                    scene_id=entry.scene_id,
                    layers=tuple(layer.patch.spread(box) for layer in stack.layers),
                    source=self.name,
                    licence=self.licence,
                    attribution=self.attribution,
                    captions=tuple(layer.caption for layer in stack.layers),
                    notes=(*file.notes, *stack.notes),
                )
            )
            return replace(scene, notes=(*scene.notes, *_compared(scene, file)))

    def _stack(self, file: LayeredFile) -> Stack:
        """Return the layers of a scene, without the white one that a transparent bottom gets."""
        stack = flatten(file)
        if self.max_layers is not None:
            stack = merge_smallest(stack, self.max_layers)
        if not stack.layers or stack.depth < 2:
            found = len(stack.layers)
            raise LayeredFileError(f"layers: found {found} with a visible pixel, at least 2 are needed")
        pixels = len(stack.layers) * stack.width * stack.height
        if pixels > MAX_STACK_PIXELS:
            raise LayeredFileError(
                f"layers: found {len(stack.layers)} of {stack.width}x{stack.height} ({pixels} pixels), "
                f"at most {MAX_STACK_PIXELS} pixels are allowed; a smaller max_layers merges some"
            )
        return stack


def _compared(scene: Scene, file: LayeredFile) -> tuple[str, ...]:
    """Compare with the file's own picture; raises LayeredFileError where it is another."""
    features = "; ".join(file.not_drawn)
    if file.merged is None:
        if features:
            raise LayeredFileError(f"no merged picture to show that these change nothing: {features}")
        return ("no merged picture in the file to compare the composite with",)
    try:
        error = source_error(scene, file.merged)
    except ValueError as wrong:
        reason = str(wrong).removeprefix(f"scene {scene.scene_id}: ")
        raise LayeredFileError(f"{reason}; not drawn: {features or 'nothing that is known'}") from wrong
    notes = [f"largest error of the composite against the merged picture: {error}/255"]
    if features:
        notes.append(f"not drawn, without a visible difference: {features}")
    return tuple(notes)


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Put the file's name before what is wrong with it."""
    try:
        yield
    except LayeredFileError as error:
        raise LayeredFileError(f"{path.name}: {error}") from error
    except OSError as error:
        raise LayeredFileError(f"{path.name}: cannot be read: {error.strerror or error}") from error

"""Scenes from OpenRaster files."""

from pathlib import Path
from typing import ClassVar

from dataset_builders.layered_vqa.pictures import WHITE
from dataset_builders.layered_vqa.scene import Pixels, compose
from dataset_builders.layered_vqa.sources.layered_files.patch import Cover, Patch
from dataset_builders.layered_vqa.sources.layered_files.source import LayeredFileSource
from dataset_builders.layered_vqa.sources.layered_files.stack import (
    Group,
    LayeredFile,
    LayeredFileError,
    Leaf,
    Node,
    PixelBudget,
)
from dataset_builders.layered_vqa.sources.openraster.archive import Archive
from dataset_builders.layered_vqa.sources.openraster.stack_xml import GroupEntry, LayerEntry, parse_stack

MERGED = "mergedimage.png"


class OpenRasterSource(LayeredFileSource):
    """OpenRaster files (`.ora`): layers and groups drawn by plain source-over.

    Hidden layers and groups are left out; another composite-op in a visible one is refused by its name. The
    composite is compared with the file's mergedimage.png where there is one.
    """

    name: ClassVar[str] = "openraster"
    suffixes: ClassVar[tuple[str, ...]] = (".ora",)

    def open_file(self, path: Path) -> LayeredFile:
        """Read one `.ora`."""
        with Archive(path) as archive:
            stack = parse_stack(archive.read_xml("stack.xml"))
            box = (0, 0, stack.width, stack.height)
            root = _node(stack.root, archive, box, PixelBudget())
            merged = _over_white(archive.read_png(MERGED)) if MERGED in archive else None
        if merged is not None and merged.shape[:2] != (stack.height, stack.width):
            raise LayeredFileError(
                f"{MERGED}: found {merged.shape[1]}x{merged.shape[0]}, "
                f"the canvas is {stack.width}x{stack.height}"
            )
        return LayeredFile(stack.width, stack.height, (root,), merged, notes=stack.hidden)


def _node(
    entry: LayerEntry | GroupEntry, archive: Archive, box: tuple[int, int, int, int], budget: PixelBudget
) -> Node:
    cover = Cover(entry.opacity)
    if isinstance(entry, GroupEntry):
        return Group(entry.name, tuple(_node(one, archive, box, budget) for one in entry.members), cover)
    patch = Patch(archive.read_png(entry.src), entry.x, entry.y).cut(box)
    return Leaf(entry.name, budget.take(patch), cover)


def _over_white(pixels: Pixels) -> Pixels:
    ground = pixels.copy()
    ground[:] = (*WHITE, 255)
    return compose([ground, pixels])

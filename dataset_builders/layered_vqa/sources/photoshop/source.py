"""Scenes from Photoshop files."""

from pathlib import Path
from typing import ClassVar

from dataset_builders.layered_vqa.sources.layered_files.source import LayeredFileSource
from dataset_builders.layered_vqa.sources.layered_files.stack import LayeredFile
from dataset_builders.layered_vqa.sources.photoshop.document import check_header, foreign_profile, opened
from dataset_builders.layered_vqa.sources.photoshop.tree import Tree, merged_picture


class PhotoshopSource(LayeredFileSource):
    """Photoshop files (`.psd`, `.psb`), RGB or greyscale with 8 or 16 bits a channel, read by psd-tools.

    Drawn are pixels, opacity, fill opacity, masks, groups and clipping, by plain source-over. Blend modes,
    effects, adjustments and the like are not: a file where they change the picture is refused, because the
    composite is compared with the merged picture that Photoshop stores. Pixels are taken as stored; a colour
    profile other than sRGB is noted and not applied.
    """

    name: ClassVar[str] = "photoshop"
    suffixes: ClassVar[tuple[str, ...]] = (".psd", ".psb")

    def open_file(self, path: Path) -> LayeredFile:
        """Read one `.psd` or `.psb`."""
        check_header(path)
        with opened(path) as document:
            tree = Tree(document)
            profile = foreign_profile(document)
            notes = [f"colour profile not applied: {profile}"] if profile else []
            return LayeredFile(
                width=document.width,
                height=document.height,
                members=tree.members,
                merged=merged_picture(document),
                notes=(*notes, *tree.hidden),
                not_drawn=tuple(tree.not_drawn),
            )

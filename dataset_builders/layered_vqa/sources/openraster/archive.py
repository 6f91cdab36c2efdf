"""The zip archive of an OpenRaster file, read within limits."""

import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Self

import numpy as np
from PIL.PngImagePlugin import PngImageFile

from dataset_builders.layered_vqa.scene import Pixels
from dataset_builders.layered_vqa.sources.layered_files.stack import LayeredFileError
from lvqa_eval.images.decoding import MAX_PIXELS

MAX_MEMBER_BYTES = 2**28
"""Largest member that is unpacked; a quarter of a GiB."""

MAX_ARCHIVE_BYTES = 2**30
"""Most bytes that are unpacked from one archive."""

MAX_XML_BYTES = 2**20
"""Largest stack.xml that is unpacked."""

_BROKEN_ZIP = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError, RuntimeError)
# What Pillow raises on bytes that only look like a PNG.
_BROKEN_PNG = (OSError, SyntaxError, ValueError, IndexError, TypeError, KeyError, struct.error, zlib.error)


class Archive:
    """An open OpenRaster file; raises LayeredFileError for whatever cannot be used."""

    def __init__(self, path: Path) -> None:
        try:
            self._zip = zipfile.ZipFile(path)
        except (*_BROKEN_ZIP, ValueError) as error:
            raise LayeredFileError(f"no zip archive: {error}") from error
        self._left = MAX_ARCHIVE_BYTES

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def __contains__(self, name: str) -> bool:
        return name in self._zip.NameToInfo

    def read_xml(self, name: str) -> bytes:
        """Return a small member whole."""
        with self._opened(name, MAX_XML_BYTES) as stream:
            return stream.read()

    def read_png(self, name: str) -> Pixels:
        """Return a member that is a PNG as h x w x 4 uint8; its size is judged by its header."""
        with self._opened(name, MAX_MEMBER_BYTES) as stream:
            try:
                # Not `Image.open`: that judges the size by a limit of the whole process, and names no size.
                image = PngImageFile(stream)
                size = image.width * image.height
                if size <= MAX_PIXELS:
                    return _rgba(image)
            except _BROKEN_PNG as error:
                raise LayeredFileError(f"{name}: broken PNG: {error}") from error
        found = f"{image.width}x{image.height} ({size} pixels)"
        raise LayeredFileError(f"{name}: size: found {found}, at most {MAX_PIXELS} pixels are decoded")

    @contextmanager
    def _opened(self, name: str, most: int) -> Iterator[IO[bytes]]:
        if name not in self:
            raise LayeredFileError(f"{name}: found no such member, it is needed")
        member = self._zip.NameToInfo[name]
        # A member is never unpacked beyond the size stated here, so the statement can be judged.
        if member.file_size > min(most, self._left):
            raise LayeredFileError(
                f"{name}: found {member.file_size} bytes unpacked, allowed: {most} for such a member "
                f"and {MAX_ARCHIVE_BYTES} for a file"
            )
        self._left -= member.file_size
        try:
            with self._zip.open(member) as stream:
                yield stream
        except _BROKEN_ZIP as error:
            raise LayeredFileError(f"{name}: broken in the archive: {error}") from error


def _rgba(image: PngImageFile) -> Pixels:
    image.load()
    if image.mode.startswith("I"):
        # 16-bit grey, rounded to the nearest: 65535 = 255 * 257.
        grey = ((np.asarray(image).astype(np.uint32) * 2 + 257) // 514).astype(np.uint8)
        return np.dstack([grey, grey, grey, np.full_like(grey, 255)])
    return np.array(image.convert("RGBA"))

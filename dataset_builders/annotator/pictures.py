"""Pictures of a work folder by their content: `pictures/<sha256>.png`."""

import hashlib
import io
import os
import shutil
from pathlib import Path
from typing import Final

from dataset_builders.layered_vqa.scene import Pixels
from lvqa_eval.errors import LvqaError
from lvqa_eval.files import write_whole

FOLDER: Final = "pictures"


class PictureChangedError(LvqaError, ValueError):
    """A picture that is not the one that its record names."""


def url_of(sha256: str) -> str:
    """Return the address of a picture in the app."""
    return f"/{FOLDER}/{sha256}.png"


def path_of(work: Path, sha256: str) -> Path:
    """Return where a picture lies."""
    return work / FOLDER / f"{sha256}.png"


def keep(work: Path, png: bytes) -> str:
    """Keep a PNG file and return its SHA-256."""
    sha256 = hashlib.sha256(png).hexdigest()
    path = path_of(work, sha256)
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, png)
    return sha256


def keep_pixels(work: Path, pixels: Pixels) -> str:
    """Keep RGB or RGBA pixels as PNG and return the SHA-256 of the file."""
    from PIL import Image

    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, format="PNG")
    return keep(work, stream.getvalue())


def keep_file(work: Path, source: Path, sha256: str) -> None:
    """Keep a PNG file of known SHA-256, without a second copy where the file system can link.

    Raises PictureChangedError where the file is another one, or gone.
    """
    path = path_of(work, sha256)
    if path.is_file():
        return
    try:
        with source.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise PictureChangedError(f"{source}: cannot be read: {error.strerror}") from error
    if found != sha256:
        raise PictureChangedError(
            f"{source}: changed: found sha256 {found[:16]}, its record has {sha256[:16]}"
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.new")
    fresh.unlink(missing_ok=True)
    try:
        os.link(source, fresh)
    except OSError:
        shutil.copyfile(source, fresh)
    fresh.replace(path)

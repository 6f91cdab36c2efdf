"""The start of a Photoshop file, and opening the rest with psd-tools."""

import io
import struct
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from dataset_builders.layered_vqa.sources.layered_files.stack import LayeredFileError
from lvqa_eval.images.decoding import MAX_PIXELS

if TYPE_CHECKING:
    from psd_tools import PSDImage

# Signature, version, (six bytes), channels, height, width, bits a channel, colour mode.
_HEADER = struct.Struct(">4sH6xHIIHH")
_MODES = {
    0: "bitmap",
    1: "greyscale",
    2: "indexed",
    3: "RGB",
    4: "CMYK",
    7: "multichannel",
    8: "duotone",
    9: "Lab",
}
_ALLOWED_MODES = ("greyscale", "RGB")
_ALLOWED_BITS = (8, 16)


def check_header(path: Path) -> None:
    """Judge size, colour mode and depth by the first 26 bytes; raises LayeredFileError.

    Other modes blend in their own colours: CMYK layers turned to RGB one by one do not make the picture.
    Channels of 32 bits hold linear light beyond white.
    """
    with path.open("rb") as stream:
        start = stream.read(_HEADER.size)
    if len(start) < _HEADER.size or not start.startswith(b"8BPS"):
        raise LayeredFileError(
            f"no Photoshop file: starts with {start[:8]!r}, allowed: b'8BPS' and 22 bytes more"
        )
    _, _, _, height, width, bits, number = _HEADER.unpack(start)
    mode = _MODES.get(number, str(number))
    problems = []
    if width * height > MAX_PIXELS:
        found = f"{width}x{height} ({width * height} pixels)"
        problems.append(f"size: found {found}, at most {MAX_PIXELS} pixels are decoded")
    if mode not in _ALLOWED_MODES:
        problems.append(f"colour mode: found {mode}, allowed: {', '.join(_ALLOWED_MODES)}")
    if bits not in _ALLOWED_BITS:
        problems.append(f"bits a channel: found {bits}, allowed: {', '.join(map(str, _ALLOWED_BITS))}")
    if problems:
        raise LayeredFileError(*problems)


@contextmanager
def opened(path: Path) -> "Iterator[PSDImage]":
    """Yield the document of a checked file; what psd-tools stumbles over becomes a LayeredFileError."""
    from psd_tools import PSDImage
    from psd_tools.compression import PSDDecompressionWarning

    with warnings.catch_warnings():
        # A channel that does not unpack would be black otherwise.
        warnings.simplefilter("error", PSDDecompressionWarning)
        try:
            yield PSDImage.open(path)
        except (LayeredFileError, OSError):
            raise
        except Exception as error:
            # Its parsers check little by themselves, so that broken bytes show as errors of any kind.
            raise LayeredFileError(f"broken Photoshop file: {type(error).__name__}: {error}") from error


def foreign_profile(document: "PSDImage") -> str:
    """Return the name of the document's colour profile where it is another than sRGB; else nothing."""
    from PIL import ImageCms
    from psd_tools.constants import Resource

    profile = document.image_resources.get_data(Resource.ICC_PROFILE)
    if not profile:
        return ""
    try:
        name = ImageCms.getProfileDescription(ImageCms.ImageCmsProfile(io.BytesIO(profile))).strip()
    except (OSError, ImageCms.PyCMSError):
        name = "unreadable"
    return "" if name.startswith("sRGB") else name

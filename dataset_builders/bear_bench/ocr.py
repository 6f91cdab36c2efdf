"""Read a page's picture with Tesseract, Russian and English at once."""

import hashlib
import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lvqa_eval.errors import LvqaError

if TYPE_CHECKING:
    from PIL.Image import Image

LANGUAGES = ("rus", "eng")
"""Both always: with Russian alone, English words come out in Cyrillic letters."""

OCR_DPI = 150

_SAUVOLA = "2"
"""Black is told from white by what is around: with one limit for the page, text on grey boxes is lost."""

_DEBIAN = "/usr/share/tesseract-ocr"


class NoLanguageDataError(LvqaError, RuntimeError):
    """Tesseract's data for Russian or English is not on this machine."""


@cache
def language_data() -> Path:
    """Return the folder with Tesseract's data: TESSDATA_PREFIX, or where Debian puts it, the newest first."""
    named = os.environ.get("TESSDATA_PREFIX")
    if named:
        folders = [Path(named), Path(named) / "tessdata"]
    else:
        folders = sorted(Path(_DEBIAN).glob("*/tessdata"), reverse=True)
    for folder in folders:
        if all((folder / f"{language}.traineddata").is_file() for language in LANGUAGES):
            return folder
    where = " or ".join(map(str, folders)) or _DEBIAN
    raise NoLanguageDataError(
        f"Tesseract's data for Russian and English is not in {where}; on Debian: "
        "apt-get install tesseract-ocr-eng tesseract-ocr-rus; elsewhere set TESSDATA_PREFIX to its folder"
    )


@cache
def engine() -> str:
    """Return what the result depends on beside the picture: Tesseract's version, a digest of its data."""
    import tesserocr

    digest = hashlib.sha256()
    for language in LANGUAGES:
        digest.update((language_data() / f"{language}.traineddata").read_bytes())
    return f"{tesserocr.PyTessBaseAPI.Version()} {digest.hexdigest()[:12]}"


def read_picture(picture: "Image", dpi: float = OCR_DPI) -> str:
    """Return the text of a picture; its lines end with "\\n".

    Each process reads with one core where OMP_THREAD_LIMIT is 1, as `processes.in_processes` sets it.
    """
    reader = _reader()
    reader.SetImage(picture.convert("L"))
    reader.SetSourceResolution(round(dpi))
    return str(reader.GetUTF8Text())


@cache
def _reader() -> Any:
    import tesserocr

    tesserocr.set_leptonica_log_level(tesserocr.LeptLogLevel.NONE)  # it complains of its own boxes
    return tesserocr.PyTessBaseAPI(
        path=str(language_data()),
        lang="+".join(LANGUAGES),
        psm=tesserocr.PSM.AUTO,
        oem=tesserocr.OEM.LSTM_ONLY,
        variables={"thresholding_method": _SAUVOLA},
    )

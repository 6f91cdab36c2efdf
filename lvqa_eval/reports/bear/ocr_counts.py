"""The file of OCR characters by benchmark: `lvqa build bear compare` writes it, Table 1 is made from it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from lvqa_eval.errors import LvqaError
from lvqa_eval.files import write_whole


class OcrCountsError(LvqaError, ValueError):
    """A file of counts that cannot be read."""


@dataclass(frozen=True)
class OcrCount:
    """The images of one benchmark that were counted.

    - `place`, `column`: where they are from. `images`: how many there are.
    - `seed`: that of the sample; `drawn`: the places of its images, from 0, in their order.
    - `characters`: of each image that could be read, white space left out; `failed`: place -> why not.
    - `reader`: the OCR engine with its version and the digest of its data.
    """

    place: str
    column: str
    images: int
    seed: int
    drawn: tuple[int, ...]
    characters: tuple[int, ...]
    failed: dict[int, str]
    reader: str


def read_ocr_counts(path: Path) -> dict[str, OcrCount]:
    """Return the counts by benchmark; OcrCountsError for a file that holds none."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, OcrCount])
    except OSError as error:
        raise OcrCountsError(f"{path}: cannot be read: {error.strerror}") from error
    except msgspec.DecodeError as error:
        raise OcrCountsError(f"{path}: {error}; `lvqa build bear compare` writes such a file") from error


def write_ocr_counts(path: Path, counts: Mapping[str, OcrCount]) -> None:
    """Write the counts as JSON."""
    written = msgspec.json.format(msgspec.json.encode(dict(counts)), indent=1)
    write_whole(path, written + b"\n")


def characters_by_benchmark(counts: Mapping[str, OcrCount]) -> dict[str, tuple[int, ...]]:
    """Return what `PageInputs.ocr` holds."""
    return {name: one.characters for name, one in counts.items()}

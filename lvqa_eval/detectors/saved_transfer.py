"""How probes carry over between the models of several runs: one file, the same in each of these runs."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec
import orjson

from lvqa_eval.detectors.saved import FOLDER, DetectionsError
from lvqa_eval.detectors.transfer import TransferMatrix
from lvqa_eval.files import write_whole
from lvqa_eval.runs.store import RunStore

TRANSFER: Final = "transfer.json"


def save_transfer(stores: Iterable[RunStore], matrix: TransferMatrix) -> tuple[Path, ...]:
    """Write `detections/transfer.json` of each run, in place of an earlier one; return the paths."""
    content = orjson.dumps(matrix, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    paths = tuple(store.folder / FOLDER / TRANSFER for store in stores)
    for path in paths:
        path.parent.mkdir(exist_ok=True)
        write_whole(path, content)
    return paths


def read_transfer(store: RunStore) -> TransferMatrix | None:
    """Return what a run holds of it, None without; raises DetectionsError for a file that holds none."""
    path = store.folder / FOLDER / TRANSFER
    if not path.is_file():
        return None
    try:
        return msgspec.json.decode(path.read_bytes(), type=TransferMatrix)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise DetectionsError(f"{path}: no transfers: {error}; make them anew: lvqa detect") from error

"""Detections in a run folder: the record that reports read, and the score of every answer beside it."""

import csv
import io
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
import orjson

from lvqa_eval.detectors.detect import Detected
from lvqa_eval.detectors.detections import TargetDetections
from lvqa_eval.errors import LvqaError
from lvqa_eval.files import write_whole
from lvqa_eval.runs.store import RunStore

FOLDER: Final = "detections"
COLUMNS: Final = ("judge", "question_id", "run", "cluster", "words", "fold", "incorrect")
"""What stands before the scores, of which there is a column for each detector@source; folds from 1."""


class DetectionsError(LvqaError, ValueError):
    """A file of detections that cannot be read."""


def save_detections(store: RunStore, target: TargetDetections) -> Path:
    """Write `detections/<condition>.json` of a run, in place of an earlier one; return its path."""
    path = _path(store, target.condition, ".json")
    path.parent.mkdir(exist_ok=True)
    options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    write_whole(path, orjson.dumps(target, option=options))
    return path


def save_scores(store: RunStore, detected: Detected) -> Path:
    """Write `detections/<condition>.csv`: the score of every answer from what was fitted on other folds.

    A row an answer, in the order of questions and repetitions; an answer without a score has an empty cell.
    Scores of a fitted detector are comparable inside a fold alone. Returns the path.
    """
    path = _path(store, detected.target.condition, ".csv")
    path.parent.mkdir(exist_ok=True)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*COLUMNS, *detected.scores])
    for place, answer in enumerate(detected.answers.items):
        scores = [float(values[place]) for values in detected.scores.values()]
        writer.writerow(
            [
                detected.target.judge,
                answer.key.question_id,
                answer.key.run,
                answer.question.cluster,
                int(detected.answers.words[place]),
                int(detected.folds.of[place]) + 1,
                int(answer.incorrect),
                *("" if np.isnan(score) else repr(score) for score in scores),
            ]
        )
    write_whole(path, text.getvalue())
    return path


def read_detections(store: RunStore) -> dict[str, TargetDetections]:
    """Return the detections of a run by condition, in the order of its plan; empty where none were made.

    Raises DetectionsError for a file that holds none.
    """
    paths = {name: _path(store, name, ".json") for name in store.identity.settings.get("conditions", ())}
    return {condition: _read(path) for condition, path in paths.items() if path.is_file()}


def _read(path: Path) -> TargetDetections:
    try:
        return msgspec.json.decode(path.read_bytes(), type=TargetDetections)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise DetectionsError(f"{path}: no detections: {error}; make them anew: lvqa detect") from error


def _path(store: RunStore, condition: str, suffix: str) -> Path:
    return store.folder / FOLDER / f"{condition}{suffix}"

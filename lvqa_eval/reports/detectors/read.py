"""From the folders of runs to what they hold of detectors."""

import csv
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from lvqa_eval.detectors.detections import TargetDetections
from lvqa_eval.detectors.saved import COLUMNS, FOLDER, DetectionsError, read_detections
from lvqa_eval.detectors.saved_transfer import read_transfer
from lvqa_eval.reports.detectors.detected import ScoredAnswers, Scorer, Target, Targets
from lvqa_eval.runs.store import RunStore


def read_targets(stores: Mapping[str, RunStore]) -> Targets | None:
    """Return the targets of runs, by the names of their models; None where no run has any.

    Raises DetectionsError for a file that holds no detections.
    """
    found = {name: _targets(name, store) for name, store in stores.items()}
    targets = [one for of_run in found.values() for one in of_run]
    if not targets:
        return None
    if len({one.found.condition for one in targets}) > 1:
        targets = [replace(one, name=f"{one.name}, {one.found.condition}") for one in targets]
    return Targets(
        tuple(sorted(targets, key=lambda one: one.found.words[1])),
        tuple(name for name, of_run in found.items() if not of_run),
        next((one for one in map(read_transfer, stores.values()) if one is not None), None),
    )


def read_scored_answers(path: Path, found: TargetDetections) -> ScoredAnswers | None:
    """Return every answer with its scores out of fold; None where the file is not there.

    Raises DetectionsError for a file that is not the table beside `found`.
    """
    if not path.is_file():
        return None
    with path.open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    named = [name for name in head if name not in COLUMNS]
    if head != [*COLUMNS, *named] or len(rows) != found.answers:
        raise DetectionsError(
            f"{path}: found {len(rows)} answers under {', '.join(head[: len(COLUMNS)])}, needed "
            f"{found.answers} under {', '.join(COLUMNS)}; make it anew: lvqa detect"
        )
    columns = dict(zip(head, zip(*rows, strict=True), strict=True))
    clusters = {name: place for place, name in enumerate(sorted(set(columns["cluster"])))}
    return ScoredAnswers(
        cluster_of=np.array([clusters[one] for one in columns["cluster"]], dtype=np.intp),
        words=np.array(columns["words"], dtype=np.float64),
        fold=np.array(columns["fold"], dtype=np.intp) - 1,
        incorrect=np.array(columns["incorrect"]) == "1",
        scores={
            Scorer(*name.split("@", 1)): np.array([one or "nan" for one in columns[name]], dtype=np.float64)
            for name in named
        },
    )


def _targets(name: str, store: RunStore) -> list[Target]:
    folder = store.folder / FOLDER
    if not folder.is_dir():
        return []
    return [
        Target(name, found, read_scored_answers(folder / f"{condition}.csv", found))
        for condition, found in read_detections(store).items()
    ]

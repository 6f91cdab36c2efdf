"""Features of a run as signals: the answers in the order in which detectors have them."""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np

from lvqa_eval.detectors.answers import Answers
from lvqa_eval.detectors.features.columns import StoredRow, from_table
from lvqa_eval.detectors.features.errors import FeaturesError
from lvqa_eval.detectors.features.store import FEATURES, IDENTITY, FeatureStore
from lvqa_eval.detectors.signals import NATIVE, PatchSignals, Signals, TokenSignals


def feature_folders(run_folder: Path) -> list[Path]:
    """Return the folders of features of a run, sorted by name."""
    return sorted(path.parent for path in (run_folder / FEATURES).glob(f"*/{IDENTITY}"))


def read_features(folder: Path, answers: Answers) -> Signals:
    """Return the features in `folder` of `answers`, in their order.

    An answer that was not read, or with other words than it has now, has none: None, and rows of NaN. The
    source is `NATIVE` where the answering model itself was the reader, else the folder's name. Raises
    FeaturesError for a folder or a part that cannot be read.
    """
    store = FeatureStore.open(folder)
    wanted = {(answer.key, text_sha256(answer.reply)): place for place, answer in enumerate(answers.items)}
    found: list[StoredRow | None] = [None] * len(answers)
    for table in store.tables(answers.condition):
        try:
            for row in from_table(table, store.depths):
                if (place := wanted.get((row.key, row.text_sha256))) is not None:
                    found[place] = row
        except KeyError as error:
            raise FeaturesError(f"{folder}: a part lacks the column {error}") from error
    return Signals(
        source=NATIVE if store.native else folder.name,
        tokens=[None if row is None else _tokens(row) for row in found],
        hidden={layer: _states(found, layer) for layer in store.depths.hidden} if any(found) else {},
        patches=[PatchSignals(row.cosines, row.grids) if row and row.grids else None for row in found],
        depth=store.depths.depth,
        about=store.identity.settings,
    )


def text_sha256(text: str) -> str:
    """Return what a row knows the text of its answer by."""
    return hashlib.sha256(text.encode()).hexdigest()


def _tokens(row: StoredRow) -> TokenSignals:
    entropies = row.entropies.astype(np.float64)
    return TokenSignals(row.logprobs.astype(np.float64), entropies, entropies)


def _states(rows: list[StoredRow | None], layer: int) -> Any:
    """Return the states of one layer in single precision, NaN where there is none."""
    width = next(len(row.hidden[layer]) for row in rows if row is not None)
    states = np.full((len(rows), width), np.nan, np.float32)
    for place, row in enumerate(rows):
        if row is not None:
            states[place] = row.hidden[layer]
    return states

"""Parting answers into folds, the same for all detectors: no document stands on both sides."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lvqa_eval.detectors.answers import Places
from lvqa_eval.errors import LvqaError

FOLDS: Final = 5
SEED: Final = 0


class FoldsError(LvqaError, ValueError):
    """Answers that make no two folds."""


@dataclass(frozen=True, eq=False)
class Folds:
    """For each answer the number of its fold, from 0; `wanted` is how many folds were asked for."""

    of: Places
    wanted: int
    seed: int

    @property
    def count(self) -> int:
        """The number of folds: fewer than wanted where there are fewer documents."""
        return int(self.of.max()) + 1

    def parts(self) -> Iterator[tuple[Places, Places]]:
        """Yield for each fold the places of the answers to train on, and of those of the fold."""
        for fold in range(self.count):
            yield np.flatnonzero(self.of != fold), np.flatnonzero(self.of == fold)


def assign_folds(
    incorrect: NDArray[np.bool_], cluster_of: Places, wanted: int = FOLDS, seed: int = SEED
) -> Folds:
    """Return folds with like shares of incorrect answers, the answers of one document in one of them.

    There are as many as wanted, but no more than documents, nor than answers of the commoner class. Raises
    FoldsError where that leaves fewer than two.
    """
    from sklearn.model_selection import StratifiedGroupKFold

    if wanted < 2:
        raise FoldsError(f"folds: found {wanted}, allowed: 2 or more")
    documents, wrong = len(np.unique(cluster_of)), int(incorrect.sum())
    count = min(wanted, documents, max(wrong, len(incorrect) - wrong))
    if count < 2:
        raise FoldsError(
            f"folds: found {len(incorrect)} answers about {documents} documents or pictures, {wrong} of them "
            "incorrect; needed at least 2 documents or pictures, and 2 answers of one class"
        )
    of = np.zeros(len(incorrect), dtype=np.intp)
    splitter = StratifiedGroupKFold(n_splits=count, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        # A class that is rarer than folds leaves some of one class, which are counted where they matter.
        warnings.filterwarnings("ignore", message="The least populated class")
        for fold, (_, places) in enumerate(splitter.split(incorrect, incorrect, cluster_of)):
            of[places] = fold
    return Folds(of, wanted, seed)

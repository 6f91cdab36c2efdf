"""ContextualLens: an answer that no patch of the picture is like is more likely wrong."""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from lvqa_eval.detectors.answers import Answers, Places
from lvqa_eval.detectors.detector import Fitted, FoldScores, Scored
from lvqa_eval.detectors.layers import MissingLayersError, lens_layers
from lvqa_eval.detectors.signals import PatchSignals, Signals
from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.metrics.thresholds import sweep

LayerPair = tuple[int, int]
"""A text layer, which the answer is read at, and an image layer, which the patches are read at."""

TOP: Final = 10

_EQUAL_DIGITS = 9
"""Areas that agree to so many places are tied: sums of floats may differ in the last."""


def highest(cosines: Floats) -> float:
    """Return the highest cosine of a patch."""
    return float(cosines.max())


def mean_of_top(cosines: Floats) -> float:
    """Return the mean of the ten highest cosines, or of all where there are fewer."""
    return float(np.sort(cosines)[-TOP:].mean())


class ContextualLens:
    """Minus the highest cosine between the mean state of the answer's tokens and that of a patch.

    The answer is read at 27/32 of the depth, the picture at 13/32. A maximum grows with the number of
    patches, which `patch_counts` tells.
    """

    name: Final = "contextual_lens"
    needs: Final = "patches"

    def read(self, answers: Answers, signals: Signals) -> Scored:
        """Return the scores; NaN for an answer without patches. Raises MissingLayersError."""
        return Scored(_at_depth(signals, highest))


class ContextualLensTop10:
    """Minus the mean of the ten highest cosines, at the layers of `ContextualLens`: one patch tells less."""

    name: Final = "contextual_lens_top10"
    needs: Final = "patches"

    def read(self, answers: Answers, signals: Signals) -> Scored:
        """Return the scores; NaN for an answer without patches. Raises MissingLayersError."""
        return Scored(_at_depth(signals, mean_of_top))


class ContextualLensChosen:
    """`ContextualLens` at the pair of layers with the highest AUROC on the training answers.

    Ties go to the earlier text layer, then to the earlier image layer. Nothing else is fitted, so that the
    scores of the training answers are as they are: that their pair was chosen with them in sight is all that
    they know of their classes.
    """

    name: Final = "contextual_lens_chosen"
    needs: Final = "patches"

    def read(self, answers: Answers, signals: Signals) -> Fitted:
        """Return how the pair is chosen, among those that every answer has. Raises MissingLayersError."""
        pairs = layer_pairs(signals)
        if not pairs and any(signals.patches):
            raise MissingLayersError(signals.source, "a pair of text and image layer for all answers", pairs)
        scores = {pair: lens_scores(signals, pair, highest) for pair in pairs}

        def fold(train: Places, test: Places) -> FoldScores:
            areas = {pair: _area(scores[pair][train], answers, train) for pair in pairs}
            defined = [pair for pair in pairs if not np.isnan(areas[pair])]
            if not defined:
                return FoldScores(np.full(len(train), np.nan), np.full(len(test), np.nan))
            pair = min(defined, key=lambda one: (-round(areas[one], _EQUAL_DIGITS), one))
            chosen = f"text layer {pair[0]}, image layer {pair[1]}"
            return FoldScores(scores[pair][train], scores[pair][test], chosen)

        return Fitted(fold)


def layer_pairs(signals: Signals) -> tuple[LayerPair, ...]:
    """Return the (text layer, image layer) that all answers with patches have, sorted."""
    held = [set(patches.cosines) for patches in signals.patches if patches is not None]
    return tuple(sorted(set.intersection(*held))) if held else ()


def lens_scores(signals: Signals, pair: LayerPair, of: Callable[[Floats], float]) -> Floats:
    """Return minus what `of` makes of the cosines of each answer, (answers,); NaN for one without patches.

    Cosines that are NaN are left out. Raises MissingLayersError for a pair that an answer with patches lacks.
    """
    held = layer_pairs(signals)
    if pair not in held and any(signals.patches):
        raise MissingLayersError(signals.source, f"text layer {pair[0]} with image layer {pair[1]}", held)
    found = [_known(patches, pair) for patches in signals.patches]
    return np.array([-of(cosines) if len(cosines) else np.nan for cosines in found], dtype=np.float64)


def patch_counts(signals: Signals) -> Floats:
    """Return how many patches the pictures of each answer have, (answers,); NaN for one without."""
    return np.array([_count(patches) for patches in signals.patches], dtype=np.float64)


def _at_depth(signals: Signals, of: Callable[[Floats], float]) -> Floats:
    return lens_scores(signals, lens_layers(signals.depth), of)


def _known(patches: PatchSignals | None, pair: LayerPair) -> Floats:
    if patches is None:
        return np.empty(0)
    cosines = patches.cosines[pair].astype(np.float64)
    known: Floats = cosines[~np.isnan(cosines)]
    return known


def _count(patches: PatchSignals | None) -> float:
    grids: Sequence[tuple[int, int]] = patches.grids if patches is not None else ()
    return float(sum(rows * columns for rows, columns in grids)) or np.nan


def _area(scores: Floats, answers: Answers, places: Places) -> float:
    known = ~np.isnan(scores)
    return sweep(scores[known], answers.incorrect[places][known]).auroc

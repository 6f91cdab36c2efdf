"""How much text the images of a benchmark hold (Table 1)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lvqa_eval.metrics.bootstrap import (
    DRAWS,
    Estimate,
    Floats,
    drawn_sums,
    percentile_interval,
    scene_weights,
)
from lvqa_eval.metrics.medians import weighted_medians

SAMPLE = 200
"""Images that each benchmark is measured by."""


@dataclass(frozen=True)
class TextPerImage:
    """OCR characters of an image, white space left out, over a random sample.

    - `images`: how many the benchmark has; the sample is `mean.n` of them, all where it has fewer.
    - `mean`, `median`: with the interval of the bootstrap over documents; over images where none are known.
    """

    images: int
    mean: Estimate
    median: Estimate


def text_per_image(
    characters: Sequence[int],
    documents: Sequence[str] | None = None,
    size: int = SAMPLE,
    draws: int = DRAWS,
    seed: int = 0,
) -> TextPerImage:
    """Return how many characters an image has, by a sample of `size` that `seed` draws.

    `characters` are in a fixed order; `documents` says of what each image is a page. Raises ValueError for no
    image.
    """
    if not characters:
        raise ValueError("characters: found no image, allowed: at least one")
    rng = np.random.Generator(np.random.PCG64(seed))
    drawn = np.sort(rng.choice(len(characters), size=min(size, len(characters)), replace=False))
    sample = np.array(characters, dtype=np.float64)[drawn]
    named = [documents[place] if documents else str(place) for place in drawn.tolist()]
    found, cluster_of = np.unique(named, return_inverse=True)
    weights = scene_weights(len(found), draws, seed)[:, cluster_of]
    mean = drawn_sums(sample[None], weights)[0] / weights.sum(axis=1)
    return TextPerImage(
        images=len(characters),
        mean=_estimate(float(sample.mean()), mean, len(drawn), len(found)),
        median=_estimate(float(np.median(sample)), weighted_medians(sample, weights), len(drawn), len(found)),
    )


def _estimate(value: float, drawn: Floats, n: int, clusters: int) -> Estimate:
    low, high = percentile_interval(drawn) if clusters > 1 else (np.nan, np.nan)
    return Estimate(value, float(low), float(high), n, clusters, int(np.isnan(drawn).sum()))

"""The stand-in for a picture encoder: features of the layout, which need no model and no GPU."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from dataset_builders.bear_bench.classify.encoders import STAND_IN, Vectors
from dataset_builders.bear_bench.classify.layout.features import FEATURES, VERSION, layout_features
from dataset_builders.bear_bench.pixels import read_pixels
from dataset_builders.bear_bench.processes import core_count


class LayoutEncoder:
    """Ink, rules, boxes, drawings and the setting of writing, as `layout_features` measures them.

    It knows shapes and no meaning, and stands in where no trained encoder is at hand.
    """

    name = f"{STAND_IN} (stand-in)"
    batch = 32
    dimension = len(FEATURES)
    raw = True

    def identity(self) -> Mapping[str, Any]:
        """Return the version of the features."""
        return {"encoder": STAND_IN, "stand_in": True, "version": VERSION}

    def encode(self, paths: Sequence[Path]) -> Vectors:
        """Return the features of pages, (pages, dimension)."""
        with ThreadPoolExecutor(core_count()) as workers:
            found = list(workers.map(lambda path: layout_features(read_pixels(path)), paths))
        return np.array(found, dtype=np.float32).reshape(-1, self.dimension)

"""The patches of one answer alone: a page with a heat map needs no more of a folder of features."""

from pathlib import Path
from typing import Any

from lvqa_eval.detectors.features.columns import KEY, StoredCosines, cosines_column
from lvqa_eval.detectors.features.errors import FeaturesError
from lvqa_eval.detectors.features.read import text_sha256
from lvqa_eval.detectors.features.store import FeatureStore
from lvqa_eval.detectors.layers import lens_layers
from lvqa_eval.detectors.signals import PatchSignals
from lvqa_eval.runs.records import Key


def read_patches(folder: Path, key: Key, reply: str) -> PatchSignals | None:
    """Return the cosines of an answer with these words at the layers of ContextualLens.

    None where the folder has none of it, or of pictures. Raises FeaturesError for a folder or a part that
    cannot be read, or that lacks these layers.
    """
    store = FeatureStore.open(folder)
    pair = lens_layers(store.depths.depth)
    if pair not in store.depths.pairs:
        raise FeaturesError(f"{folder}: layers: found no text layer {pair[0]} with image layer {pair[1]}")
    column = cosines_column(pair)
    wanted = (*key, text_sha256(reply))
    for table in store.tables(key.condition, [*KEY, "grid_rows", "grid_columns", column]):
        names = zip(*(table.column(name).to_pylist() for name in KEY), strict=True)
        if (place := next((at for at, found in enumerate(names) if found == wanted), None)) is not None:
            return _patches(table, place, pair, column)
    return None


def _patches(table: Any, place: int, pair: tuple[int, int], column: str) -> PatchSignals | None:
    rows, columns = (table.column(name)[place].as_py() for name in ("grid_rows", "grid_columns"))
    if not rows:
        return None
    packed = table.column(column)[place].values.to_numpy(zero_copy_only=False)
    return PatchSignals(StoredCosines({pair: packed}), tuple(zip(rows, columns, strict=True)))

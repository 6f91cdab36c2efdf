"""Features as columns of Parquet: one row an answer.

States are kept in half precision, log-probabilities and entropies in single. Cosines are whole numbers of
32,767ths: as small as half precision, and twenty times as fine near one.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from lvqa_eval.detectors.features.depths import Depths
from lvqa_eval.detectors.features.forward import AnswerFeatures
from lvqa_eval.detectors.features.inputs import Grid
from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.runs.records import Key

if TYPE_CHECKING:
    import pyarrow as pa

KEY: Final = ("condition", "question_id", "run", "text_sha256")

_ONE: Final = 32_767
_LARGEST: Final = float(np.finfo(np.float16).max)


@dataclass(frozen=True, eq=False)
class FeatureRow:
    """The features of one answer: whose it is, the SHA-256 of its text, the tokens before it."""

    key: Key
    text_sha256: str
    prompt_tokens: int
    grids: tuple[Grid, ...]
    features: AnswerFeatures


class StoredCosines(Mapping[tuple[int, int], Floats]):
    """Cosines by (text layer, image layer), unpacked when they are asked for: they are many."""

    def __init__(self, stored: Mapping[tuple[int, int], NDArray[np.int16]]) -> None:
        self._stored = stored

    def __getitem__(self, pair: tuple[int, int]) -> Floats:
        return self._stored[pair] / _ONE

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return iter(self._stored)

    def __len__(self) -> int:
        return len(self._stored)


@dataclass(frozen=True, eq=False)
class StoredRow:
    """One row as it is read: `hidden` by layer in half precision; `cosines` is empty without pictures."""

    key: Key
    text_sha256: str
    logprobs: NDArray[np.float32]
    entropies: NDArray[np.float32]
    hidden: Mapping[int, NDArray[np.float16]]
    cosines: StoredCosines
    grids: tuple[Grid, ...]


def to_table(rows: Sequence[FeatureRow], depths: Depths) -> "pa.Table":
    """Return rows as a table."""
    import pyarrow as pa

    columns: dict[str, Any] = {
        "condition": pa.array([row.key.condition for row in rows], pa.string()),
        "question_id": pa.array([row.key.question_id for row in rows], pa.string()),
        "run": pa.array([row.key.run for row in rows], pa.int32()),
        "text_sha256": pa.array([row.text_sha256 for row in rows], pa.string()),
        "prompt_tokens": pa.array([row.prompt_tokens for row in rows], pa.int32()),
        "logprobs": pa.array([row.features.logprobs for row in rows], pa.list_(pa.float32())),
        "entropies": pa.array([row.features.entropies for row in rows], pa.list_(pa.float32())),
    }
    for layer in depths.hidden:
        states = np.stack([_halved(row.features.hidden[layer]) for row in rows])
        flat = pa.array(states.ravel(), pa.float16())
        columns[_hidden(layer)] = pa.FixedSizeListArray.from_arrays(flat, states.shape[1])
    whole = pa.list_(pa.int32())
    columns["grid_rows"] = pa.array([[rows for rows, _ in row.grids] for row in rows], whole)
    columns["grid_columns"] = pa.array([[columns for _, columns in row.grids] for row in rows], whole)
    for pair in depths.pairs:
        packed = [_packed(row.features.cosines.get(pair)) for row in rows]
        columns[cosines_column(pair)] = pa.array(packed, pa.list_(pa.int16()))
    return pa.table(columns)


def from_table(table: "pa.Table", depths: Depths) -> Iterator[StoredRow]:
    """Yield the rows of a table; KeyError for a column that it lacks."""
    names = ["logprobs", "entropies", "grid_rows", "grid_columns"]
    keys = [table.column(name).to_pylist() for name in KEY]
    plain = {name: table.column(name) for name in names}
    hidden = {layer: table.column(_hidden(layer)) for layer in depths.hidden}
    cosines = {pair: table.column(cosines_column(pair)) for pair in depths.pairs}
    for place, (condition, question_id, run, text) in enumerate(zip(*keys, strict=True)):
        found = {name: _values(column, place) for name, column in plain.items()}
        sides = found["grid_rows"].tolist(), found["grid_columns"].tolist()
        grids = tuple(zip(*sides, strict=True))
        packed = {pair: _values(column, place) for pair, column in cosines.items()} if grids else {}
        yield StoredRow(
            Key(condition, question_id, run),
            text,
            found["logprobs"],
            found["entropies"],
            {layer: _values(column, place) for layer, column in hidden.items()},
            StoredCosines(packed),
            grids,
        )


def _hidden(layer: int) -> str:
    return f"hidden_{layer}"


def cosines_column(pair: tuple[int, int]) -> str:
    """Return the name of the column with the cosines at a (text layer, image layer)."""
    return "cosines_text_{}_image_{}".format(*pair)


def _halved(states: NDArray[np.float32]) -> NDArray[np.float16]:
    return np.clip(states, -_LARGEST, _LARGEST).astype(np.float16)


def _packed(cosines: NDArray[np.float32] | None) -> NDArray[np.int16]:
    if cosines is None:
        return np.zeros(0, np.int16)
    # Rounding can carry a cosine a little beyond one.
    return np.rint(np.clip(cosines, -1, 1) * _ONE).astype(np.int16)


def _values(column: Any, place: int) -> NDArray[Any]:
    values: NDArray[Any] = column[place].values.to_numpy(zero_copy_only=False)
    return values

"""The figures of runs on disk: `figures/<id>-<state>.json` and, with its arrays, `.npz` beside it.

The state is a hash of all that they depend on, so that what is stale has another name. What cannot be read
is made anew; a file is in its place whole or not at all.
"""

import hashlib
import logging
import math
import os
import zipfile
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from leaderboard.board.run_figures import SEED, RunFigures, SelfJudged, compute_figures
from leaderboard.board.verdicts import Verdicts
from leaderboard.store.folder import BoardFolder
from lvqa_eval.metrics.bootstrap import DRAWS
from lvqa_eval.metrics.figures import Figure
from lvqa_eval.runs.store import CONVERSATIONS, IDENTITY, JUDGEMENTS, QUESTIONS, RunStore

FIGURES: Final = "figures"
FORM: Final = 1
"""Version of what is computed and kept: raise it where a figure changes that the version of LVQA keeps."""

ARRAYS: Final = ("drawn", "correct", "outcome", "votes", "vote_clusters")

_log = logging.getLogger(__name__)


class PackedFigure(msgspec.Struct, array_like=True):
    """A figure in JSON, which has no NaN."""

    value: float
    low: float | None
    high: float | None
    n: int
    scenes: int
    dropped: int
    questions: int
    planned: int


class _SelfJudged(msgspec.Struct):
    names: tuple[str, ...]
    coverage: float
    figures: dict[str, PackedFigure]


class _Stored(msgspec.Struct):
    """The JSON file; `arrays` is the SHA-256 of the file of arrays that it was written with."""

    verdicts: Verdicts | None
    questions: int
    clusters: int
    figures: dict[str, PackedFigure]
    counts: dict[str, int]
    coverage: dict[str, float]
    prompt_tokens: int | None
    completion_tokens: int | None
    self_judged: _SelfJudged | None
    columns: tuple[str, ...]
    arrays: str


def run_figures(
    board: BoardFolder, name: str, needed: Sequence[str], arrays: Sequence[str] = ARRAYS
) -> RunFigures:
    """Return the figures of the run of a submission, from its file or computed and kept.

    `needed` are the conditions of a full run. Of kept figures only `arrays` are read, the others are empty.
    Raises LvqaError, naming it, for a run that cannot be read.
    """
    state = figures_state(board, name, needed)
    found = read_figures(board, name, state, arrays)
    if found is None:
        with RunStore.open(board.run(name)) as store:
            found = compute_figures(store, board.settings.panel, needed)
        keep_figures(board, name, state, found)
    return found


def figures_state(board: BoardFolder, name: str, needed: Sequence[str]) -> str:
    """Return a hash of all that the figures of a run depend on.

    These are its records, told apart by sizes and times, the version of the code, the board's panel, the
    conditions of a full run, and the draws.
    """
    folder = board.run(name)
    told = [_version(), FORM, SEED, DRAWS, list(needed), list(board.settings.panel)]
    for path in [folder / file for file in (IDENTITY, QUESTIONS, CONVERSATIONS)]:
        told += [_stamp(path.name, path.stat())] if path.exists() else []
    judged = folder / JUDGEMENTS
    if judged.is_dir():
        with os.scandir(judged) as entries:
            # What is being written has a name with a dot before it, and may be gone at once.
            told += sorted(_stamp(one.name, one.stat()) for one in entries if one.name[0] != ".")
    return hashlib.sha256(msgspec.json.encode(told)).hexdigest()[:16]


def read_figures(
    board: BoardFolder, name: str, state: str, wanted: Sequence[str] = ARRAYS
) -> RunFigures | None:
    """Return what is kept of a run in this state; None where there is nothing that can be read.

    Arrays that are not `wanted` are empty.
    """
    path = _path(board, name, state)
    try:
        stored = msgspec.json.decode(path.read_bytes(), type=_Stored)
        packed = path.with_suffix(".npz").read_bytes()
        if hashlib.sha256(packed).hexdigest() != stored.arrays:
            raise ValueError("the arrays are others than those that it was written with")
        with np.load(BytesIO(packed), allow_pickle=False) as file:
            arrays = {one: file[one] if one in wanted else np.zeros(0) for one in ARRAYS}
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, zipfile.BadZipFile, msgspec.MsgspecError) as error:
        _log.warning("%s: not readable, computed anew: %s", path, error)
        return None
    return _figures(stored, arrays)


def keep_figures(board: BoardFolder, name: str, state: str, found: RunFigures) -> None:
    """Write the figures of a run and remove those of its earlier states; a full disk is told in the log."""
    path = _path(board, name, state)
    packed = BytesIO()
    np.savez(packed, **{one: getattr(found, one) for one in ARRAYS})
    stored = _stored(found, hashlib.sha256(packed.getvalue()).hexdigest())
    try:
        path.parent.mkdir(exist_ok=True)
        with board.draft() as draft:
            # The arrays first: a file of figures without its arrays would be read as a broken one.
            for target, content in ((path.with_suffix(".npz"), packed.getvalue()), (path, _json(stored))):
                (draft / target.name).write_bytes(content)
                (draft / target.name).replace(target)
        for old in path.parent.glob(f"{name}-*"):
            if old.stem != path.stem:
                old.unlink(missing_ok=True)
    except OSError as error:
        _log.warning("%s: figures are not kept: %s", path, error)


@cache
def _version() -> str:
    # It is looked up in files, which costs more than all else of a state.
    return version("lvqa")


def _path(board: BoardFolder, name: str, state: str) -> Path:
    return board.folder / FIGURES / f"{name}-{state}.json"


def _stamp(name: str, about: os.stat_result) -> str:
    return f"{name} {about.st_size} {about.st_mtime_ns}"


def _json(stored: _Stored) -> bytes:
    return msgspec.json.encode(stored)


def _stored(found: RunFigures, arrays: str) -> _Stored:
    own = found.self_judged
    return _Stored(
        verdicts=found.verdicts,
        questions=found.questions,
        clusters=found.clusters,
        figures=packed(found.figures),
        counts=dict(found.counts),
        coverage=dict(found.coverage),
        prompt_tokens=found.prompt_tokens,
        completion_tokens=found.completion_tokens,
        self_judged=None if own is None else _SelfJudged(own.names, own.coverage, packed(own.figures)),
        columns=found.columns,
        arrays=arrays,
    )


def _figures(stored: _Stored, arrays: Mapping[str, NDArray[Any]]) -> RunFigures:
    own = stored.self_judged
    return RunFigures(
        verdicts=stored.verdicts,
        questions=stored.questions,
        clusters=stored.clusters,
        figures=unpacked(stored.figures),
        counts=stored.counts,
        coverage=stored.coverage,
        prompt_tokens=stored.prompt_tokens,
        completion_tokens=stored.completion_tokens,
        self_judged=None if own is None else SelfJudged(own.names, own.coverage, unpacked(own.figures)),
        columns=stored.columns,
        **arrays,
    )


def packed(figures: Mapping[str, Figure]) -> dict[str, PackedFigure]:
    """Return figures as they are written."""
    return {key: pack(one) for key, one in figures.items()}


def unpacked(figures: Mapping[str, PackedFigure]) -> dict[str, Figure]:
    """Return figures as they were before they were written."""
    return {key: unpack(one) for key, one in figures.items()}


def pack(one: Figure) -> PackedFigure:
    """Return a figure as it is written."""
    low, high = (end if math.isfinite(end) else None for end in (one.low, one.high))
    return PackedFigure(one.value, low, high, one.n, one.scenes, one.dropped, one.questions, one.planned)


def unpack(one: PackedFigure) -> Figure:
    """Return a figure as it was before it was written."""
    low, high = (math.nan if end is None else end for end in (one.low, one.high))
    return Figure(one.value, low, high, one.n, one.scenes, one.dropped, one.questions, one.planned)

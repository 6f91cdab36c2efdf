"""What judges say of each other, kept in `figures/judges-<benchmark>-<state>.json` until anything changes."""

import hashlib
import logging
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from leaderboard.board.figure_files import (
    FIGURES,
    PackedFigure,
    figures_state,
    pack,
    packed,
    unpack,
    unpacked,
)
from leaderboard.board.records import JudgeBoard, Matrix, Standing
from leaderboard.store.folder import BoardFolder
from lvqa_eval.metrics.figures import Figure

_BETWEEN: Final = "\t"
"""Stands between the two names of a cell: no name has it."""

_log = logging.getLogger(__name__)


class _Stored(msgspec.Struct):
    judges: tuple[str, ...]
    assistants: tuple[str, ...]
    cells: dict[str, PackedFigure]
    leniency: dict[str, PackedFigure]
    self_preference: dict[str, PackedFigure]
    agreement: tuple[tuple[str, str, PackedFigure, float | None], ...]


def judge_state(board: BoardFolder, standing: Standing, ids: Sequence[str]) -> str:
    """Return a hash of all that the judges' figures depend on: runs with their verdicts, and audits."""
    told = [f"{name} {figures_state(board, name, standing.conditions)}" for name in ids]
    told.append(board.audit_state())
    return hashlib.sha256("\n".join(told).encode()).hexdigest()[:16]


def read_judges(board: BoardFolder, benchmark: str, state: str) -> JudgeBoard | None:
    """Return what is kept in this state; None where there is nothing that can be read."""
    path = _path(board, benchmark, state)
    try:
        stored = msgspec.json.decode(path.read_bytes(), type=_Stored)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError) as error:
        _log.warning("%s: not readable, computed anew: %s", path, error)
        return None
    return JudgeBoard(
        crossed=Matrix(stored.judges, stored.assistants, _split(stored.cells)),
        leniency=unpacked(stored.leniency),
        self_preference=unpacked(stored.self_preference),
        agreement=tuple(
            (one, other, unpack(figure), math.nan if kappa is None else kappa)
            for one, other, figure, kappa in stored.agreement
        ),
        benchmark=benchmark,
    )


def keep_judges(board: BoardFolder, benchmark: str, state: str, found: JudgeBoard) -> None:
    """Write the judges' figures in place of those of earlier states; a full disk is told in the log."""
    path = _path(board, benchmark, state)
    crossed = found.crossed or Matrix((), (), {})
    stored = _Stored(
        judges=crossed.rows,
        assistants=crossed.columns,
        cells=_joined(crossed.cells),
        leniency=packed(found.leniency),
        self_preference=packed(found.self_preference),
        agreement=tuple(
            (one, other, pack(figure), None if math.isnan(kappa) else kappa)
            for one, other, figure, kappa in found.agreement
        ),
    )
    try:
        path.parent.mkdir(exist_ok=True)
        with board.draft() as draft:
            (draft / path.name).write_bytes(msgspec.json.encode(stored))
            (draft / path.name).replace(path)
        for old in path.parent.glob(f"judges-{benchmark}-*"):
            if old != path:
                old.unlink(missing_ok=True)
    except OSError as error:
        _log.warning("%s: figures are not kept: %s", path, error)


def _path(board: BoardFolder, benchmark: str, state: str) -> Path:
    return board.folder / FIGURES / f"judges-{benchmark}-{state}.json"


def _joined(cells: Mapping[tuple[str, str], Figure]) -> dict[str, PackedFigure]:
    return packed({_BETWEEN.join(names): figure for names, figure in cells.items()})


def _split(cells: Mapping[str, PackedFigure]) -> dict[tuple[str, str], Figure]:
    found = {}
    for names, figure in unpacked(cells).items():
        one, _, other = names.partition(_BETWEEN)
        found[one, other] = figure
    return found

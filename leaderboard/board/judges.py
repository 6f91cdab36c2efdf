"""The panel's judges against the models of a board: who is lenient, who favours itself, who agrees."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leaderboard.board.audits import people_agreement
from leaderboard.board.figure_files import run_figures
from leaderboard.board.judge_files import judge_state, keep_judges, read_judges
from leaderboard.board.records import JudgeBoard, Matrix, Standing
from leaderboard.board.run_figures import SEED, RunFigures
from leaderboard.board.verdicts import Verdicts
from leaderboard.store.folder import BoardFolder
from leaderboard.submissions.names import same_model
from lvqa_eval.metrics.agreement import pairwise_agreement
from lvqa_eval.metrics.bootstrap import (
    DRAWS,
    Estimate,
    Floats,
    SceneSums,
    bootstrap,
    percentile_interval,
    replicates,
    scene_weights,
)
from lvqa_eval.metrics.figures import Figure
from lvqa_eval.metrics.judges import SelfPreference, cross_matrix, cross_sums, own_judges, self_preference
from lvqa_eval.metrics.votes import NO_VOTE, Votes

FEWEST: Final = 2


@dataclass(frozen=True, eq=False)
class Judged:
    """A full run that the board's judges have judged: its submission, its model, and who they are."""

    id: str
    model: str
    verdicts: Verdicts


def judge_board(board: BoardFolder, standing: Standing, judged: Sequence[Judged]) -> JudgeBoard | None:
    """Return how the judges of a board's panel rule on its ranked runs; None for fewer than two judges.

    Everything is of the conversations that judges were asked about: what the model failed is wrong without
    them. Kept in a file until a run, its verdicts or an audit change.
    """
    judged = [one for one in judged if len(one.verdicts.members) >= FEWEST]
    if not judged:
        return None
    state = judge_state(board, standing, [one.id for one in judged])
    found = read_judges(board, standing.benchmark, state)
    if found is None:
        found = _computed(board, standing, judged)
        keep_judges(board, standing.benchmark, state, found)
    return found


@dataclass(frozen=True, eq=False)
class _Crossed:
    """Verdicts of judges on assistants; `sums` and `drawn` are (assistants, judges, clusters or draws)."""

    assistants: tuple[str, ...]
    judges: tuple[str, ...]
    own: NDArray[np.intp]
    votes: Votes
    cluster_of: NDArray[np.intp]
    sums: SceneSums
    weights: Floats
    questions: int

    def figure(self, told: Estimate, planned: int) -> Figure:
        """Return an estimate as a figure of so many conversations that judges were asked about."""
        return Figure(**vars(told), questions=self.questions, planned=planned)


def _computed(board: BoardFolder, standing: Standing, judged: Sequence[Judged]) -> JudgeBoard:
    runs = [run_figures(board, one.id, standing.conditions) for one in judged]
    crossed = _crossed(standing, judged, runs)
    people = people_agreement(board, judged[0].verdicts, crossed.judges)
    return JudgeBoard(
        crossed=_matrix(crossed),
        leniency=_leniency(crossed),
        self_preference=_self_preference(crossed),
        agreement=(*people, *_pairs(crossed)),
        benchmark=standing.benchmark,
    )


def _crossed(standing: Standing, judged: Sequence[Judged], runs: Sequence[RunFigures]) -> _Crossed:
    assistants, names = tuple(one.model for one in judged), judged[0].verdicts.names
    own = own_judges([same_model(one) for one in assistants], [same_model(one) for one in names])
    # A judge that is an assistant too is called as that one is.
    called = {int(judge): name for name, judge in zip(assistants, own, strict=True) if judge >= 0}
    votes = np.concatenate([run.votes for run in runs], axis=1)
    cluster_of = np.concatenate([run.vote_clusters for run in runs]).astype(np.intp)
    of = np.repeat(np.arange(len(judged)), [run.votes.shape[1] for run in runs])
    clusters = runs[0].clusters
    return _Crossed(
        assistants=assistants,
        judges=tuple(called.get(place, name) for place, name in enumerate(names)),
        own=own,
        votes=votes,
        cluster_of=cluster_of,
        sums=cross_sums(votes, of, len(judged), cluster_of, clusters),
        weights=scene_weights(clusters, DRAWS, SEED),
        questions=standing.questions,
    )


def _matrix(crossed: _Crossed) -> Matrix:
    found = bootstrap(crossed.sums, crossed.weights)
    cells = {
        (judge, assistant): crossed.figure(found.at(row, column), int(found.n[row].max()))
        for row, assistant in enumerate(crossed.assistants)
        for column, judge in enumerate(crossed.judges)
        if found.n[row, column]
    }
    return Matrix(crossed.judges, crossed.assistants, cells)


def _leniency(crossed: _Crossed) -> dict[str, Figure]:
    """Return how much more than the mean judge each calls correct, mean over assistants, itself left out."""
    matrix, drawn = cross_matrix(crossed.sums), replicates(crossed.sums, crossed.weights)
    rows = np.flatnonzero(crossed.own >= 0)
    for cells in (matrix, drawn):
        cells[rows, crossed.own[rows]] = np.nan
    with np.errstate(invalid="ignore"):
        value, each = (_mean(cells - _mean(cells, axis=1)[:, None], axis=0) for cells in (matrix, drawn))
    low, high = percentile_interval(each)
    counts = crossed.sums.counts.copy()
    counts[rows, crossed.own[rows]] = 0
    scenes = np.count_nonzero(counts.sum(axis=0), axis=-1)
    found = {}
    for place, judge in enumerate(crossed.judges):
        if np.isfinite(value[place]):
            ends = (float(low[place]), float(high[place])) if scenes[place] > 1 else (np.nan, np.nan)
            n, dropped = int(counts[:, place].sum()), int(np.isnan(each[place]).sum())
            told = Estimate(float(value[place]), *ends, n, int(scenes[place]), dropped)
            found[judge] = crossed.figure(told, n)
    return found


def _mean(cells: Floats, axis: int) -> Floats:
    """Return the mean over what is known along an axis; NaN where nothing is."""
    known = np.isfinite(cells)
    with np.errstate(invalid="ignore"):  # nothing over nothing is NaN, as wanted
        return np.asarray(np.where(known, cells, 0.0).sum(axis=axis) / known.sum(axis=axis))


def _self_preference(crossed: _Crossed) -> dict[str, Figure]:
    """Return the corrected self-preference of the judges that are assistants."""
    if not (crossed.own >= 0).any():
        return {}
    found: SelfPreference = self_preference(crossed.sums, crossed.own, crossed.weights)
    figures = {}
    for place, (assistant, judge) in enumerate(zip(found.assistants, found.judges, strict=True)):
        value = float(found.corrected.value[place])
        counts = crossed.sums.counts[assistant, judge]
        if np.isfinite(value):
            ends = (float(found.corrected.low[place]), float(found.corrected.high[place]))
            told = Estimate(value, *ends, int(counts.sum()), int(np.count_nonzero(counts)), found.dropped)
            figures[crossed.judges[judge]] = crossed.figure(told, int(counts.sum()))
    return figures


def _pairs(crossed: _Crossed) -> Iterator[tuple[str, str, Figure, float]]:
    """Yield how often two judges rule alike, with the cluster bootstrap's interval, and kappa."""
    nobody = np.zeros(crossed.votes.shape[1], dtype=np.intp)
    for (one, other), found in pairwise_agreement(crossed.votes).pairs.items():
        ours, theirs = crossed.votes[one], crossed.votes[other]
        both = (ours != NO_VOTE) & (theirs != NO_VOTE)
        same = np.where(both, ours == theirs, NO_VOTE).astype(np.int8)
        # Counted as the verdicts of one judge are: 1 for the same, 0 for another, on one assistant.
        clusters = crossed.weights.shape[1]
        sums = cross_sums(same[None], nobody, 1, crossed.cluster_of, clusters)
        told = bootstrap(sums, crossed.weights).at(0, 0)
        figure = crossed.figure(told, crossed.votes.shape[1])
        yield crossed.judges[one], crossed.judges[other], figure, found.kappa

"""From a board's folder to all that its pages show."""

import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from leaderboard.board.columns import sorted_rows
from leaderboard.board.detectors import detector_rows
from leaderboard.board.entries import OTHER_JUDGES, Found, entry, first_reason
from leaderboard.board.figure_files import run_figures
from leaderboard.board.judges import Judged, judge_board
from leaderboard.board.means import Means
from leaderboard.board.records import BenchmarkBoard, Board, JudgeBoard, Row, Standing
from leaderboard.board.reported import reported_rows
from leaderboard.board.run_figures import RANKING, RunFigures
from leaderboard.board.standings import Version, versions
from leaderboard.board.tiers import tiers
from leaderboard.store.folder import BoardFolder, Submission
from lvqa_eval.errors import LvqaError
from lvqa_eval.metrics.figures import Figure
from lvqa_eval.progress import Advance, progress

_log = logging.getLogger(__name__)


def assemble(board: BoardFolder) -> Board:
    """Return everything that the pages of a board show; figures of runs are computed if they are not kept.

    On a board with a panel the rows that it has judged are ranked, and those with exact match alone stand
    below as provisional. Without a panel exact match ranks all. Raises LvqaError where a dataset that is open
    for submissions cannot be read; a run that cannot be is shown without figures, and told in the log.
    """
    # Taken first: what comes in meanwhile makes another state.
    state = board.state()
    submissions = board.submissions()
    boards: dict[str, BenchmarkBoard] = {}
    judges: JudgeBoard | None = None
    with progress("figures of runs", len(submissions)) as advance:
        for name in RANKING:
            if name not in board.settings.benchmarks:
                continue
            read = {one: _read(board, one, advance) for one in versions(board, name, submissions)}
            current, *older = [_benchmark(version, held) for version, held in read.items()]
            boards[name] = replace(current, older=tuple(older))
            judges = judges or judge_board(board, current.standing, _judged(next(iter(read.values()))))
    return Board(
        title=board.settings.title,
        layered=boards.get("layered-vqa"),
        bear=boards.get("bear-bench"),
        detectors=tuple(detector_rows(_newest(board, submissions))),
        judges=judges,
        state=state,
    )


def reordered(board: BenchmarkBoard, column: str, descending: bool | None = None) -> BenchmarkBoard:
    """Return a board whose ranked rows are in the order of another column, what lacks a figure last.

    By default what is better comes first. Tiers are of the ranking column: each row keeps its own. The rows
    below the ranked ones stay where they are.
    """
    ranked = [row for row in board.rows if row.entry.shown == "ranked"]
    others = [row for row in board.rows if row.entry.shown != "ranked"]
    return replace(board, rows=(*sorted_rows(ranked, column, descending), *others))


@dataclass(frozen=True, eq=False)
class _Read:
    """The submissions of a version, and by the way in which they were judged the means of those ranked."""

    found: list[Found]
    means: Mapping[str, Means]


def _read(board: BoardFolder, version: Version, advance: Advance) -> _Read:
    """Read one run after the other; the draws of only one column stay."""
    order = RANKING[version.standing.benchmark]
    found: list[Found] = []
    means: dict[str, Means] = {}
    for one in version.submissions:
        known = Found(one, _figures(board, one, version), bool(board.settings.panel))
        known = replace(known, reason=first_reason(known, version))
        if known.ranked:
            means.setdefault(known.ways, Means()).add(known.figures)
        found.append(known if known.run is None else replace(known, run=known.run.only(order)))
        advance(one.receipt.about.model)
    return _Read(_judged_in_one_way(found), means)


def _figures(board: BoardFolder, one: Submission, version: Version) -> RunFigures | None:
    try:
        return run_figures(board, one.id, version.standing.conditions, ("drawn",))
    except (LvqaError, OSError) as error:
        _log.warning("runs/%s: no figures: %s", one.id, error)
        return None


def _judged_in_one_way(found: Sequence[Found]) -> list[Found]:
    """Leave a rank to those that were judged as most of them were; of as many, as the newest was."""
    ways = [one.ways for one in found if one.ranked]
    times = Counter(ways)
    kept = max(reversed(ways), key=lambda way: times[way], default="")
    return [replace(one, reason=OTHER_JUDGES) if one.ranked and one.ways != kept else one for one in found]


def _benchmark(version: Version, read: _Read) -> BenchmarkBoard:
    order, found = RANKING[version.standing.benchmark], read.found
    ranked = sorted((one for one in found if one.ranked), key=lambda one: _place(one, order))
    rows = [
        Row(entry(one), one.figures.figures, tier)
        for one, tier in zip(ranked, tiers([one.draws(order) for one in ranked]), strict=True)
    ]
    others = [one for one in reversed(found) if one.submission.newest and not one.ranked]
    rows += [row for one in others for row in _unranked(one, version)]
    runs = [one.run for one in found if one.run is not None]
    counts = {key: size for run in runs for key, size in run.counts.items()}
    verdicts = ranked[0].verdicts if ranked else None
    return BenchmarkBoard(
        standing=_standing(version, found),
        order=order,
        rows=(*rows, *reported_rows(version.standing.benchmark)),
        history=tuple(entry(one) for one in reversed(found)),
        judges=verdicts.names if verdicts is not None else (),
        means=read.means[ranked[0].ways].figures() if ranked else {},
        counts=version.parts or counts,
        scores={
            one.submission.id: one.run.figures[order]
            for one in found
            if one.run is not None and order in one.run.figures
        },
    )


def _place(one: Found, order: str) -> tuple[float, str, str]:
    """Return what ranked submissions are sorted by; equal ones by name."""
    return -one.figures.figures[order].value, one.submission.receipt.about.model.casefold(), one.submission.id


def _standing(version: Version, found: Sequence[Found]) -> Standing:
    """Return the standing of a version; of a dataset that is not here, with what its runs were asked."""
    if version.standing.questions:
        return version.standing
    runs = [one.run for one in found if one.run is not None]
    return replace(
        version.standing,
        questions=max((run.questions for run in runs), default=0),
        clusters=max((run.clusters for run in runs), default=0),
    )


def _unranked(one: Found, version: Version) -> Iterator[Row]:
    """Yield the row of a submission without a rank; while no panel ruled, another by its own verdicts."""
    about = entry(one)
    if one.run is None:
        yield Row(about, {})
        return
    yield Row(about, _of_whole_parts(one.run.figures, one, version))
    own = one.run.self_judged
    if own is not None and about.badge == "provisional":
        told = replace(about, badge="self-judged", reason="self-judged", judges=own.names)
        figures = _of_whole_parts(own.figures, one, version)
        yield Row(replace(told, coverage=own.coverage), figures)


def _of_whole_parts(figures: Mapping[str, Figure], one: Found, version: Version) -> Mapping[str, Figure]:
    """Return the figures of a run over a part of the questions: those of parts that it was asked whole."""
    run, parts = one.figures, version.parts
    if run.questions >= version.standing.questions:
        return figures
    whole = {key for key, size in parts.items() if run.counts.get(key) == size}
    return {key: figure for key, figure in figures.items() if key in whole or key == "coverage"}


def _judged(read: _Read) -> list[Judged]:
    return [
        Judged(one.submission.id, one.submission.receipt.about.model, one.verdicts)
        for one in read.found
        if one.ranked and one.verdicts is not None
    ]


def _newest(board: BoardFolder, submissions: Sequence[Submission]) -> Mapping[str, Sequence[Path]]:
    """Return the run folders of the submissions that stand, by model."""
    found: dict[str, list[Path]] = {}
    for one in submissions:
        if one.newest:
            found.setdefault(one.receipt.about.model, []).append(board.run(one.id))
    return found

"""The versions of a dataset that a board has submissions of, each with what a full run of it is."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from leaderboard.board.page_figures import page_groups
from leaderboard.board.records import Standing
from leaderboard.store.folder import BoardFolder, Submission
from leaderboard.submissions.standing import BenchmarkStanding
from lvqa_eval.errors import LvqaError
from lvqa_eval.runs.records import PageRecord, Question


@dataclass(frozen=True, eq=False)
class Version:
    """One version of a dataset on a board, with its submissions in the order of reception.

    - `listed`: whether `board.yaml` has it, so that a full run is known. `parts`: the questions of its parts,
      by the column of their figures; empty for a dataset that is not here.
    """

    standing: Standing
    listed: bool
    parts: dict[str, int]
    submissions: tuple[Submission, ...]


def versions(board: BoardFolder, benchmark: str, submissions: Sequence[Submission]) -> Iterator[Version]:
    """Yield the version that is open, then earlier ones, newest first, then those that nothing lists.

    Raises LvqaError where the open version's dataset cannot be read.
    """
    told = board.settings.benchmarks[benchmark]
    of = [one for one in submissions if one.receipt.benchmark == benchmark]
    manifests = dict.fromkeys(
        one.manifest_sha256 for one in (told, *board.settings.earlier.get(benchmark, ()))
    )
    manifests |= dict.fromkeys(one.receipt.manifest_sha256 for one in reversed(of))
    for manifest in manifests:
        held = tuple(one for one in of if one.receipt.manifest_sha256 == manifest)
        if held or manifest == told.manifest_sha256:
            yield _version(board, benchmark, manifest, held)


def _version(
    board: BoardFolder, benchmark: str, manifest: str, submissions: tuple[Submission, ...]
) -> Version:
    told = board.settings.benchmarks[benchmark]
    known = {one.manifest_sha256: one for one in (*board.settings.earlier.get(benchmark, ()), told)}
    listed = known.get(manifest)
    if manifest == told.manifest_sha256:
        dataset: BenchmarkStanding | None = board.benchmark(benchmark)
    else:
        dataset = board.standing_of(submissions[0].receipt)
    asked = _questions(dataset) if dataset is not None else []
    standing = Standing(
        benchmark=benchmark,
        version=listed.version if listed else submissions[0].receipt.dataset_version,
        manifest_sha256=manifest,
        questions=len(asked),
        clusters=len({one.cluster for one in asked}),
        conditions=listed.conditions if listed else (),
        runs=listed.runs if listed else 0,
    )
    pages = [one for one in asked if isinstance(one, PageRecord)]
    parts = {name: int(held.sum()) for name, held in page_groups(pages).items()} if pages else {}
    return Version(standing, listed is not None, parts, submissions)


def _questions(dataset: BenchmarkStanding) -> list[Question]:
    try:
        return [row.record() for row in dataset.schedule(dataset.conditions[0]).values()]
    except LvqaError:
        return []

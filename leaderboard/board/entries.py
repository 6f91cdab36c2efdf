"""A submission as it stands on a board: its badge, whether it may have a rank, and if not, why."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leaderboard.board.records import Entry
from leaderboard.board.run_figures import RANKING, RunFigures
from leaderboard.board.standings import Version
from leaderboard.board.verdicts import Verdicts, badge_of
from leaderboard.store.folder import Submission
from leaderboard.submissions.records import Badge
from lvqa_eval.metrics.accuracy import RANKED_FROM

OTHER_JUDGES: Final = "judges"
"""The reason of a row that was judged otherwise than the ranked ones."""


@dataclass(frozen=True, eq=False)
class Found:
    """A submission with its figures, None where its run cannot be read.

    `panel`: whether the board has one. `reason`: why it has no rank, a key of the texts; empty for none.
    """

    submission: Submission
    run: RunFigures | None
    panel: bool
    reason: str = ""

    @property
    def ranked(self) -> bool:
        """Whether it has a rank: nothing is against it, and no later submission of the model stands."""
        return self.submission.newest and not self.reason

    @property
    def figures(self) -> RunFigures:
        """The figures of a run that can be read."""
        assert self.run is not None
        return self.run

    @property
    def verdicts(self) -> Verdicts | None:
        """Whose verdicts it is shown by."""
        return None if self.run is None else self.run.verdicts

    @property
    def ways(self) -> str:
        """How it was judged, empty where nobody did; see `Verdicts`."""
        return "" if self.verdicts is None else self.verdicts.ways

    @property
    def badge(self) -> Badge:
        """How far it can be trusted."""
        return badge_of(self.verdicts, self.panel, self.submission.verified is not None)

    def draws(self, column: str) -> NDArray[np.float32]:
        """Return the draws of a figure that it has, all NaN where its spread cannot be told."""
        row = self.figures.draws_of(column)
        if row is None or np.isnan(self.figures.figures[column].low):
            return np.full(self.figures.drawn.shape[-1], np.nan, dtype=np.float32)
        return row


def first_reason(found: Found, version: Version) -> str:
    """Return the first reason why a submission has no rank, empty where it may have one."""
    return next(_reasons(found, version), "")


def _reasons(found: Found, version: Version) -> Iterator[str]:
    standing, receipt, run = version.standing, found.submission.receipt, found.run
    if found.submission.withdrawn is not None:
        yield "withdrawn"
    if run is None:
        yield "unreadable"
        return
    if not version.listed:
        yield "version"
        return
    if set(standing.conditions) - set(receipt.conditions) or receipt.runs < standing.runs:
        yield "partial"
    if run.questions < standing.questions:
        yield "questions"
    if run.verdicts is None:
        yield "unjudged"
        return
    covered = [run.coverage.get(name, 0.0) for name in standing.conditions]
    if sum(covered) < RANKED_FROM * len(covered):
        yield "coverage"
    if min(covered) < RANKED_FROM or RANKING[standing.benchmark] not in run.figures:
        yield "condition"
    if found.panel and not run.verdicts.panel:
        yield "provisional"


def entry(found: Found) -> Entry:
    """Return what stands on the board of a submission."""
    receipt, about, run = found.submission.receipt, found.submission.receipt.about, found.run
    coverage = run.figures.get("coverage") if run is not None else None
    return Entry(
        id=receipt.id,
        model=about.model,
        badge=found.badge,
        shown="ranked" if found.ranked else "not ranked",
        reason=found.reason,
        revision=about.revision,
        version=found.submission.version,
        newest=found.submission.newest,
        weights=about.weights,
        parameters=about.parameters,
        received=receipt.received,
        harness=receipt.lvqa,
        benchmark=receipt.benchmark,
        dataset_version=receipt.dataset_version,
        judges=found.verdicts.names if found.verdicts is not None else (),
        conditions=receipt.conditions,
        runs=receipt.runs,
        conversations=receipt.conversations,
        coverage=coverage.value if coverage is not None else 0.0,
        prompt_tokens=run.prompt_tokens if run is not None else None,
        completion_tokens=run.completion_tokens if run is not None else None,
    )

"""What the pages do with an upload: check it, or take it; the file is gone afterwards."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from leaderboard.store.folder import UPLOAD, BoardFolder
from leaderboard.store.receipts import receipt_of, timestamp
from leaderboard.submissions.accept import RefusedError, accept, receipt_about
from leaderboard.submissions.checking import Checked, check_submission
from leaderboard.submissions.format import writing
from leaderboard.submissions.provisional import Provisional, provisional_score
from leaderboard.submissions.reading import read_submission
from leaderboard.submissions.records import Receipt
from lvqa_eval.errors import LvqaError

SPACE: Final = "SPACE_ID"
"""The variable that a Space of the Hub has; people log in there, and nowhere else."""

RESULTS: Final = "LVQA_RESULTS"
"""The variable that names a Space's results repository."""


@dataclass(frozen=True)
class Taken:
    """A submission that was taken, or that waits as a pull request at `request`; `version` 0 then."""

    receipt: Receipt
    score: Provisional
    version: int = 0
    request: str = ""


class LogInError(LvqaError):
    """Somebody without a name where one is needed."""


@dataclass(frozen=True)
class Reception:
    """Where a board takes submissions: its own folder, or pull requests to `repo`."""

    board: BoardFolder
    repo: str | None = None
    names_needed: bool = False

    @classmethod
    def here(cls, board: BoardFolder) -> "Reception":
        """Return that of this process: a Space knows people by name, and sends to its repository."""
        on_space = SPACE in os.environ
        return cls(board, os.environ.get(RESULTS) or None if on_space else None, on_space)

    def check(self, upload: Path, *, score: bool = True) -> Checked:
        """Return what the board would say of a file; nothing is stored."""
        return check_submission(upload, self.board.standing(), self.board.settings.limits, score=score)

    def take(self, upload: Path, by: str | None) -> Taken | Checked:
        """Take a file, or return all that is wrong with it.

        `by`: who is logged in on a Space. Raises LogInError, and HubError where a request cannot be opened.
        """
        if self.names_needed and by is None:
            raise LogInError("log in first")
        by = by if self.names_needed else None
        checked = self.check(upload, score=self.repo is not None)
        if checked.problems:
            return checked
        if self.repo is not None:
            return self._ask(upload, checked, self.repo, by)
        try:
            receipt = accept(self.board, upload, by, datetime.now(UTC))
        except RefusedError as error:
            # Another submission came in between.
            return Checked(error.problems, checked.read, checked.planned)
        needed = self.board.benchmark(receipt.benchmark).conditions
        version = self.board.submission(receipt.id).version
        return Taken(receipt, provisional_score(self.board.run(receipt.id), needed), version)

    def _ask(self, upload: Path, checked: Checked, repo: str, by: str | None) -> Taken:
        """Open a pull request with the file as the board would keep it."""
        from leaderboard.store.hub_send import send_submission

        assert checked.header is not None
        assert checked.score is not None
        assert checked.id is not None
        header, moment = checked.header, timestamp(datetime.now(UTC))
        receipt = receipt_of(header, receipt_about(header), checked.id, moment, by)
        with TemporaryDirectory(prefix="lvqa-submission-") as folder:
            kept = Path(folder) / UPLOAD
            with writing(kept) as written:
                for _, line in read_submission(upload, self.board.settings.limits).lines():
                    written.add(line + b"\n")
            return Taken(receipt, checked.score, request=send_submission(repo, kept, receipt).url)


@contextmanager
def used_up(upload: Path) -> Iterator[Path]:
    """Give an uploaded file, and delete it with the folder that it lies alone in."""
    try:
        yield upload
    finally:
        upload.unlink(missing_ok=True)
        if not any(upload.parent.iterdir()):
            upload.parent.rmdir()

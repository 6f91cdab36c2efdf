"""From a run to a board: pack it, check it as the board does, hand it in."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from leaderboard.store.folder import BoardFolder
from leaderboard.store.receipts import receipt_of, timestamp
from leaderboard.submissions.accept import accept, receipt_about
from leaderboard.submissions.checking import Checked, check_submission
from leaderboard.submissions.format import SUFFIX, Packed, pack
from leaderboard.submissions.reading import Limits
from leaderboard.submissions.records import About, Receipt
from leaderboard.submissions.standing import BoardStanding


@dataclass(frozen=True)
class Target:
    """Where a submission goes, or what it is checked against.

    `names`: by benchmark, what the dataset is called where it came from. `board`: its folder, read only where
    it belongs to the results repository `repo`; neither for a check against a dataset alone.
    """

    standing: BoardStanding
    limits: Limits = field(default_factory=Limits)
    names: Mapping[str, str] = field(default_factory=dict)
    board: BoardFolder | None = None
    repo: str | None = None

    @classmethod
    def of_board(cls, board: BoardFolder, repo: str | None = None) -> "Target":
        """Return a board as a target, that of a results repository if `repo` is named."""
        names = {name: told.dataset for name, told in board.settings.benchmarks.items()}
        return cls(board.standing(), board.settings.limits, names, board, repo)

    @classmethod
    def of_dataset(cls, dataset: str) -> "Target":
        """Return a dataset as what a run is checked against: a folder, or ORG/NAME on the Hub."""
        standing = BoardStanding.of(dataset)
        return cls(standing, names=dict.fromkeys(standing.benchmarks, dataset))


@dataclass(frozen=True)
class Prepared:
    """A packed run, and what a board would say of it."""

    run: Path
    packed: Packed
    checked: Checked

    def receipt(self, now: datetime) -> Receipt:
        """Return the receipt that a board writes at `now`; only for one without problems."""
        assert self.checked.header is not None
        header = self.checked.header
        return receipt_of(header, receipt_about(header), self.packed.id, timestamp(now), None)


@contextmanager
def prepared(run_folder: Path, about: About, target: Target, out: Path | None) -> Iterator[Prepared]:
    """Give a run packed and checked; the file is `out`, which stays, or one that is gone at the end.

    Raises RunFolderError, PackError, DatasetError.
    """
    with TemporaryDirectory(prefix="lvqa-submit-") as folder:
        file = out or Path(folder) / f"submission{SUFFIX}"
        packed = pack(run_folder, about, file, target.limits)
        yield Prepared(run_folder, packed, check_submission(file, target.standing, target.limits))


def hand_in(one: Prepared, target: Target) -> str:
    """Give a checked submission to the board of `target`; return in a few lines what came of it."""
    now = datetime.now(UTC)
    if target.repo is not None:
        from leaderboard.store.hub_send import send_submission

        asked = send_submission(target.repo, one.packed.path, one.receipt(now))
        state = "opened" if asked.new else "open already"
        return f"pull request, {state}: {asked.url}\na maintainer merges it; then the board takes it"
    assert target.board is not None
    receipt = accept(target.board, one.packed.path, None, now)
    version = target.board.submission(receipt.id).version
    told = f"{target.board.folder}: submission {receipt.id}\n"
    return told + f"version {version} of {receipt.about.model}, received {receipt.received}, provisional"

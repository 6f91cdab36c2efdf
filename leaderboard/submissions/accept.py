"""Taking a submission: check it, name it by its content, put it in its place, derive its run and judge it.

What is in its place is whole: everything is made in a draft and moved by one rename, the run first, so that
a submission that can be seen has its run. A process that dies in between leaves nothing but drafts, a run
that the same file finds again, or a log without its last line, which `mend` writes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Final

from leaderboard.store.drafts import place
from leaderboard.store.folder import RUNS, SUBMISSIONS, UPLOAD, BoardFolder
from leaderboard.store.receipts import RECEIPT, Event, encode_receipt, receipt_of, timestamp
from leaderboard.submissions.derive import derive_run
from leaderboard.submissions.format import Written, writing
from leaderboard.submissions.lines import HeaderLine, read_line
from leaderboard.submissions.names import trimmed
from leaderboard.submissions.reading import Limits, read_submission
from leaderboard.submissions.records import About, Problem, Receipt
from leaderboard.submissions.standing import BoardStanding
from leaderboard.submissions.validate import validate
from lvqa_eval.errors import LvqaError

_PRINTED: Final = 50


class RefusedError(LvqaError, ValueError):
    """A submission that the board does not take; `problems` holds every reason."""

    def __init__(self, file: str, problems: Sequence[Problem]) -> None:
        lines = [f"{file}: {problem}" for problem in problems[:_PRINTED]]
        if len(problems) > _PRINTED:
            lines.append(f"… and {len(problems) - _PRINTED} more")
        super().__init__("\n".join([f"{file}: not accepted: {len(problems)} problem(s)", *lines]))
        self.problems = tuple(problems)


def accept(board: BoardFolder, upload: Path, by: str | None, now: datetime) -> Receipt:
    """Take the submission in the file `upload` and return its receipt.

    The same content again gives the receipt that it had. Raises RefusedError with every problem; nothing is
    stored then.
    """
    return _take(board, upload, board.standing(), _Taken(timestamp(now), by))


def restore(board: BoardFolder, upload: Path, had: Receipt, standing: BoardStanding) -> Receipt:
    """Take a submission that another copy of the board has taken, as of the moment that its receipt tells.

    It is checked as any other, against `standing`; of its receipt only id, moment and name of the submitter
    are taken over. Raises RefusedError.
    """
    return _take(board, upload, standing, _Taken(had.received, had.by, had.id))


@dataclass(frozen=True)
class _Taken:
    """When and from whom a submission came; `id`: what it has to be, where that is known."""

    received: str
    by: str | None
    id: str | None = None


def _take(board: BoardFolder, upload: Path, standing: BoardStanding, taken: _Taken) -> Receipt:
    board.clear_leftovers()
    with board.draft() as draft:
        submission, run = draft / "submission", draft / "run"
        submission.mkdir()
        with writing(submission / UPLOAD) as written:
            header = _checked(upload, written, standing, board.settings.limits)
        if taken.id not in (None, written.id):
            raise RefusedError(upload.name, [Problem(None, "", "id", written.id, f"{taken.id}, its own")])
        if board.has(written.id):
            return board.receipt(written.id)
        receipt = receipt_of(header, receipt_about(header), written.id, taken.received, taken.by)
        (submission / RECEIPT).write_bytes(encode_receipt(receipt))
        derive_run(submission / UPLOAD, run, standing.benchmarks[receipt.benchmark], board.settings.limits)
        return _placed(board, receipt, submission, run)


def receipt_about(header: HeaderLine) -> About:
    """Return what a header says of the model, its name trimmed."""
    about = header.record().about
    return replace(about, model=trimmed(about.model))


def mend(board: BoardFolder, tell: Callable[[str], None]) -> None:
    """Bring a board in order: away with leftovers, the log whole, every submission with its run.

    A run is derived only where it is missing, so the verdicts of judges stay. `tell` is given a line for
    everything that was done.
    """
    for name in board.clear_leftovers():
        tell(f"tmp/{name}: removed, a leftover")
    with board.writing():
        for event in _log_missing(board):
            tell(f"log.jsonl: {event.id}: written down as received at {event.at}")
    for one in board.submissions():
        if one.id in board.runs():
            continue
        standing = board.standing_of(one.receipt)
        if standing is None:
            dataset = f"{one.receipt.benchmark} {one.receipt.dataset_version}"
            tell(f"runs/{one.id}: not derived: {dataset} is not here")
            continue
        with board.draft() as draft:
            derive_run(board.upload(one.id), draft / "run", standing, board.settings.limits)
            with board.writing():
                _place_run(board, one.id, draft / "run")
        tell(f"runs/{one.id}: derived")


def _checked(upload: Path, written: Written, standing: BoardStanding, limits: Limits) -> HeaderLine:
    """Copy a file as it is read and return its header; RefusedError with all that is wrong."""
    first: list[bytes] = []

    def keep(line: bytes) -> None:
        if not first:
            first.append(line)
        written.add(line)

    problems = validate(read_submission(upload, limits, keep), standing)
    if problems:
        raise RefusedError(upload.name, problems)
    header = read_line(1, first[0])
    assert isinstance(header, HeaderLine)
    return header


def _placed(board: BoardFolder, receipt: Receipt, submission: Path, run: Path) -> Receipt:
    with board.writing():
        if board.has(receipt.id):
            return board.receipt(receipt.id)
        _place_run(board, receipt.id, run)
        _log_missing(board)
        place(submission, board.folder / SUBMISSIONS / receipt.id)
        _log_missing(board)
    return receipt


def _place_run(board: BoardFolder, name: str, run: Path) -> None:
    if not (board.folder / RUNS / name).exists():
        place(run, board.folder / RUNS / name)


def _log_missing(board: BoardFolder) -> list[Event]:
    """Write down what was received and is not in the log: one that a killed process left, or a new one."""
    known = {event.id for event in board.log() if event.event == "received"}
    missing = [
        Event("received", one.id, one.receipt.received, one.receipt.by)
        for one in board.submissions()
        if one.id not in known
    ]
    if missing:
        board.write_log(missing)
    return missing

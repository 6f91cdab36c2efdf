"""A submission that is looked at and not taken: everything wrong with it, or what it would score."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from leaderboard.submissions.derive import derive_run
from leaderboard.submissions.lines import ConversationLine, HeaderLine
from leaderboard.submissions.provisional import Provisional, provisional_score
from leaderboard.submissions.reading import Limits, Parsed, Read
from leaderboard.submissions.records import Problem
from leaderboard.submissions.standing import BoardStanding
from leaderboard.submissions.validate import validate

_RUN: Final = "run"


@dataclass(frozen=True)
class Checked:
    """What a board would say of a file.

    `problems` empty: it would be taken; then there is an `id`, a `header`, and a `score` where one was asked
    for. `read` conversations were read, of those `planned` by its header, None where that cannot be read.
    """

    problems: tuple[Problem, ...]
    read: int
    planned: int | None = None
    id: str | None = None
    header: HeaderLine | None = None
    score: Provisional | None = None


def check_submission(upload: Path, standing: BoardStanding, limits: Limits, *, score: bool = True) -> Checked:
    """Check the file `upload` as a board does, and compute its provisional `score` if it holds.

    Nothing is stored. Raises DatasetError where the board's own dataset cannot be read.
    """
    parsed = _Counted(upload, limits)
    problems = tuple(validate(parsed, standing))
    header = parsed.header
    planned = None if header is None else header.conversations
    if problems or header is None:
        return Checked(problems, parsed.read, planned)
    found = None
    if score:
        needed = standing.benchmarks[header.settings["benchmark"]].conditions
        with derived(upload, standing, limits, header) as run:
            found = provisional_score(run, needed)
    return Checked((), parsed.read, planned, parsed.sha256, header, found)


@contextmanager
def derived(upload: Path, standing: BoardStanding, limits: Limits, header: HeaderLine) -> Iterator[Path]:
    """Give the run folder that a board would make of a file without problems; it is gone at the end."""
    with tempfile.TemporaryDirectory(prefix="lvqa-submission-") as folder:
        run = Path(folder) / _RUN
        derive_run(upload, run, standing.benchmarks[header.settings["benchmark"]], limits)
        yield run


class _Counted(Parsed):
    """Counts the conversations that are read, and keeps the header."""

    def __init__(self, source: Path, limits: Limits) -> None:
        super().__init__(source, limits)
        self.read = 0
        self.header: HeaderLine | None = None

    def records(self) -> Iterator[Read]:
        """Yield what there is to read."""
        for one in super().records():
            self.read += isinstance(one.record, ConversationLine)
            if one.line == 1 and isinstance(one.record, HeaderLine):
                self.header = one.record
            yield one

"""Problems as they are found: listed up to a number of one kind, counted beyond it."""

import re
from collections import Counter
from typing import Final

from leaderboard.submissions.faults import Fault
from leaderboard.submissions.records import Problem

MOST: Final = 100
"""Problems of one kind that are listed."""

_FOUND = 200
_PLACE = re.compile(r"\[\d+\]")


class Findings:
    """Everything that is wrong with a submission; `kind` groups what is said again and again."""

    def __init__(self) -> None:
        self._listed: list[Problem] = []
        self._counts: Counter[str] = Counter()

    def add(self, problem: Problem, kind: str | None = None) -> None:
        """Add a problem; its kind is its field, whatever the place in a list."""
        kind = kind or _PLACE.sub("[]", problem.field)
        self._counts[kind] += 1
        if self._counts[kind] <= MOST:
            self._listed.append(problem)

    def add_fault(self, line: int, name: str, fault: Fault, kind: str | None = None) -> None:
        """Add what is wrong in a line."""
        self.add(Problem(line, name, fault.field, _short(fault.found), _short(fault.allowed)), kind)

    def problems(self) -> list[Problem]:
        """Return them by line, those of the file as a whole behind; what was only counted comes last."""
        ordered = sorted(self._listed, key=lambda one: (one.line is None, one.line or 0))
        rest = {kind: count - MOST for kind, count in self._counts.items() if count > MOST}
        return ordered + [
            Problem(None, "", kind, f"{count:,} more like the {MOST} listed", "none")
            for kind, count in rest.items()
        ]


def _short(text: str) -> str:
    return text if len(text) <= _FOUND else text[: _FOUND - 1] + "…"

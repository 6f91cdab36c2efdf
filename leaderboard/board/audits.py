"""How far the judges of a board agree with people: audits of its runs, in `audits/` of its folder."""

import logging
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from leaderboard.board.verdicts import Verdicts
from leaderboard.store.folder import AUDITS, BoardFolder
from lvqa_eval.errors import LvqaError
from lvqa_eval.judging.audit.folder_score import score_audit
from lvqa_eval.judging.audit.items import AUDIT
from lvqa_eval.judging.panel_records import CONSENSUS
from lvqa_eval.metrics.agreement import AgainstHumans
from lvqa_eval.metrics.figures import Figure
from lvqa_eval.runs.identity import RunIdentity

PEOPLE: Final = "people"

_log = logging.getLogger(__name__)

Agreement = tuple[str, str, Figure, float]


def audit_folders(board: BoardFolder) -> list[Path]:
    """Return the audits of a board, sorted: folders that `lvqa audit` has made of runs of the board."""
    return sorted(path.parent for path in (board.folder / AUDITS).glob(f"*/{AUDIT}"))


def people_agreement(board: BoardFolder, verdicts: Verdicts, called: Sequence[str]) -> Iterator[Agreement]:
    """Yield how often each judge of a panel, and their consensus, rules as people settled.

    `called` are the names by which the judges are shown. Intervals are Wilson's, as of a sample. An audit
    that cannot be scored is told in the log.
    """
    names = {CONSENSUS: CONSENSUS, **dict(zip(verdicts.members, called, strict=True))}
    for folder in audit_folders(board):
        try:
            asked = RunIdentity.read(folder / AUDIT).settings.get("runs", {})
            score = score_audit(folder, [board.run(name) for name in asked])
        except LvqaError as error:
            _log.warning("%s: not shown: %s", folder, error)
            continue
        for one in score.judges:
            if one.judge in names and one.all.agreement.n:
                yield names[one.judge], PEOPLE, _figure(one.all), one.all.agreement.kappa


def _figure(found: AgainstHumans) -> Figure:
    same, n = found.accuracy, found.agreement.n
    ends = (same.low, same.high) if n else (math.nan, math.nan)
    return Figure(same.value, *ends, n, 0, 0, n, found.verdicts.n)

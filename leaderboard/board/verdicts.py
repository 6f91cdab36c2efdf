"""Whose verdicts the figures of a run rest on: those of the board's panel, else of its exact match."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from leaderboard.submissions.derive import EXACT_MATCH
from leaderboard.submissions.records import Badge
from lvqa_eval.judging.panel_members import MEMBERS, SERVED_BY
from lvqa_eval.judging.panel_records import CONSENSUS
from lvqa_eval.judging.protocols import FINAL_PROTOCOLS
from lvqa_eval.reports.study.judges import common_post_hoc
from lvqa_eval.runs.identity import RunIdentity
from lvqa_eval.runs.store import RunStore


@dataclass(frozen=True)
class Verdicts:
    """Whose verdicts a run is shown by.

    - `judge`, `post_hoc`: the files of the verdicts, and of the rulings turn by turn, None for nobody's.
    - `names`: the judges as they name themselves; `members` their files, none for exact match.
    - `ways`: a hash of how they judge, servers left out: rows that differ in it are not compared.
    """

    judge: str
    post_hoc: str | None
    names: tuple[str, ...]
    members: tuple[str, ...]
    ways: str

    @property
    def panel(self) -> bool:
        """Whether they are the board's panel."""
        return bool(self.members)


def board_verdicts(store: RunStore, panel: Sequence[str]) -> Verdicts | None:
    """Return whose verdicts a run of a board with this panel is shown by; None where nobody has judged it.

    `panel` has the judges as `board.yaml` names them: by file, by model, or as NAME@URL. They count together:
    a run that lacks one, or whose consensus is of others too, is still shown by exact match.
    """
    return _of_panel(store, panel) or _exact_match(store)


def badge_of(verdicts: Verdicts | None, has_panel: bool, verified: bool) -> Badge:
    """Return how far the figures of a submission can be trusted, verdicts that came with it left out.

    To have been held again counts once the board's judges have ruled on it.
    """
    judged = verdicts is not None and (verdicts.panel or not has_panel)
    if judged and verified:
        return "verified"
    return "panel" if verdicts is not None and verdicts.panel else "provisional"


def _exact_match(store: RunStore) -> Verdicts | None:
    if EXACT_MATCH not in store.judges():
        return None
    settings = {EXACT_MATCH: store.judge_identity(EXACT_MATCH).settings}
    # It compares every turn with the reference, so it tells of each turn as well.
    return Verdicts(EXACT_MATCH, EXACT_MATCH, (EXACT_MATCH,), (), _ways(settings))


def _of_panel(store: RunStore, panel: Sequence[str]) -> Verdicts | None:
    if not panel:
        return None
    settings = {name: store.judge_identity(name).settings for name in store.judges()}
    members = [_member(name.partition("@")[0], settings) for name in panel]
    found = {name: settings[name] for name in members if name is not None}
    if len(found) < len(panel):
        return None
    if len(found) == 1:
        judge, how = next(iter(found)), found
    elif set(settings.get(CONSENSUS, {}).get(MEMBERS, ())) == set(found):
        rule = {key: value for key, value in settings[CONSENSUS].items() if key != MEMBERS}
        judge, how = CONSENSUS, {**found, CONSENSUS: rule}
    else:
        return None
    names = tuple(str(how[name].get("judge", name)) for name in found)
    return Verdicts(judge, common_post_hoc({str(store.folder): store}), names, tuple(found), _ways(how))


def _member(wanted: str, settings: Mapping[str, Mapping[str, Any]]) -> str | None:
    """Return the file of a judge of the panel, None where it has not ruled on the last turns."""
    for name, how in settings.items():
        rules = how.get("protocol") in (*FINAL_PROTOCOLS, None) and not how.get("retest")
        if rules and MEMBERS not in how and wanted in (name, how.get("judge")):
            return name
    return None


def _ways(settings: Mapping[str, Mapping[str, Any]]) -> str:
    kept = {
        name: {key: value for key, value in how.items() if key not in SERVED_BY}
        for name, how in settings.items()
    }
    return RunIdentity(kept).digest()

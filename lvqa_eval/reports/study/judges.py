"""Which judge several runs are reported by, and whether it judged them all in one way."""

from collections.abc import Iterator, Mapping
from typing import Any

from lvqa_eval.judging.commands import judge_command
from lvqa_eval.judging.panel_members import MEMBERS, SERVED_BY
from lvqa_eval.judging.panel_records import CONSENSUS, CONSENSUS_POST_HOC
from lvqa_eval.reports.choice import NoJudgementError, choose_judge
from lvqa_eval.runs.changes import SettingChange, changes, listed
from lvqa_eval.runs.store import RunStore

Runs = Mapping[str, RunStore]
"""Runs by what messages and commands call them."""


def common_judge(runs: Runs, judge: str | None = None) -> str:
    """Return the judge that every run is reported by: `judge`, else the one that each would have alone.

    Raises NoJudgementError, which names every run that lacks it, and the command that makes it.
    """
    chosen: dict[str, str] = {}
    faults = []
    for name, store in runs.items():
        try:
            chosen[name] = choose_judge(store, judge)
        except NoJudgementError as error:
            faults.append(str(error))
    found = sorted(set(chosen.values()))
    if not found:
        raise NoJudgementError("\n".join(faults))
    wanted = CONSENSUS if CONSENSUS in found else found[0]
    if lacking := _without(runs, wanted):
        raise NoJudgementError(_lack(runs, wanted, lacking))
    if len(chosen) < len(runs) or len(found) > 1:
        told = "; ".join(f"{name} alone would be reported by {one}" for name, one in chosen.items())
        shared = ", ".join(_everywhere(runs))
        raise NoJudgementError(
            f"judge: {'; '.join([told, *faults])}; every run has {shared}: name one with --judge"
        )
    return wanted


def common_post_hoc(runs: Runs, judge: str | None = None) -> str | None:
    """Return the judge whose rulings turn by turn are read, None for none.

    It is `judge`, else the consensus of such judges, else the only one that has ruled on every run. Of known
    judges, which list every turn's attempt at all times, one counts if it is named. Raises NoJudgementError
    where a run does not have `judge`, or where it rules on the last turn alone.
    """
    everywhere, first = _everywhere(runs), next(iter(runs.values()))
    if judge is None:
        found = post_hoc_judges(runs)
        if CONSENSUS_POST_HOC in everywhere:
            return CONSENSUS_POST_HOC
        return found[0] if len(found) == 1 else None
    if lacking := _without(runs, judge):
        raise NoJudgementError(_lack(runs, judge, lacking))
    settings = first.judge_identity(judge).settings
    if settings.get("protocol") not in ("post-hoc", None) or settings.get("retest"):
        allowed = ", ".join(one for one in everywhere if _rules_turn_by_turn(first, one)) or "none as yet"
        raise NoJudgementError(f"post-hoc judge: found {judge!r}, allowed: {allowed}")
    return judge


def post_hoc_judges(runs: Runs) -> list[str]:
    """Return the judges that have ruled on every run turn by turn, a consensus of them left out."""
    first = next(iter(runs.values()))
    return [one for one in _everywhere(runs) if one != CONSENSUS_POST_HOC and _rules_turn_by_turn(first, one)]


def judge_changes(runs: Runs, judge: str) -> Iterator[SettingChange]:
    """Yield how the settings of a judge differ; those of a panel's members in place of their hashes."""
    settings = {name: dict(store.judge_identity(judge).settings) for name, store in runs.items()}
    members: dict[str, Mapping[str, Any]] = {name: one.pop(MEMBERS, {}) for name, one in settings.items()}
    yield from changes(settings, f"judge {judge}: ")
    if len({frozenset(of_run) for of_run in members.values()}) > 1:
        named = {name: ", ".join(sorted(of_run)) or "none" for name, of_run in members.items()}
        yield SettingChange(f"judge {judge}: {MEMBERS}", named)
        return
    for member in sorted(next(iter(members.values()))):
        yield from judge_changes(runs, member)


def is_of_serving(change: SettingChange) -> bool:
    """Tell whether one of `judge_changes` says only how the judge was served."""
    return change.path.partition(": ")[2].split(".")[0] in SERVED_BY


def _everywhere(runs: Runs) -> list[str]:
    return sorted(set.intersection(*(set(store.judges()) for store in runs.values())))


def _without(runs: Runs, judge: str) -> list[str]:
    return [name for name, store in runs.items() if judge not in store.judges()]


def _rules_turn_by_turn(store: RunStore, judge: str) -> bool:
    settings = store.judge_identity(judge).settings
    return settings.get("protocol") == "post-hoc" and not settings.get("retest")


def _lack(runs: Runs, judge: str, lacking: list[str]) -> str:
    """Say which runs lack a judge, what they have, and what makes it; a consensus is made of all runs."""
    having = [store for name, store in runs.items() if name not in lacking]
    consensus = judge in (CONSENSUS, CONSENSUS_POST_HOC)
    settings = having[0].judge_identity(judge).settings if having else {}
    command = judge_command(runs if consensus else lacking, judge, settings)
    held = (f"{name} has {', '.join(runs[name].judges()) or 'no judge'}" for name in lacking)
    return f"judge {judge}: {listed(lacking)} {'lacks' if len(lacking) == 1 else 'lack'} it " + (
        f"({'; '.join(held)}); make it: {command}"
    )

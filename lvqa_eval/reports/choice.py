"""Whose verdicts a report is made from, where its reader has not said."""

from lvqa_eval.errors import LvqaError
from lvqa_eval.judging.panel_records import CONSENSUS
from lvqa_eval.reports.header import PROVISIONAL_JUDGES
from lvqa_eval.runs.store import RunStore


class NoJudgementError(LvqaError, LookupError):
    """A report without verdicts to report, or with more than one judge to choose from."""


def choose_judge(store: RunStore, judge: str | None = None) -> str:
    """Return the judge to report: `judge` if it has judged, else the consensus, else the only one.

    Models come before exact match; those that rule turn by turn, or a second time, are not chosen unasked.
    Raises NoJudgementError where there is none, or no single one.
    """
    judges = store.judges()
    if not judges:
        raise NoJudgementError(
            f"{store.folder}: no judgements yet; make some: lvqa judge {store.folder} --judge exact-match"
        )
    if judge is not None and judge not in judges:
        raise NoJudgementError(
            f"{store.folder}: judge: found {judge!r}, allowed: {', '.join(judges)}; "
            f"or judge first: lvqa judge {store.folder} --judge {judge}"
        )
    final = [name for name in judges if _rules_on_final_turns(store, name)] or judges
    models = [name for name in final if name not in PROVISIONAL_JUDGES] or final
    if judge is None and CONSENSUS in models:
        return CONSENSUS
    if judge is None and len(models) > 1:
        raise NoJudgementError(
            f"{store.folder}: several judges; choose one with --judge: {', '.join(models)}"
        )
    return judge or models[0]


def _rules_on_final_turns(store: RunStore, judge: str) -> bool:
    settings = store.judge_identity(judge).settings
    return settings.get("protocol") != "post-hoc" and not settings.get("retest")

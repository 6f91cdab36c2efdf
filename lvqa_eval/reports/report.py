"""`lvqa report`: the tables and the page of a run, written from its records."""

from collections.abc import Mapping
from pathlib import Path

from lvqa_eval.errors import LvqaError
from lvqa_eval.files import write_whole
from lvqa_eval.judging.panel_records import CONSENSUS
from lvqa_eval.reports.conditions import depths
from lvqa_eval.reports.conditions.csv_table import comma_separated
from lvqa_eval.reports.conditions.formats import latex, markdown
from lvqa_eval.reports.conditions.table import PROVISIONAL_JUDGES, ConditionTable
from lvqa_eval.reports.page import page
from lvqa_eval.runs.store import RunStore


class NoJudgementError(LvqaError, LookupError):
    """A report without verdicts to report, or with more than one judge to choose from."""


def write_report(table: ConditionTable, run: str, out: Path) -> Path:
    """Write `conditions.csv`, `.md`, `.tex` and `index.html` into `out`; return the path of the page.

    Where the scenes are cut into different depths, `depths.csv` comes with them.
    `run` is the name of the run folder. Each file is whole or as it was before.
    """
    out.mkdir(parents=True, exist_ok=True)
    for name, text in render(table, run).items():
        write_whole(out / name, text)
    return out / "index.html"


def render(table: ConditionTable, run: str) -> Mapping[str, str]:
    """Return the files of a report by name; `run` is the name of the run folder."""
    return {
        "conditions.csv": comma_separated(table),
        "conditions.md": markdown(table),
        "conditions.tex": latex(table),
        "index.html": page(table, run),
        **({"depths.csv": depths.comma_separated(table)} if table.depths else {}),
    }


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

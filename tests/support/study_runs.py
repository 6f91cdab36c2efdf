"""Run folders of a study: one model each, judged by judges with settings of their own."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lvqa_eval.judging.panel_report import make_panel
from lvqa_eval.runs.records import Attempt, JudgementRecord
from lvqa_eval.runs.store import RunStore
from lvqa_eval.statuses import JudgeStatus
from tests.support.scored_runs import conversation, judgement, question, turn, write_run

QUESTIONS = tuple(question(f"q{i}", f"s{i // 2}") for i in range(4))
CONDITIONS = ("full", "sharded-v")
LAYERS = (turn([0], reply="Which layer?"), turn([1], reply="a circle"), turn([2], reply="a red circle"))
TURNS = {"full": (turn(composite=True),), "sharded-v": LAYERS, "question-only": (turn(),)}


def settings(judge: str, protocol: str = "final-turn", **changed: Any) -> dict[str, Any]:
    """Return the settings of a judge model."""
    return {"judge": judge, "protocol": protocol, "retest": False, "server": {"version": "1"}, **changed}


def study_run(
    folder: Path,
    model: str,
    judges: Mapping[str, Mapping[str, Any]] | None = None,
    *,
    right: str = "++--",
    conditions: tuple[str, ...] = CONDITIONS,
    questions: tuple[Any, ...] = QUESTIONS,
    runs: int = 1,
    **identity: Any,
) -> Path:
    """Write the run of a model; `right` has one letter a question, the same under every condition.

    `judges` maps the names of judges to their settings; those by "post-hoc" find an attempt in turns 2 and 3
    of three, the first of them right.
    """
    held = [*conditions, *identity.get("baselines", ())]
    keys = [
        (condition, one.question_id, run)
        for condition in held
        for one in questions
        for run in range(1, runs + 1)
    ]
    talks = [conversation(*key, turns=TURNS[key[0]]) for key in keys]
    write_run(folder, conditions, runs, questions, talks, {}, model={"name": model}, **identity)
    verdicts = {one.question_id: letter == "+" for one, letter in zip(questions, right, strict=False)}
    with RunStore.open(folder) as store:
        for name, how in (judges or {"m": settings("m")}).items():
            store.start_judge(name, how)
            for key in keys:
                turn_by_turn = how.get("protocol") == "post-hoc"
                store.append_judgement(
                    name, ruling(*key) if turn_by_turn else judgement(*key, verdicts[key[1]])
                )
    return folder


def ruling(condition: str, question_id: str, run: int) -> JudgementRecord:
    """Return what a post-hoc judge finds: of three turns the second is right and the third is not."""
    if condition != "sharded-v":
        return judgement(condition, question_id, run)
    attempts = (Attempt(2, "a circle", True), Attempt(3, "a red circle", False))
    return JudgementRecord(condition, question_id, run, JudgeStatus.OK, False, 2, attempts)


def consensus(*folders: Path) -> None:
    """Keep the consensus of all judges in runs."""
    make_panel(folders, None, None, 20, 0)

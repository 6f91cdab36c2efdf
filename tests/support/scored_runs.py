"""Records and run folders to score: built by hand, one short call each."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lvqa_eval.runs.identity import RunIdentity
from lvqa_eval.runs.records import (
    Attempt,
    ConversationRecord,
    JudgementRecord,
    QuestionRecord,
    TurnRecord,
)
from lvqa_eval.runs.store import RunStore
from lvqa_eval.statuses import JudgeStatus, Status


def question(
    question_id: str, scene_id: str, minimal_sets: tuple[tuple[int, ...], ...] = ((1, 2),), depth: int = 4
) -> QuestionRecord:
    evidence = {layer for minimal in minimal_sets for layer in minimal}
    return QuestionRecord(
        question_id=question_id,
        scene_id=scene_id,
        depth=depth,
        category="spatial",
        question="What is left of the square?",
        answer="a red circle",
        answer_description=None,
        gold_layers=minimal_sets[0],
        minimal_sets=minimal_sets,
        dependencies=(),
        distractors=tuple(layer for layer in range(depth) if layer not in evidence),
    )


def turn(layers: Sequence[int] = (), composite: bool = False, reply: str | None = "a circle") -> TurnRecord:
    return TurnRecord(
        user="Here it is.",
        question=False,
        shards=(),
        layers=tuple(layers),
        composite=composite,
        seed=1,
        status=Status.OK,
        reply=reply,
    )


def conversation(
    condition: str,
    question_id: str,
    run: int = 1,
    status: Status = Status.OK,
    turns: Sequence[TurnRecord] = (turn(composite=True),),
    misalignment: str | None = None,
) -> ConversationRecord:
    return ConversationRecord(condition, question_id, run, status, tuple(turns), misalignment)


def judgement(
    condition: str,
    question_id: str,
    run: int = 1,
    correct: bool | None = True,
    status: JudgeStatus = JudgeStatus.OK,
) -> JudgementRecord:
    if status is not JudgeStatus.OK:
        return JudgementRecord(condition, question_id, run, status, None, None)
    attempts = (Attempt(1, "a circle", bool(correct)),)
    return JudgementRecord(condition, question_id, run, status, correct, int(bool(correct)), attempts)


def write_run(
    folder: Path,
    conditions: Sequence[str],
    runs: int,
    questions: Sequence[QuestionRecord],
    conversations: Iterable[ConversationRecord],
    judgements: Mapping[str, Iterable[JudgementRecord]],
    **settings: Any,
) -> RunStore:
    """Write a run folder and return it opened for reading."""
    identity = {
        "model": {"name": "some/model-4b"},
        "dataset": {"name": "layered-vqa", "version": "1.0.0", "manifest_sha256": "0123456789abcdef" * 4},
        "conditions": list(conditions),
        "runs": runs,
        **settings,
    }
    with RunStore.create_or_resume(folder, RunIdentity(identity), questions) as store:
        for record in conversations:
            store.append(record)
        for judge, verdicts in judgements.items():
            store.start_judge(judge, {"judge": judge})
            for verdict in verdicts:
                store.append_judgement(judge, verdict)
    return RunStore.open(folder)

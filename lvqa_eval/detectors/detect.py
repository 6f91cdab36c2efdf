"""`lvqa detect`: one detector over one run, its scores written and set against the verdicts."""

import csv
import io
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from lvqa_eval.detectors.detector import Detector
from lvqa_eval.detectors.evaluate import Detection, evaluate
from lvqa_eval.files import write_whole
from lvqa_eval.matched import picture_of
from lvqa_eval.metrics.bootstrap import DRAWS
from lvqa_eval.metrics.scores import score_run
from lvqa_eval.runs.records import Key
from lvqa_eval.runs.store import RunStore
from lvqa_eval.statuses import Status

DETECTIONS = "detections"


class ScoredAnswer(NamedTuple):
    """One answer that has a verdict: its place, its score (NaN without one), and whether it is wrong."""

    condition: str
    question_id: str
    run: int
    scene_id: str
    score: float
    incorrect: bool


@dataclass(frozen=True)
class DetectionSummary:
    """One detector on one run, by condition and over all of them.

    Only answers are judged: conversations that ended otherwise, or have no verdict, are `left_out`.
    `pooled` also rewards a detector for telling hard conditions from easy ones; `by_condition` does not.
    """

    detector: str
    judge: str
    by_condition: Mapping[str, Detection]
    pooled: Detection
    left_out: int
    path: Path


def detect_run(
    store: RunStore, judge: str, detector: Detector, draws: int = DRAWS, seed: int = 0
) -> DetectionSummary:
    """Score every answer of a run, write `detections/<detector>.csv` in its folder, return the summary.

    Raises ValueError for a detector whose name is no file name.
    """
    if Path(detector.name).name != detector.name:
        raise ValueError(f"detector: name: found {detector.name!r}, allowed: a name without a path")
    answers, left_out = _score(store, judge, detector)
    path = store.folder / DETECTIONS / f"{detector.name}.csv"
    path.parent.mkdir(exist_ok=True)
    write_whole(path, _comma_separated(answers, judge))
    conditions = dict.fromkeys(answer.condition for answer in answers)
    return DetectionSummary(
        detector=detector.name,
        judge=judge,
        by_condition={
            condition: _evaluate([one for one in answers if one.condition == condition], draws, seed)
            for condition in conditions
        },
        pooled=_evaluate(answers, draws, seed),
        left_out=left_out,
        path=path,
    )


def _score(store: RunStore, judge: str, detector: Detector) -> tuple[list[ScoredAnswer], int]:
    conversations = store.conversations()
    scores = score_run(store, conversations, store.judgements(judge))
    answers = []
    for i, condition in enumerate(scores.conditions):
        for j, question in enumerate(scores.questions):
            for k, correct in enumerate(scores.correct[i, j], start=1):
                conversation = conversations.get(Key(condition, question.question_id, k))
                if conversation is None or conversation.status is not Status.OK or math.isnan(correct):
                    continue
                score = detector.score(question, conversation)
                answers.append(
                    ScoredAnswer(condition, question.question_id, k, question.scene_id, score, correct == 0)
                )
    return answers, scores.correct.size - len(answers)


def _evaluate(answers: list[ScoredAnswer], draws: int, seed: int) -> Detection:
    return evaluate(
        [answer.score for answer in answers],
        [answer.incorrect for answer in answers],
        [picture_of(answer.scene_id) for answer in answers],
        draws,
        seed,
    )


def _comma_separated(answers: list[ScoredAnswer], judge: str) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["judge", *ScoredAnswer._fields])
    for answer in answers:
        score = "" if math.isnan(answer.score) else repr(float(answer.score))
        writer.writerow([judge, *answer[:4], score, int(answer.incorrect)])
    return text.getvalue()

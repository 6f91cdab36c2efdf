"""From records to scores: one number, or its absence, for every conversation that the run planned."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic

import numpy as np
from numpy.typing import NDArray
from typing_extensions import TypeVar

from lvqa_eval.errors import LvqaError
from lvqa_eval.runs.records import (
    ConversationRecord,
    JudgementRecord,
    Key,
    PageRecord,
    Question,
    QuestionRecord,
)
from lvqa_eval.statuses import MODEL_FAILED, JudgeStatus, Status

if TYPE_CHECKING:
    from lvqa_eval.runs.store import RunStore

NOT_JUDGED = "not_judged"
MISSING = "missing"
JUDGE_FAILED = {
    JudgeStatus.PARSE_ERROR: "judge_parse_error",
    JudgeStatus.NO_QUORUM: "judge_no_quorum",
    JudgeStatus.TRANSPORT_ERROR: "judge_transport_error",
}

OUTCOMES: tuple[str, ...] = (
    *(status.value for status in Status),
    NOT_JUDGED,
    *JUDGE_FAILED.values(),
    MISSING,
)
"""What can become of a planned conversation; exactly one holds, `ok` where it has a verdict."""

_CODE = {name: code for code, name in enumerate(OUTCOMES)}

Asked = TypeVar("Asked", bound=Question)
Asked_co = TypeVar("Asked_co", bound=Question, covariant=True, default=QuestionRecord)
"""The record of the questions: plain `Scores` and `Study` are of layered scenes."""


class NoPlanError(LvqaError, ValueError):
    """A run whose `run.yaml` does not say what was planned."""


@dataclass(frozen=True)
class Scores(Generic[Asked_co]):
    """The planned grid of a run under one judge; arrays have the shape (conditions, questions, runs).

    `correct` is 1 or 0, NaN where the conversation does not count; `outcome` indexes `OUTCOMES`.
    Questions are sorted by id, so the order of the records does not matter. `outside` counts conversations
    that the plan does not have; they are left out.
    """

    conditions: tuple[str, ...]
    questions: tuple[Asked_co, ...]
    correct: NDArray[np.float64]
    outcome: NDArray[np.int8]
    outside: int = 0

    @property
    def scenes(self) -> tuple[str, ...]:
        """The clusters of the questions, sorted, which the bootstrap draws: pictures, or documents."""
        return scene_clusters(self.questions)[0]

    @property
    def scene_of(self) -> NDArray[np.intp]:
        """For each question the index of its scene in `scenes`."""
        return scene_clusters(self.questions)[1]

    def of(self, condition: str) -> NDArray[np.float64]:
        """Return `correct` of one condition, (questions, runs); all NaN for one that was not planned."""
        if condition not in self.conditions:
            return np.full(self.correct.shape[1:], np.nan)
        return np.asarray(self.correct[self.conditions.index(condition)])


def scene_clusters(questions: Sequence[Question]) -> tuple[tuple[str, ...], NDArray[np.intp]]:
    """Return the clusters of `questions`, sorted, and for each question the index of its own."""
    clusters = [question.cluster for question in questions]
    scenes = tuple(sorted(set(clusters)))
    index = {scene: i for i, scene in enumerate(scenes)}
    return scenes, np.array([index[cluster] for cluster in clusters], dtype=np.intp)


def score(
    conditions: Sequence[str],
    runs: int,
    questions: Iterable[Asked],
    conversations: Mapping[Key, ConversationRecord],
    judgements: Mapping[Key, JudgementRecord],
) -> Scores[Asked]:
    """Return the scores of every planned (condition, question, run).

    A conversation that ended `ok` has its verdict; one that the model failed counts as wrong; any other, and
    one without a valid judgement or without a record, does not count and lowers the coverage.
    """
    ordered = tuple(sorted(questions, key=lambda question: question.question_id))
    row_of = {condition: i for i, condition in enumerate(conditions)}
    column_of = {question.question_id: i for i, question in enumerate(ordered)}
    shape = (len(row_of), len(ordered), runs)
    correct = np.full(shape, np.nan)
    outcome = np.full(shape, _CODE[MISSING], dtype=np.int8)
    outside = 0
    for key, conversation in conversations.items():
        if key.condition not in row_of or key.question_id not in column_of or not 1 <= key.run <= runs:
            outside += 1
            continue
        cell = (row_of[key.condition], column_of[key.question_id], key.run - 1)
        name, correct[cell] = _count(conversation, judgements.get(key))
        outcome[cell] = _CODE[name]
    return Scores(tuple(row_of), ordered, correct, outcome, outside)


def score_run(
    store: "RunStore",
    conversations: Mapping[Key, ConversationRecord],
    judgements: Mapping[Key, JudgementRecord],
) -> Scores:
    """Return the scores of a layered run's conditions from what was read of it, by the plan of its identity.

    Baselines are no conditions and have scores of their own: see `score_baselines`. Raises NoPlanError for
    a `run.yaml` without a plan.
    """
    return score_conditions(store, conversations, judgements, QuestionRecord)


def score_pages(
    store: "RunStore",
    conversations: Mapping[Key, ConversationRecord],
    judgements: Mapping[Key, JudgementRecord],
) -> Scores[PageRecord]:
    """Return the scores of a run over pages, as `score_run` does those of one over layered scenes."""
    return score_conditions(store, conversations, judgements, PageRecord)


def score_conditions(
    store: "RunStore",
    conversations: Mapping[Key, ConversationRecord],
    judgements: Mapping[Key, JudgementRecord],
    kind: type[Asked],
) -> Scores[Asked]:
    """Return the scores of a run's conditions; `kind` is the record that its questions have."""
    settings = _plan(store)
    beside = settings.get("baselines", ())
    held = {key: record for key, record in conversations.items() if key.condition not in beside}
    asked = store.questions_of(kind).values()
    return score(settings["conditions"], settings["runs"], asked, held, judgements)


def score_baselines(
    store: "RunStore",
    conversations: Mapping[Key, ConversationRecord],
    judgements: Mapping[Key, JudgementRecord],
    kind: type[Asked],
) -> Scores[Asked]:
    """Return the scores of the baselines that a run held beside its conditions, on the same questions."""
    settings = _plan(store)
    beside = list(settings.get("baselines", ()))
    held = {key: record for key, record in conversations.items() if key.condition in beside}
    return score(beside, settings["runs"], store.questions_of(kind).values(), held, judgements)


def _plan(store: "RunStore") -> Mapping[str, Any]:
    settings = store.identity.settings
    missing = [key for key in ("conditions", "runs") if key not in settings]
    if missing:
        raise NoPlanError(f"{store.folder / 'run.yaml'}: {', '.join(missing)}: missing; every run has them")
    return settings


def _count(conversation: ConversationRecord, judgement: JudgementRecord | None) -> tuple[str, float]:
    status = conversation.status
    if status in MODEL_FAILED:
        return status.value, 0.0
    if status is not Status.OK:
        return status.value, np.nan
    if judgement is None:
        return NOT_JUDGED, np.nan
    if judgement.status is not JudgeStatus.OK:
        return JUDGE_FAILED[judgement.status], np.nan
    if judgement.final_turn_correct is None:
        return JUDGE_FAILED[JudgeStatus.PARSE_ERROR], np.nan
    return status.value, float(judgement.final_turn_correct)

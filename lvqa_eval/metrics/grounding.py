"""What a reply names as its evidence against the layers that are: precision, recall and what lies beside."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from lvqa_eval.judging.grounding import parse_layers
from lvqa_eval.judging.layer_sets import LayersError
from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.metrics.controls import ALL_LAYERS
from lvqa_eval.metrics.delivery import cell_accuracy
from lvqa_eval.metrics.figures import FieldTable, field_table
from lvqa_eval.metrics.replicated import replicate
from lvqa_eval.metrics.study import Study
from lvqa_eval.runs.records import ConversationRecord, QuestionRecord
from lvqa_eval.statuses import MODEL_FAILED, Status

MEASURES: Final = (
    *("precision", "recall", "F1", "exact match"),
    *("completeness", "excess", "distractor", "invalid"),
)
"""The columns of grounding, in the order of `layer_measures`."""

JOINT: Final = ("accuracy", "joint", "gap")

EXACT = MEASURES.index("exact match")


@dataclass(frozen=True)
class GroundingResult:
    """The layers that replies name, and answers that are right with the right layers.

    - `measures`: columns `MEASURES`, the mean over questions of a question's mean over its runs, among the
      replies whose layers can be read.
    - `joint`: columns `JOINT`: accuracy, joint (correct and exact) and gap (accuracy less joint), over all
      conversations that count; one without readable layers is not joint.
    - `unread`: for each model how many conversations the model failed, by status, so have no layers.
    """

    measures: FieldTable
    joint: FieldTable
    unread: Mapping[str, Mapping[str, int]]


def layer_measures(
    predicted: frozenset[int], gold: frozenset[int], distractors: frozenset[int], depth: int
) -> tuple[float, ...]:
    """Return the figures of `MEASURES` for one reply with the layers P, against gold G and distractors X.

    Precision |P and G| / |P|; recall |P and G| / |G|; F1 their harmonic mean; exact match P = G; completeness
    G within P; then as shares of P: not in G, in X, and no layer of the scene. An empty P has 0 for all.
    """
    if not predicted:
        return (0.0,) * len(MEASURES)
    hits, named = len(predicted & gold), len(predicted)
    return (
        hits / named,
        hits / len(gold),
        2 * hits / (named + len(gold)),
        float(predicted == gold),
        float(gold <= predicted),
        len(predicted - gold) / named,
        len(predicted & distractors) / named,
        sum(not 0 <= layer < depth for layer in predicted) / named,
    )


def read_measures(
    question: QuestionRecord, conversation: ConversationRecord, alternatives: bool = False
) -> Sequence[float]:
    """Return `layer_measures` of a conversation's last reply, for `Study.grid`; nothing for one without.

    With `alternatives` gold is the minimal set with the highest F1 (the first of equals), else the gold set.
    """
    reply = conversation.turns[-1].reply if conversation.turns else None
    if conversation.status is not Status.OK or reply is None:
        return ()
    try:
        predicted = parse_layers(reply, question.depth)
    except LayersError:
        return ()
    sets = question.minimal_sets if alternatives else (question.gold_layers,)
    found = [
        layer_measures(predicted, frozenset(gold), frozenset(question.distractors), question.depth)
        for gold in sets
    ]
    return max(found, key=lambda one: one[MEASURES.index("F1")])


def grounding(
    study: Study, measures: Floats, weights: Floats, condition: str = ALL_LAYERS
) -> GroundingResult:
    """Return the grounding of each model.

    `measures` (models, questions, runs, 8) is what `read_measures` takes of the conversations of `condition`.
    """
    planned = study.planned_of([condition])
    valid = np.asarray(np.isfinite(measures).all(axis=-1))
    by_question = np.where(valid[..., None], measures, 0.0).sum(axis=2)
    with np.errstate(invalid="ignore"):  # a question without a readable reply is NaN, as wanted
        macro = by_question / valid.sum(axis=2)[..., None]
    statistic = replicate(
        np.moveaxis(macro, -1, 1)[..., None], planned, study.scene_of, weights, valid.sum(axis=2)[:, None]
    )
    correct = study.of([condition])
    exact = np.nan_to_num(measures[:, None, ..., EXACT], nan=0.0)
    values = np.concatenate([correct, correct * exact, correct * (1 - exact)], axis=1)
    joint = replicate(values, planned, study.scene_of, weights)
    return GroundingResult(
        field_table("Grounding", "share", study.models, MEASURES, statistic),
        field_table("Accuracy and grounding", "share", study.models, JOINT, joint),
        {model: _failed(study, model, condition) for model in study.models},
    )


def _failed(study: Study, model: str, condition: str) -> Mapping[str, int]:
    if condition not in study.conditions:
        return {}
    counts = cell_accuracy(study, model, condition).counts
    return {status.value: counts[status.value] for status in Status if status in MODEL_FAILED}

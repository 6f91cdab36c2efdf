"""The figures of one run over layered scenes, all of them from `lvqa_eval.metrics`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from leaderboard.board.measured import Measured, add_outcomes, in_groups
from lvqa_eval.metrics.attempts import first_correct_attempt
from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.metrics.controls import ALL_LAYERS, ORACLE
from lvqa_eval.metrics.delivery import FAMILIES, FULL, levels, paired, retained
from lvqa_eval.metrics.figures import FieldTable
from lvqa_eval.metrics.grounding import MEASURES, grounding, read_measures
from lvqa_eval.metrics.groups import by_depth
from lvqa_eval.metrics.recomposition import STREAMS
from lvqa_eval.metrics.reliability import reliability
from lvqa_eval.metrics.replicated import columns_of, replicate
from lvqa_eval.metrics.study import Study
from lvqa_eval.metrics.ungrounded import UNGROUNDED_CONDITIONS, evidence_turn, ungrounded
from lvqa_eval.reports.deliveries import DELIVERIES
from lvqa_eval.runs.records import ConversationRecord, JudgementRecord, Key

DELIVERED: Final = "delivered"
DELIVERY_CONDITIONS: Final = tuple(name for name, one in DELIVERIES.items() if one.family != "Diagnostic")
"""Conditions 1 to 14, `full` among them: they deliver the whole question and the whole scene."""

LOSSES: Final = ("concat-v", ORACLE)
"""The conditions whose loss is told by the number of layers."""

RETAINED: Final = {
    "question in pieces": "retained_question",
    "scene in layers": "retained_scene",
    "evidence order": "retained_order",
    "both at once": "retained_both",
}
GROUNDING: Final = {
    "F1": "grounding_f1",
    "precision": "grounding_precision",
    "recall": "grounding_recall",
    "exact match": "grounding_exact",
}
UNGROUNDED: Final = {"ungrounded": "ungrounded", "grounded accuracy": "grounded"}


@dataclass(frozen=True, eq=False)
class LayeredReadings:
    """What conversations and rulings of one model say beside right and wrong.

    - `measures` (1, questions, runs, 8): of the replies under all-layers; None where they were not asked.
    - `evidence`, `first_correct` (1, conditions, questions, runs); the latter None without rulings on turns.
    """

    measures: Floats | None
    evidence: Floats
    first_correct: Floats | None


def read_layered(
    study: Study,
    conversations: Mapping[Key, ConversationRecord],
    rulings: Mapping[Key, JudgementRecord] | None,
) -> LayeredReadings:
    """Return the readings of a study of one model."""
    measures = None
    if ALL_LAYERS in study.conditions:
        asked = {key: one for key, one in conversations.items() if key.condition == ALL_LAYERS}
        grid = study.grid(asked, read_measures, len(MEASURES))
        measures = grid[[study.conditions.index(ALL_LAYERS)]]
    return LayeredReadings(
        measures=measures,
        evidence=study.grid(conversations, evidence_turn)[None],
        first_correct=None if rulings is None else study.grid(rulings, first_correct_attempt)[None],
    )


def layered_figures(
    study: Study, readings: LayeredReadings | None, weights: Floats, needed: Sequence[str]
) -> Measured:
    """Return the figures of a study of one model; what it lacks the conversations for is left out.

    `delivered` is the mean accuracy over those of conditions 1 to 14 that the board needs, each with the
    same weight. Without `readings` there is nothing of named layers, nor of when the first right answer came.
    """
    measured = Measured()
    add_outcomes(measured, study)
    measured.add(study.conditions, levels(study, study.conditions, weights), kept=(FULL,))
    delivered = [one for one in DELIVERY_CONDITIONS if one in needed]
    if delivered:
        mean = levels(study, delivered, weights).mean(axis=1)
        measured.add([DELIVERED], columns_of([mean]))
    if FULL in study.conditions:
        _add_costs(measured, study, weights)
        families = {name: [one for one in held if one in needed] for name, held in FAMILIES.items()}
        whole = {name: held for name, held in families.items() if held}
        if whole:
            measured.add_table(RETAINED, retained(study, weights, whole))
    _add_reliability(measured, study, weights, delivered)
    if readings is not None:
        _add_readings(measured, study, readings, weights, needed)
    return measured


def _add_costs(measured: Measured, study: Study, weights: Floats) -> None:
    """Take the differences to `full`, also by depth, and what a last turn with the whole brings back."""
    others = [one for one in study.conditions if one != FULL]
    costs = replicate(*paired(study, others, FULL), study.scene_of, weights)
    measured.add([f"delta_{one}" for one in others], costs)
    groups = by_depth(study)
    for condition in study.held(LOSSES):
        keys = [f"depth_{condition}_{depth}" for depth in groups]
        values, planned = paired(study, [condition], FULL)
        measured.add(keys, in_groups(values, planned, groups, study, weights))
        sizes = (int(asked.sum()) for asked in groups.values())
        measured.counts.update(zip(keys, sizes, strict=True))
    for name, stream in STREAMS.items():
        values, planned = paired(study, [stream.recap], stream.sharded)
        measured.add([f"restored_{name}"], replicate(values, planned, study.scene_of, weights))


def _add_reliability(measured: Measured, study: Study, weights: Floats, conditions: Sequence[str]) -> None:
    """Take the mean over conditions of the questions that are decided both ways, or right at least once."""
    if study.correct.shape[3] < 2 or not conditions:
        return
    # As if every condition were a model, so that the mean over the models is that over the conditions.
    apart = replace(
        study,
        models=tuple(conditions),
        conditions=(DELIVERED,),
        correct=study.of(conditions)[0][:, None],
        outcome=np.where(study.planned_of(conditions), 0, -1).astype(np.int8)[0][:, None],
    )
    found = reliability(apart, weights)
    for key, table in (("unreliability", found.unreliability), ("aptitude", found.aptitude)):
        measured.add_table({DELIVERED: key}, _mean_alone(table))


def _mean_alone(table: FieldTable) -> FieldTable:
    """Return the mean over the models of a table as if it were of one model."""
    alone = {name: values[None] for name, values in vars(table.field).items()}
    return replace(table, models=("mean",), cells=type(table.field)(**alone))


def _add_readings(
    measured: Measured, study: Study, readings: LayeredReadings, weights: Floats, needed: Sequence[str]
) -> None:
    if readings.measures is not None:
        found = grounding(study, readings.measures, weights)
        measured.add_table(GROUNDING, found.measures)
        measured.add_table({"joint": "joint"}, found.joint)
    asked = tuple(one for one in UNGROUNDED_CONDITIONS if one in needed)
    # Pooled over fewer conditions the share would be of something else.
    if readings.first_correct is not None and asked and study.held(asked) == asked:
        early = ungrounded(study, readings.first_correct, readings.evidence, weights, asked)
        measured.add_table(UNGROUNDED, early.table)

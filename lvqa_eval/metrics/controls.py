"""Oracle against all-layers against full, and the question alone against any condition."""

from collections.abc import Sequence
from dataclasses import dataclass

from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.metrics.delivery import FULL, levels
from lvqa_eval.metrics.figures import FieldTable, field_table
from lvqa_eval.metrics.replicated import replicate
from lvqa_eval.metrics.study import Study, StudyError

ALL_LAYERS = "all-layers"
ORACLE = "oracle"
QUESTION_ONLY = "question-only"


@dataclass(frozen=True)
class ControlContrast:
    """`full`, `all-layers` and `oracle` on the (question, run) that count in all three (Table 2).

    `levels` has a column for each; `differences` one for each pair, named "one minus other".
    """

    levels: FieldTable
    differences: FieldTable


def control_contrast(study: Study, weights: Floats) -> ControlContrast:
    """Return what the layers add to the whole scene, and what is left with the sufficient ones alone."""
    columns = (FULL, ALL_LAYERS, ORACLE)
    same = study.common(columns)
    pairs = ((ALL_LAYERS, FULL), (ORACLE, FULL), (ORACLE, ALL_LAYERS))
    ones, others = ([pair[side] for pair in pairs] for side in range(2))
    planned = study.planned_in_all(columns)
    differences = replicate(same.of(ones) - same.of(others), planned, study.scene_of, weights)
    names = [f"{one} minus {other}" for one, other in pairs]
    return ControlContrast(
        field_table("Accuracy", "share", study.models, columns, levels(same, columns, weights)),
        field_table("Difference of accuracy", "difference", study.models, names, differences),
    )


def beyond_question(
    study: Study,
    baselines: Study,
    weights: Floats,
    conditions: Sequence[str],
    baseline: str = QUESTION_ONLY,
) -> FieldTable:
    """Return each condition's accuracy less that of the question alone, paired by question and run.

    `baselines` joins the baselines' scores (`scores.score_baselines`) of the same models. What a model
    reaches without a picture needs no picture: claims on evidence that was never seen rest on the rest.
    Raises StudyError where models or questions of the two differ.
    """
    ids = [[question.question_id for question in one.questions] for one in (study, baselines)]
    if study.models != baselines.models or ids[0] != ids[1]:
        raise StudyError("baselines: found other models or questions than the study has, allowed: the same")
    runs = min(study.correct.shape[3], baselines.correct.shape[3])
    values = study.of(conditions)[..., :runs] - baselines.of([baseline])[..., :runs]
    planned = study.planned_of(conditions)[..., :runs] & baselines.planned_of([baseline])[..., :runs]
    statistic = replicate(values, planned, study.scene_of, weights)
    name = f"Accuracy less that of {baseline}"
    return field_table(name, "difference", study.models, conditions, statistic)

"""Table 9: the layers that replies under all-layers name, against those that hold the evidence."""

import math
from collections.abc import Mapping
from typing import Final

from lvqa_eval.metrics.controls import ALL_LAYERS
from lvqa_eval.metrics.grounding import MEASURES, GroundingResult, grounding
from lvqa_eval.reports.exhibit import Exhibit
from lvqa_eval.reports.layered.field_rows import (
    ACCURACY,
    MEAN,
    PAPER,
    Beside,
    basis,
    lacking_conditions,
    model_table,
    pick,
    reported_table,
)
from lvqa_eval.reports.reported import reported_table as printed_table
from lvqa_eval.reports.study.inputs import StudyInputs
from lvqa_eval.reports.table import Head, Table, Value

NAME: Final = "grounding"
TITLE: Final = "Grounding"
DEFINITION: Final = (
    f"Under {ALL_LAYERS} a reply names the layers P that its answer needs; the gold set G is the first "
    "sufficient set of the question, the distractors X are the layers of no sufficient set. Precision "
    "|P and G| / |P|; recall |P and G| / |G|; F1 their harmonic mean; exact match: P is G; completeness: G "
    "is within P. As shares of P: excess, what is not in G; distractor, what is in X; invalid, numbers of no "
    "layer of the scene. A reply that names none has 0 in all.",
    "Each of the eight is the mean over the questions of a question's mean over its runs, among the replies "
    "whose layers can be read. Replies that the model failed (truncated, refused, empty, or without layers "
    "that can be read: unparsable) have none; they are counted by status.",
    f"{ACCURACY} Joint: conversations that are right and exact, gap: those that are right and not exact, "
    "both divided by all that count; one without readable layers is not exact. Accuracy is joint plus gap.",
    "Against the best set: G is, for each reply, the sufficient set with the highest F1 instead, the first "
    "of equals.",
    MEAN,
)
_COUNTED: Final = MEASURES[0]


def exhibit(inputs: StudyInputs) -> Exhibit:
    """Return Table 9: the measures of grounding, accuracy with grounding, and what cannot be read."""
    missing = lacking_conditions(inputs, (ALL_LAYERS,))
    if missing:
        return Exhibit(NAME, "Table 9", TITLE, PAPER, DEFINITION, missing=missing)
    study, readings = inputs.study, inputs.readings
    gold = grounding(study, readings.measures, inputs.weights)
    best = grounding(study, readings.best_measures, inputs.weights)
    joint = pick(best.joint, ("joint", "gap"))
    return Exhibit(
        name=NAME,
        label="Table 9",
        title=TITLE,
        paper=PAPER,
        definition=DEFINITION,
        basis=(
            *basis(pick(gold.measures, (_COUNTED,)), "readable layers"),
            *basis(pick(gold.joint, ("accuracy",)), "joint and gap"),
        ),
        tables=(
            model_table(NAME, "Layers named, against the gold set", gold.measures),
            model_table(f"{NAME}-joint", "Accuracy, and accuracy with exactly the gold set", gold.joint),
            model_table(
                f"{NAME}-best", "Layers named, against the best sufficient set", best.measures, joint
            ),
            _unread(gold.unread),
        ),
        reported=_reported(inputs, gold),
    )


def _unread(unread: Mapping[str, Mapping[str, int]]) -> Table:
    statuses = list(dict.fromkeys(status for counts in unread.values() for status in counts))
    rows: list[tuple[Value, ...]] = [
        (model, *(counts.get(status, 0) for status in statuses), sum(counts.values()))
        for model, counts in unread.items()
    ]
    several = len(rows) > 1
    if several:
        sums = [sum(counts.get(status, 0) for counts in unread.values()) for status in statuses]
        rows.append(("All models", *sums, sum(sums)))
    heads = (Head("Model"), *(Head(f"{one}, number", "count") for one in (*statuses, "all")))
    title = "Conversations that the model failed, so without layers"
    return Table(f"{NAME}-unread", title, heads, tuple(rows), summary=int(several))


def _reported(inputs: StudyInputs, found: GroundingResult) -> Table:
    (means,) = printed_table(PAPER, "accuracy").find(condition=ALL_LAYERS, questions="all")
    pairs = [
        Beside(f"mean: {column}", means.figures[column], found.joint.of_field(column))
        for column in ("accuracy", "joint")
    ]
    printed = printed_table(PAPER, "grounding")
    columns = {"accuracy": (found.joint, "accuracy"), "f1": (found.measures, "F1")}
    for row in printed.rows:
        same = [one for one in inputs.study.models if row in printed.find(model=one)]
        for key, (table, column) in columns.items():
            measured = table.at(same[0], column) if len(same) == 1 else math.nan
            pairs.append(Beside(f"{row.keys['model']}: {column}", row.figures[key], measured))
    notes = ("Rows of a model are of it alone.",)
    return reported_table(f"{NAME}-reported", pairs, inputs.study.models, "Of", notes)

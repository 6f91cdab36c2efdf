"""What each published delivery sends, in one line, and the family that it belongs to."""

from collections.abc import Iterable
from typing import NamedTuple

from lvqa_eval.reports.conditions.rows import ConditionRow


class Delivery(NamedTuple):
    """The family of a delivery condition, and what it sends."""

    family: str
    sends: str


DELIVERIES: dict[str, Delivery] = {
    "full": Delivery("Reference", "the scene and the question, one turn"),
    "concat-q": Delivery("Question in pieces", "the scene and all shards, one turn"),
    "shuffled-concat": Delivery("Question in pieces", "the scene and all shards out of order, one turn"),
    "sharded-q": Delivery("Question in pieces", "the scene, then one shard a turn"),
    "recap-q": Delivery("Question in pieces", "as sharded-q, then the complete question"),
    "snowball-q": Delivery("Question in pieces", "the scene; every turn repeats the shards so far"),
    "concat-v": Delivery("Scene in layers", "all layers and the question, one turn"),
    "sharded-v": Delivery("Scene in layers", "the question, one layer a turn"),
    "recap-v": Delivery("Scene in layers", "as sharded-v, then the whole scene"),
    "snowball-v": Delivery("Scene in layers", "the question; every turn repeats the layers so far"),
    "evidence-first": Delivery("Evidence order", "one layer a turn, those with the evidence first"),
    "evidence-last": Delivery("Evidence order", "one layer a turn, those with the evidence last"),
    "aligned-vq": Delivery("Both at once", "each shard with the layers that it speaks of"),
    "misaligned-vq": Delivery("Both at once", "each shard with other layers"),
    "all-layers": Delivery("Diagnostic", "the scene, all layers and the question, one turn"),
    "oracle": Delivery("Diagnostic", "only the layers that the answer needs, one turn"),
}

FURTHER = Delivery("Further conditions", "a condition added to the published ones")

BASELINES = {"question-only": Delivery("Baseline", "the question without any picture, one turn")}
FURTHER_BASELINE = Delivery("Baseline", "a baseline added to this project's")


def delivery(row: ConditionRow) -> Delivery:
    """Return the family and the description of a row, also of one that others added."""
    if row.baseline:
        return BASELINES.get(row.condition, FURTHER_BASELINE)
    return DELIVERIES.get(row.condition, FURTHER)


def families(rows: Iterable[ConditionRow]) -> dict[str, list[str]]:
    """Return family -> the names of its rows, both in the order in which they come."""
    groups: dict[str, list[str]] = {}
    for row in rows:
        groups.setdefault(delivery(row).family, []).append(row.condition)
    return groups

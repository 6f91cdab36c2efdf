"""What manifest and card say about a built dataset."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version as package_version
from typing import Any

from dataset_builders.layered_vqa.conditions import CONDITIONS, ConditionOptions, Schedule
from dataset_builders.layered_vqa.example import Example
from dataset_builders.layered_vqa.rows import CANARY
from dataset_builders.layered_vqa.sources.source import SceneSource

Scheduled = Mapping[str, Mapping[str, Schedule]]
"""question id -> condition -> schedule"""


def manifest_facts(
    source: SceneSource, version: str, options: ConditionOptions, scenes: int, scheduled: Scheduled
) -> dict[str, Any]:
    """Return what identifies a dataset: version, source with its options, conditions with theirs."""
    return {
        "dataset": "layered-vqa",
        "version": version,
        "canary": CANARY,
        "builder": {"lvqa": package_version("lvqa"), "pillow": package_version("pillow")},
        "source": {"name": source.name, "options": source.recorded_options()},
        "condition_options": asdict(options),
        "conditions": CONDITIONS.names(),
        "counts": {"scenes": scenes, "questions": len(scheduled)},
    }


def counts(examples: Sequence[Example], scheduled: Scheduled) -> dict[str, Any]:
    """Return how the questions spread, and how far `misaligned-vq` could go.

    `reversed_dependencies` counts the pairs whose `after` arrives in an earlier turn than their `before`:
    neither paired delivery keeps dependencies.
    """
    misaligned = [by_condition["misaligned-vq"] for by_condition in scheduled.values()]
    depths = Counter(example.depth for example in examples)
    return {
        "by_category": dict(sorted(Counter(example.category for example in examples).items())),
        "by_depth": {str(depth): count for depth, count in sorted(depths.items())},
        "misalignment": dict(sorted(Counter(str(one.misalignment) for one in misaligned).items())),
        "conflicts": sum(one.conflicts or 0 for one in misaligned),
        "reversed_dependencies": {
            name: sum(_reversed_pairs(one, scheduled[one.question_id][name]) for one in examples)
            for name in ("aligned-vq", "misaligned-vq")
        },
    }


def card_facts(facts: Mapping[str, Any], licences: Sequence[str]) -> dict[str, Any]:
    """Return what fills the holes of the card's template."""
    spread = facts["counts"]
    lines = ["| category | questions |", "|---|---:|"]
    lines += [f"| `{name}` | {count} |" for name, count in spread["by_category"].items()]
    lines += ["", "| layers | questions |", "|---:|---:|"]
    lines += [f"| {depth} | {count} |" for depth, count in spread["by_depth"].items()]
    return {
        "version": facts["version"],
        "questions": spread["questions"],
        "scenes": spread["scenes"],
        "conditions": len(facts["conditions"]),
        "source": facts["source"]["name"],
        "canary": CANARY,
        "composition": "\n".join(lines),
        "licences": ", ".join(licences),
    }


def _reversed_pairs(example: Example, schedule: Schedule) -> int:
    turn_of = {layer: index for index, turn in enumerate(schedule.turns) for layer in turn.layers}
    return sum(turn_of[after] < turn_of[before] for before, after in example.dependencies)

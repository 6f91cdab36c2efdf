"""What manifest, card and descriptions say about a built dataset."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version as package_version
from typing import Any

from dataset_builders.layered_vqa.conditions import CONDITIONS, ConditionOptions, Schedule
from dataset_builders.layered_vqa.example import Example
from dataset_builders.layered_vqa.rows import CANARY
from dataset_builders.layered_vqa.sources.source import SceneSource
from dataset_builders.licences import ANNOTATIONS
from dataset_builders.publishing.licensing import MIXED, Licensing, licensing
from lvqa_eval.images import Background

TITLE = "Layered-VQA"
DESCRIPTION = (
    "One scene, one question, sixteen deliveries: the whole picture or its RGBA layers, in one turn or over "
    "many, words and layers aligned or not. Each question has a reference answer and the layers that support "
    "it. A benchmark; not for training."
)

Scheduled = Mapping[str, Mapping[str, Schedule]]
"""question id -> condition -> schedule"""

SceneRows = Sequence[Mapping[str, Any]]


def identity_facts(
    source: SceneSource, version: str, options: ConditionOptions, layer_background: Background
) -> dict[str, Any]:
    """Return what identifies a dataset: version, source with its options, conditions with theirs.

    `layer_background` is what its layers should be laid over before a model sees them.
    """
    return {
        "dataset": "layered-vqa",
        "version": version,
        "canary": CANARY,
        "builder": {"lvqa": package_version("lvqa"), "pillow": package_version("pillow")},
        "source": {"name": source.name, "options": source.recorded_options()},
        "condition_options": asdict(options),
        "layer_background": layer_background,
        "conditions": CONDITIONS.names(),
    }


def counts(scenes: SceneRows, examples: Sequence[Example], scheduled: Scheduled) -> dict[str, Any]:
    """Return how the questions spread, and how far `misaligned-vq` could go.

    `reversed_dependencies` counts the pairs whose `after` arrives in an earlier turn than their `before`:
    neither paired delivery keeps dependencies.
    """
    misaligned = [by_condition["misaligned-vq"] for by_condition in scheduled.values()]
    depths = Counter(example.depth for example in examples)
    return {
        "scenes": len(scenes),
        "questions": len(scheduled),
        "by_category": dict(sorted(Counter(example.category for example in examples).items())),
        "by_depth": {str(depth): count for depth, count in sorted(depths.items())},
        "misalignment": dict(sorted(Counter(str(one.misalignment) for one in misaligned).items())),
        "conflicts": sum(one.conflicts or 0 for one in misaligned),
        "reversed_dependencies": {
            name: sum(_reversed_pairs(one, scheduled[one.question_id][name]) for one in examples)
            for name in ("aligned-vq", "misaligned-vq")
        },
    }


def licences_of(scenes: SceneRows) -> list[str]:
    """Return the licences of the pictures, sorted."""
    return sorted({scene["licence"] for scene in scenes})


def licence_of_all(scenes: SceneRows) -> Licensing:
    """Return what may be done with pictures and annotations together; `publish` refuses what is not sound."""
    return licensing({scene["scene_id"]: scene["licence"] for scene in scenes}, ANNOTATIONS, True)


def citation(version: str) -> str:
    """Return the project's BibTeX entry; the paper has its authors' own, so the card names its title."""
    return (
        "@misc{lvqa,\n"
        "  title = {{LVQA}: evaluating vision-language models on what delivery costs},\n"
        "  author = {{The LVQA developers}},\n"
        f"  note = {{Layered-VQA, version {version}}}\n"
        "}"
    )


def card_facts(facts: Mapping[str, Any], scenes: SceneRows) -> dict[str, Any]:
    """Return what fills the holes of the card's template."""
    spread = facts["counts"]
    return {
        "version": facts["version"],
        "questions": spread["questions"],
        "scenes": spread["scenes"],
        "conditions": len(facts["conditions"]),
        "source": facts["source"]["name"],
        "canary": CANARY,
        "layer_background": facts["layer_background"],
        "options": _table("option", "value", _options(facts)),
        "categories": _table("category", "questions", spread["by_category"].items()),
        "depths": _table("layers in the scene", "questions", spread["by_depth"].items()),
        "misalignment": _misalignment(spread),
        "licences": _licences(scenes),
        "annotations_licence": ANNOTATIONS,
        "together": _together(licence_of_all(scenes)),
        "citation": citation(facts["version"]),
    }


def _options(facts: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    yield from ((f"source: {name}", value) for name, value in facts["source"]["options"].items())
    yield from ((f"conditions: {name}", value) for name, value in facts["condition_options"].items())
    yield "layer_background", facts["layer_background"]
    yield from ((f"made with {name}", value) for name, value in facts["builder"].items())


def _misalignment(spread: Mapping[str, Any]) -> str:
    kinds = ", ".join(f"{count} {name}" for name, count in spread["misalignment"].items())
    pairs = spread["reversed_dependencies"]
    return (
        f"{kinds}; {spread['conflicts']} layers still come with a shard that they support. Dependencies "
        f"whose layers arrive in reverse: {pairs['aligned-vq']} in `aligned-vq`, {pairs['misaligned-vq']} in "
        "`misaligned-vq`."
    )


def _licences(scenes: SceneRows) -> str:
    lines = ["| licence | scenes | pictures |", "|---|---:|---:|"]
    for licence in licences_of(scenes):
        depths = [scene["depth"] for scene in scenes if scene["licence"] == licence]
        # A scene is its layers and its composite.
        lines.append(f"| {_cell(licence)} | {len(depths)} | {sum(depths) + len(depths)} |")
    return "\n".join(lines)


def _together(licence: Licensing) -> str:
    terms = ", ".join(licence.terms) or "nothing"
    if licence.whole != MIXED:
        return f"Together they can be passed on under the strictest of these, **{licence.whole}** ({terms})."
    return (
        "No single one of these covers the set as a whole, so each scene keeps its own; `NOASSERTION` means "
        f"that the source states none. Together those whose terms are known ask for: {terms}."
    )


def _table(name: str, value: str, lines: Any) -> str:
    align = "---:" if value == "questions" else "---"
    body = [f"| {_cell(key)} | {_cell(one)} |" for key, one in lines]
    return "\n".join([f"| {name} | {value} |", f"|---|{align}|", *body])


def _cell(value: Any) -> str:
    """Write a value so that it stays one cell of a Markdown table."""
    if value is None or value in ([], ()):
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    shown = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return " ".join(shown.split()).replace("|", "\\|")


def _reversed_pairs(example: Example, schedule: Schedule) -> int:
    turn_of = {layer: index for index, turn in enumerate(schedule.turns) for layer in turn.layers}
    return sum(turn_of[after] < turn_of[before] for before, after in example.dependencies)

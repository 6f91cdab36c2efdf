"""Examples and scenes as the JSON rows of the dataset folder."""

from typing import Any

from dataset_builders.layered_vqa.conditions import Schedule
from dataset_builders.layered_vqa.example import Example
from dataset_builders.layered_vqa.scene import Scene

CANARY = "LVQA canary 4a54f7a8-3d1e-4c55-9d5e-7a3b1f0c62e9, not for training"
"""Stands in every row and card, so that training corpora can be searched for it."""


def composite_path(scene_id: str) -> str:
    """Return where a scene's composite lies, relative to the dataset folder."""
    return f"scenes/{scene_id}/composite.png"


def layer_path(scene_id: str, layer: int) -> str:
    """Return where one layer of a scene lies, relative to the dataset folder."""
    return f"scenes/{scene_id}/layer-{layer}.png"


def condition_row(example: Example, condition: str, schedule: Schedule) -> dict[str, Any]:
    """Return the row of one example under one condition; pictures are named by relative path."""
    return {
        "question_id": example.question_id,
        "scene_id": example.scene_id,
        **_pictures(example.scene_id, example.depth),
        "question": example.question,
        "answer": example.answer,
        "answer_description": example.answer_description,
        "category": example.category,
        "gold_layers": list(example.gold_layers),
        "minimal_sets": [list(minimal) for minimal in example.minimal_sets],
        "dependencies": [{"before": before, "after": after} for before, after in example.dependencies],
        "shards": [
            {"id": shard.id, "text": shard.text, "support": list(shard.support)} for shard in example.shards
        ],
        "distractors": list(example.distractors),
        "condition": condition,
        "turns": [
            {
                "text": turn.text,
                "question": turn.question,
                "shards": list(turn.shards),
                "layers": list(turn.layers),
                "composite": turn.composite,
            }
            for turn in schedule.turns
        ],
        "misalignment": schedule.misalignment,
        "conflicts": schedule.conflicts,
        "canary": CANARY,
    }


def scene_row(scene: Scene) -> dict[str, Any]:
    """Return the row of one scene in the `scenes` config."""
    return {
        "scene_id": scene.scene_id,
        **_pictures(scene.scene_id, scene.depth),
        "width": scene.width,
        "height": scene.height,
        "depth": scene.depth,
        "source": scene.source,
        "licence": scene.licence,
        "attribution": scene.attribution,
        "captions": list(scene.captions),
        "notes": list(scene.notes),
        "canary": CANARY,
    }


def _pictures(scene_id: str, depth: int) -> dict[str, Any]:
    return {
        "composite_file_name": composite_path(scene_id),
        "layers_file_names": [layer_path(scene_id, layer) for layer in range(depth)],
    }

"""Check a built folder against everything that is promised of it."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image

from dataset_builders.layered_vqa.conditions import CONDITIONS, ConditionOptions, Schedule
from dataset_builders.layered_vqa.example import Example, Shard, problems
from dataset_builders.layered_vqa.rows import CANARY, condition_row
from dataset_builders.layered_vqa.scene import Pixels, compose, is_opaque
from dataset_builders.manifest import check_manifest
from dataset_builders.publishing.lint import lint
from lvqa_eval.dataset import Dataset, DatasetError, Row, SceneRow, open_dataset


def validate(folder: Path) -> list[str]:
    """Return every problem of a Layered-VQA folder, one line each; empty for a sound one.

    Checks the manifest's hashes, every row's fields, every example's invariants, every schedule against the
    condition that made it, the card, the canary, and that the layers of every scene make its composite
    exactly.
    """
    found = check_manifest(folder)
    try:
        dataset = open_dataset(str(folder))
        options = ConditionOptions(**dataset.manifest["condition_options"])
    except (DatasetError, KeyError, TypeError) as error:
        return [*found, *(getattr(error, "problems", None) or [f"{folder}: manifest.json: {error}"])]
    found += lint(folder)
    found += [f"{folder}: {name}.jsonl: a condition of the sixteen is missing" for name in _missing(dataset)]
    scenes: dict[str, SceneRow] = {}
    try:
        scenes = {scene.scene_id: scene for scene in dataset.scenes()}
        found += [line for scene in scenes.values() for line in _scene_problems(dataset, scene)]
    except DatasetError as error:
        found += error.problems
    for condition in dataset.conditions:
        try:
            rows = dataset.rows(condition)
        except DatasetError as error:
            found += error.problems
            continue
        for number, row in enumerate(rows, start=1):
            where = f"{folder / condition}.jsonl: line {number}"
            found += [f"{where}: {line}" for line in _row_problems(row, condition, options, scenes)]
    return found


def _missing(dataset: Dataset) -> list[str]:
    added = CONDITIONS.added()
    return [name for name in CONDITIONS.names() if name not in added and name not in dataset.conditions]


def _row_problems(
    row: Row, condition: str, options: ConditionOptions, scenes: dict[str, SceneRow]
) -> Iterator[str]:
    if row.condition != condition:
        yield f"{row.question_id}: condition: found {row.condition!r}, the file is of {condition!r}"
    scene = scenes.get(row.scene_id)
    if scene is None:
        yield f"{row.question_id}: scene_id: found {row.scene_id!r}, which scenes.jsonl lacks"
    elif (scene.composite_file_name, scene.layers_file_names) != (
        row.composite_file_name,
        row.layers_file_names,
    ):
        yield f"{row.question_id}: pictures: found others than those of scene {row.scene_id}"
    if row.canary != CANARY:
        yield f"{row.question_id}: canary: found {row.canary!r}, allowed: {CANARY!r}"
    example = example_of(row)
    broken = problems(example)
    yield from map(str, broken)
    if not broken and condition in CONDITIONS.names():
        yield from _schedule_problems(row, example, CONDITIONS.get(condition)(example, options))


def _schedule_problems(row: Row, example: Example, schedule: Schedule) -> Iterator[str]:
    expected = Row.model_validate(_as_tuples(condition_row(example, row.condition, schedule)))
    for field in ("turns", "misalignment", "conflicts"):
        found, allowed = getattr(row, field), getattr(expected, field)
        if found != allowed:
            yield f"{row.question_id}: {field}: found {found}, the condition gives {allowed}"


def _as_tuples(value: object) -> object:
    if isinstance(value, dict):
        return {key: _as_tuples(item) for key, item in value.items()}
    return tuple(_as_tuples(item) for item in value) if isinstance(value, list) else value


def example_of(row: Row) -> Example:
    """Return the example that a row was made from."""
    return Example(
        question_id=row.question_id,
        scene_id=row.scene_id,
        depth=row.depth,
        question=row.question,
        answer=row.answer,
        answer_description=row.answer_description,
        category=row.category,
        gold_layers=row.gold_layers,
        minimal_sets=row.minimal_sets,
        dependencies=tuple((pair.before, pair.after) for pair in row.dependencies),
        shards=tuple(Shard(shard.id, shard.text, shard.support) for shard in row.shards),
        distractors=row.distractors,
    )


def _scene_problems(dataset: Dataset, scene: SceneRow) -> Iterator[str]:
    where = f"{dataset.folder}: scenes.jsonl: {scene.scene_id}"
    try:
        composite = _pixels(dataset.picture(scene.composite_file_name), "RGB")
        layers = [_pixels(dataset.picture(name), "RGBA") for name in scene.layers_file_names]
    except (DatasetError, OSError, ValueError) as error:
        yield f"{where}: picture: {error}"
        return
    if scene.depth != len(layers) or scene.depth < 2 or len(scene.captions) != len(layers):
        yield f"{where}: depth: found {scene.depth}, {len(layers)} layers and {len(scene.captions)} captions"
    sizes = sorted({(picture.shape[1], picture.shape[0]) for picture in [composite, *layers]})
    if sizes != [(scene.width, scene.height)]:
        yield f"{where}: size: found pictures of {sizes}, the row has {scene.width}x{scene.height}"
    elif not is_opaque(layers[0]):
        yield f"{where}: layer 0: found transparent pixels, it must be opaque"
    elif not np.array_equal(compose(layers), composite):
        largest = int(np.abs(compose(layers).astype(int) - composite).max())
        yield f"{where}: composite: the layers miss it by up to {largest}/255, they must make it exactly"


def _pixels(path: Path, mode: str) -> Pixels:
    with Image.open(path) as picture:
        if picture.mode != mode:
            raise ValueError(f"{path}: found mode {picture.mode}, allowed: {mode}")
        return np.asarray(picture)

"""Scenes and examples to the dataset folder that `load_dataset` reads."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PIL import Image

from dataset_builders.layered_vqa import rows
from dataset_builders.layered_vqa.conditions import CONDITIONS, ConditionOptions
from dataset_builders.layered_vqa.example import Example, problems
from dataset_builders.layered_vqa.facts import identity_facts
from dataset_builders.layered_vqa.folder import write_files
from dataset_builders.layered_vqa.scene import Pixels, Scene
from dataset_builders.layered_vqa.sources.source import Material, SceneSource
from dataset_builders.manifest import MANIFEST
from dataset_builders.standing import BuildError, check_version, replaced, standing
from lvqa_eval.files import replacing
from lvqa_eval.images import Background
from lvqa_eval.progress import progress

__all__ = ["BuildError", "Built", "build"]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


@dataclass(frozen=True)
class Built:
    """What was written: where, how much, the facts of the manifest, and what stood there before.

    `replaced` says in words what differs from a build that was replaced; None where nothing does.
    """

    folder: Path
    scenes: int
    questions: int
    conditions: tuple[str, ...]
    facts: Mapping[str, Any]
    replaced: str | None = None


def build(
    source: SceneSource,
    folder: Path,
    version: str,
    options: ConditionOptions,
    *,
    layer_background: Background = "checkerboard",
    framework: str | None = None,
    replace: bool = False,
) -> Built:
    """Write the dataset of `source` to `folder`, replacing an earlier build there in one step.

    `layer_background` is recorded as what the layers should be laid over before a model sees them. With a
    `framework` the Hub's benchmark file is written. A build of another version is replaced only on `replace`.
    Raises BuildError with every problem of every scene and example; nothing is written then.
    """
    check_version(version)
    before = standing(folder, version, replace)
    bad_names = [f"condition {name!r}: {_NAMING}" for name in CONDITIONS.names() if not _named(name)]
    identity = identity_facts(source, version, options, layer_background)
    with replacing(folder) as draft:
        taken = _take(source, draft)
        if found := [*bad_names, *taken.problems, *_repeated(taken)]:
            raise BuildError(found)
        facts = write_files(draft, taken.scenes, taken.examples, identity, options, framework)
        told = replaced(before, json.loads((draft / MANIFEST).read_bytes()))
    conditions = tuple(CONDITIONS.names())
    return Built(folder, len(taken.scenes), len(taken.examples), conditions, facts, told)


@dataclass
class _Taken:
    """What was read from a source: rows of scenes whose pictures are written, examples, problems."""

    scenes: list[dict[str, Any]] = field(default_factory=list)
    examples: list[Example] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def _take(source: SceneSource, draft: Path) -> _Taken:
    """Read every scene once and write its pictures at once: pixels of one scene are held at a time."""
    taken = _Taken()
    with progress("scenes") as advance:
        for item in source.read():
            of_scene = item.scene.problems()
            taken.problems += [*_misnamed(item.scene), *of_scene, *_of_examples(item)]
            taken.examples += item.examples
            if not of_scene:
                taken.scenes.append(rows.scene_row(item.scene))
            # After the first problem nothing will be kept, but the others are still to be found.
            if not taken.problems:
                _write_pictures(draft, item.scene)
            advance()
    if not taken.examples:
        taken.problems.append("the source gives no question; a dataset needs at least one")
    return taken


_NAMING = "allowed in names: letters, digits, _ . -, the first a letter or digit"


def _named(name: str) -> bool:
    return _NAME.fullmatch(name) is not None


def _misnamed(scene: Scene) -> Iterator[str]:
    if not _named(scene.scene_id):
        yield f"scene {scene.scene_id!r}: {_NAMING}"


def _of_examples(item: Material) -> Iterator[str]:
    scene = item.scene
    for example in item.examples:
        if (example.scene_id, example.depth) != (scene.scene_id, scene.depth):
            yield (
                f"{example.question_id}: scene: found {example.scene_id} of {example.depth} layers, "
                f"it stands with {scene.scene_id} of {scene.depth}"
            )
        yield from map(str, problems(example))


def _repeated(taken: _Taken) -> Iterator[str]:
    for name, count in Counter(scene["scene_id"] for scene in taken.scenes).items():
        if count > 1:
            yield f"scene {name}: two scenes have this id"
    for name, count in Counter(example.question_id for example in taken.examples).items():
        if count > 1:
            yield f"{name}: two questions have this id"


def _write_pictures(draft: Path, scene: Scene) -> None:
    composite = draft / rows.composite_path(scene.scene_id)
    composite.parent.mkdir(parents=True, exist_ok=True)
    _save(scene.composite(), composite)
    for index, layer in enumerate(scene.layers):
        _save(layer, draft / rows.layer_path(scene.scene_id, index))


def _save(pixels: Pixels, path: Path) -> None:
    Image.fromarray(pixels).save(path, format="PNG")

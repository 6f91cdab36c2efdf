"""Scenes and examples to the dataset folder that `load_dataset` reads."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
from PIL import Image

from dataset_builders.layered_vqa import rows
from dataset_builders.layered_vqa.card import SCENES, render_card
from dataset_builders.layered_vqa.conditions import CONDITIONS, ConditionOptions, schedules
from dataset_builders.layered_vqa.example import Example, problems
from dataset_builders.layered_vqa.facts import Scheduled, card_facts, counts, manifest_facts
from dataset_builders.layered_vqa.scene import Pixels, Scene
from dataset_builders.layered_vqa.sources.source import Material, SceneSource
from dataset_builders.layered_vqa.text_columns import altered_columns
from dataset_builders.manifest import MANIFEST, hash_files, write_manifest
from dataset_builders.replacing import replacing
from lvqa_eval.errors import LvqaError
from lvqa_eval.progress import progress

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_VERSION = re.compile(r"\d+\.\d+\.\d+")


class BuildError(LvqaError, ValueError):
    """A folder that cannot be built; `problems` holds every reason, one line each."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = list(problems)


@dataclass(frozen=True)
class Built:
    """What was written: where, how much, and the facts of the manifest."""

    folder: Path
    scenes: int
    questions: int
    conditions: tuple[str, ...]
    facts: Mapping[str, Any]


def build(source: SceneSource, folder: Path, version: str, options: ConditionOptions) -> Built:
    """Write the dataset of `source` to `folder`, replacing an earlier build there in one step.

    Raises BuildError with every problem of every scene and example; nothing is written then.
    """
    if not _VERSION.fullmatch(version):
        raise BuildError([f"version: found {version!r}, allowed: MAJOR.MINOR.PATCH, like 1.0.0"])
    if folder.exists() and any(folder.iterdir()) and not (folder / MANIFEST).is_file():
        raise BuildError([f"{folder}: not empty and not a dataset folder; choose another place"])
    bad_names = [f"condition {name!r}: {_NAMING}" for name in CONDITIONS.names() if not _named(name)]
    with replacing(folder) as draft:
        taken = _take(source, draft)
        if found := [*bad_names, *taken.problems, *_repeated(taken)]:
            raise BuildError(found)
        scheduled = {example.question_id: schedules(example, options) for example in taken.examples}
        facts = manifest_facts(source, version, options, len(taken.scenes), scheduled)
        facts["counts"] |= counts(taken.examples, scheduled)
        _write_tables(draft, _tables(taken, scheduled))
        licences = sorted({scene["licence"] for scene in taken.scenes})
        card = render_card(version, _digests(draft), licences, card_facts(facts, licences))
        (draft / "README.md").write_text(card, encoding="utf-8")
        write_manifest(draft, facts)
    return Built(folder, len(taken.scenes), len(taken.examples), tuple(CONDITIONS.names()), facts)


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
            found = list(_problems(item))
            taken.problems += found
            taken.examples += item.examples
            if not item.scene.problems():
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


def _problems(item: Material) -> Iterator[str]:
    scene = item.scene
    if not _named(scene.scene_id):
        yield f"scene {scene.scene_id!r}: {_NAMING}"
    yield from scene.problems()
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


def _tables(taken: _Taken, scheduled: Scheduled) -> dict[str, list[dict[str, Any]]]:
    tables = {
        name: [
            rows.condition_row(example, name, scheduled[example.question_id][name])
            for example in taken.examples
        ]
        for name in CONDITIONS.names()
    }
    return tables | {SCENES: taken.scenes}


def _write_tables(draft: Path, tables: Mapping[str, list[dict[str, Any]]]) -> None:
    if found := [line for name, table in tables.items() for line in altered_columns(name, table)]:
        raise BuildError(found)
    for name, table in tables.items():
        with (draft / f"{name}.jsonl").open("wb") as file:
            file.writelines(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in table)


def _digests(draft: Path) -> dict[str, str]:
    """Return config -> SHA-256 over its rows and every picture."""
    hashes = hash_files(draft)
    pictures = "".join(f"{path} {digest}\n" for path, digest in hashes.items() if path.startswith("scenes/"))
    return {
        name: hashlib.sha256(f"{hashes[f'{name}.jsonl']}\n{pictures}".encode()).hexdigest()
        for name in [*CONDITIONS.names(), SCENES]
    }

"""Scenes and examples to the dataset folder that `load_dataset` reads."""

import hashlib
import os
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import version as package_version
from pathlib import Path
from typing import Any

import orjson
from PIL import Image

from dataset_builders.layered_vqa import rows
from dataset_builders.layered_vqa.card import SCENES, render_card
from dataset_builders.layered_vqa.conditions import CONDITIONS, ConditionOptions, Schedule, schedules
from dataset_builders.layered_vqa.example import Example, problems
from dataset_builders.layered_vqa.scene import Pixels, Scene
from dataset_builders.layered_vqa.sources.source import Material, SceneSource
from dataset_builders.layered_vqa.text_columns import altered_columns
from dataset_builders.manifest import MANIFEST, hash_files, write_manifest
from lvqa_eval.errors import LvqaError

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_VERSION = re.compile(r"\d+\.\d+\.\d+")


class BuildError(LvqaError, ValueError):
    """A folder that cannot be built; `problems` holds every reason, one line each."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = list(problems)


@dataclass(frozen=True)
class Built:
    """What was written: where, how much, and how the schedules came out."""

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
    material = list(source.read())
    scheduled = _checked(material, options)
    with _replacing(folder) as draft:
        facts = _facts(source, material, scheduled, version, options)
        _write(draft, material, scheduled, version, facts)
    examples = [example for item in material for example in item.examples]
    return Built(folder, len(material), len(examples), tuple(CONDITIONS.names()), facts)


Scheduled = Mapping[str, Mapping[str, Schedule]]
"""question id -> condition -> schedule"""


def _checked(material: Sequence[Material], options: ConditionOptions) -> Scheduled:
    found = [problem for item in material for problem in item.scene.problems()]
    found += [
        f"scene {name}: two scenes have this id" for name in _repeats(i.scene.scene_id for i in material)
    ]
    examples = [example for item in material for example in item.examples]
    found += [f"{name}: two questions have this id" for name in _repeats(e.question_id for e in examples)]
    if not examples:
        found.append("the source gives no question; a dataset needs at least one")
    for item in material:
        found += _misplaced(item)
        found += [str(problem) for example in item.examples for problem in problems(example)]
    names = [*CONDITIONS.names(), *(item.scene.scene_id for item in material)]
    found += [
        f"{name!r}: allowed in names of scenes and conditions: letters, digits, _ . -"
        for name in names
        if not _NAME.fullmatch(name)
    ]
    if found:
        raise BuildError(found)
    return {example.question_id: schedules(example, options) for example in examples}


def _misplaced(item: Material) -> Iterator[str]:
    for example in item.examples:
        if (example.scene_id, example.depth) != (item.scene.scene_id, item.scene.depth):
            yield (
                f"{example.question_id}: scene: found {example.scene_id} of {example.depth} layers, "
                f"it stands with {item.scene.scene_id} of {item.scene.depth}"
            )


def _repeats(names: Iterable[str]) -> list[str]:
    return [name for name, count in Counter(names).items() if count > 1]


@contextmanager
def _replacing(folder: Path) -> Iterator[Path]:
    """Give a draft folder beside `folder` that takes its place at the end, or vanishes on any error."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    draft = folder.with_name(f".{folder.name}.draft-{os.getpid()}")
    old = folder.with_name(f".{folder.name}.old-{os.getpid()}")
    draft.mkdir()
    try:
        yield draft
        if folder.exists():
            folder.rename(old)
        draft.rename(folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


def _write(
    draft: Path,
    material: Sequence[Material],
    scheduled: Scheduled,
    version: str,
    facts: Mapping[str, Any],
) -> None:
    for item in material:
        _write_pictures(draft, item.scene)
    tables = {name: _condition_rows(material, scheduled, name) for name in CONDITIONS.names()}
    tables[SCENES] = [rows.scene_row(item.scene) for item in material]
    found = [line for name, table in tables.items() for line in altered_columns(name, table)]
    if found:
        raise BuildError(found)
    for name, table in tables.items():
        with (draft / f"{name}.jsonl").open("wb") as file:
            file.writelines(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in table)
    licences = sorted({item.scene.licence for item in material})
    card = render_card(version, _digests(draft, list(tables)), licences, _card_facts(facts, licences))
    (draft / "README.md").write_text(card, encoding="utf-8")
    write_manifest(draft, facts)


def _write_pictures(draft: Path, scene: Scene) -> None:
    composite = draft / rows.composite_path(scene.scene_id)
    composite.parent.mkdir(parents=True)
    _save(scene.composite(), composite)
    for index, layer in enumerate(scene.layers):
        _save(layer, draft / rows.layer_path(scene.scene_id, index))


def _save(pixels: Pixels, path: Path) -> None:
    Image.fromarray(pixels).save(path, format="PNG")


def _condition_rows(
    material: Sequence[Material], scheduled: Scheduled, condition: str
) -> list[dict[str, Any]]:
    return [
        rows.condition_row(example, condition, scheduled[example.question_id][condition])
        for item in material
        for example in item.examples
    ]


def _digests(draft: Path, configs: Sequence[str]) -> dict[str, str]:
    """Return config -> SHA-256 over its rows and every picture."""
    hashes = hash_files(draft)
    pictures = "".join(f"{path} {digest}\n" for path, digest in hashes.items() if path.startswith("scenes/"))
    return {
        name: hashlib.sha256(f"{hashes[f'{name}.jsonl']}\n{pictures}".encode()).hexdigest()
        for name in configs
    }


def _facts(
    source: SceneSource,
    material: Sequence[Material],
    scheduled: Scheduled,
    version: str,
    options: ConditionOptions,
) -> dict[str, Any]:
    examples: list[Example] = [example for item in material for example in item.examples]
    misaligned = [by_condition["misaligned-vq"] for by_condition in scheduled.values()]
    return {
        "dataset": "layered-vqa",
        "version": version,
        "canary": rows.CANARY,
        "builder": {"lvqa": package_version("lvqa"), "pillow": package_version("pillow")},
        "source": {"name": source.name, "options": source.recorded_options()},
        "condition_options": asdict(options),
        "conditions": CONDITIONS.names(),
        "counts": {
            "scenes": len(material),
            "questions": len(examples),
            "by_category": dict(sorted(Counter(example.category for example in examples).items())),
            "by_depth": {
                str(depth): count
                for depth, count in sorted(Counter(example.depth for example in examples).items())
            },
            "misalignment": dict(sorted(Counter(str(one.misalignment) for one in misaligned).items())),
            "conflicts": sum(one.conflicts or 0 for one in misaligned),
            "reversed_dependencies": {
                name: sum(_reversed_pairs(e, scheduled[e.question_id][name]) for e in examples)
                for name in ("aligned-vq", "misaligned-vq")
            },
        },
    }


def _reversed_pairs(example: Example, schedule: Schedule) -> int:
    """Count the dependencies whose `after` arrives in an earlier turn than their `before`."""
    turn_of = {layer: index for index, turn in enumerate(schedule.turns) for layer in turn.layers}
    return sum(turn_of[after] < turn_of[before] for before, after in example.dependencies)


def _card_facts(facts: Mapping[str, Any], licences: Sequence[str]) -> dict[str, Any]:
    counts = facts["counts"]
    lines = ["| category | questions |", "|---|---:|"]
    lines += [f"| `{name}` | {count} |" for name, count in counts["by_category"].items()]
    lines += ["", "| layers | questions |", "|---:|---:|"]
    lines += [f"| {depth} | {count} |" for depth, count in counts["by_depth"].items()]
    return {
        "version": facts["version"],
        "questions": counts["questions"],
        "scenes": counts["scenes"],
        "conditions": len(facts["conditions"]),
        "source": facts["source"]["name"],
        "canary": rows.CANARY,
        "composition": "\n".join(lines),
        "licences": ", ".join(licences),
    }

"""The files beside the pictures of a dataset folder: rows, card, descriptions, manifest."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from dataset_builders.croissant import CROISSANT, Described, Stored, describe
from dataset_builders.hub_benchmark import BENCHMARK, benchmark_file
from dataset_builders.layered_vqa import rows
from dataset_builders.layered_vqa.card import CONDITION_FEATURES, SCENE_FEATURES, SCENES, render_card
from dataset_builders.layered_vqa.conditions import CONDITIONS, ConditionOptions, schedules
from dataset_builders.layered_vqa.example import Example
from dataset_builders.layered_vqa.facts import (
    DESCRIPTION,
    TITLE,
    Scheduled,
    card_facts,
    citation,
    counts,
    licence_of_all,
    licences_of,
)
from dataset_builders.layered_vqa.text_columns import altered_columns
from dataset_builders.licences import ANNOTATIONS
from dataset_builders.manifest import hash_files, write_manifest
from dataset_builders.standing import BuildError

SceneRows = Sequence[Mapping[str, Any]]

_READABLE = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE


def write_files(
    folder: Path,
    scenes: SceneRows,
    examples: Sequence[Example],
    identity: Mapping[str, Any],
    options: ConditionOptions,
    framework: str | None = None,
) -> dict[str, Any]:
    """Write everything but the pictures, which stand in `folder` already; returns the manifest's facts.

    `scenes` holds the rows of the `scenes` config and `identity` what identifies the dataset. With a
    `framework` the Hub's benchmark file is written too. Raises BuildError for text that loading would change.
    """
    scheduled = {example.question_id: schedules(example, options) for example in examples}
    facts = {**identity, "counts": counts(scenes, examples, scheduled)}
    tables = _tables(scenes, examples, scheduled)
    if found := [line for name, table in tables.items() for line in altered_columns(name, table)]:
        raise BuildError(found)
    for name, table in tables.items():
        with (folder / f"{name}.jsonl").open("wb") as file:
            file.writelines(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in table)
    hashes = hash_files(folder)
    digests = _digests(hashes)
    card = render_card(facts["version"], digests, licence_of_all(scenes).whole, card_facts(facts, scenes))
    (folder / "README.md").write_text(card, encoding="utf-8")
    licences = sorted({*licences_of(scenes), ANNOTATIONS})
    _write_croissant(folder, facts, licences, hashes)
    if framework:
        text = benchmark_file(TITLE, DESCRIPTION, framework, CONDITIONS.names())
        (folder / BENCHMARK).write_text(text, encoding="utf-8")
    write_manifest(folder, facts, known=hashes)
    return facts


def _tables(
    scenes: SceneRows, examples: Sequence[Example], scheduled: Scheduled
) -> dict[str, Sequence[Mapping[str, Any]]]:
    tables: dict[str, Sequence[Mapping[str, Any]]] = {
        name: [rows.condition_row(one, name, scheduled[one.question_id][name]) for one in examples]
        for name in CONDITIONS.names()
    }
    return tables | {SCENES: scenes}


def _digests(hashes: Mapping[str, str]) -> dict[str, str]:
    """Return config -> SHA-256 over its rows and every picture."""
    pictures = "".join(f"{path} {digest}\n" for path, digest in hashes.items() if path.startswith("scenes/"))
    return {
        name: hashlib.sha256(f"{hashes[f'{name}.jsonl']}\n{pictures}".encode()).hexdigest()
        for name in [*CONDITIONS.names(), SCENES]
    }


def _write_croissant(
    folder: Path, facts: Mapping[str, Any], licences: Sequence[str], hashes: Mapping[str, str]
) -> None:
    version = facts["version"]
    stored = {path: Stored(digest, (folder / path).stat().st_size) for path, digest in hashes.items()}
    about = Described(facts["dataset"], version, DESCRIPTION, citation(version), licences)
    features = dict.fromkeys(CONDITIONS.names(), CONDITION_FEATURES) | {SCENES: SCENE_FEATURES}
    (folder / CROISSANT).write_bytes(orjson.dumps(describe(about, stored, features), option=_READABLE))

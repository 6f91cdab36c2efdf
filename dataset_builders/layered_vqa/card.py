"""The dataset card: typed configs in YAML, then prose from the template."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from string import Template
from textwrap import indent
from typing import Any

from dataset_builders.card_head import hub_licence, size_category, to_yaml

_COMMON_PICTURES = [
    {"name": "composite", "dtype": {"image": {"mode": "RGB"}}},
    {"name": "layers", "list": {"image": {"mode": "RGBA"}}},
]


def _typed(**fields: str) -> list[dict[str, Any]]:
    return [{"name": name, "dtype": dtype} for name, dtype in fields.items()]


CONDITION_FEATURES: list[dict[str, Any]] = [
    *_typed(question_id="string", scene_id="string"),
    *_COMMON_PICTURES,
    *_typed(question="string", answer="string", answer_description="string", category="string"),
    {"name": "gold_layers", "list": "int32"},
    {"name": "minimal_sets", "list": {"list": "int32"}},
    {"name": "dependencies", "list": _typed(before="int32", after="int32")},
    {"name": "shards", "list": [*_typed(id="int32", text="string"), {"name": "support", "list": "int32"}]},
    {"name": "distractors", "list": "int32"},
    *_typed(condition="string"),
    {
        "name": "turns",
        "list": [
            *_typed(text="string", question="bool"),
            {"name": "shards", "list": "int32"},
            {"name": "layers", "list": "int32"},
            *_typed(composite="bool"),
        ],
    },
    *_typed(misalignment="string", conflicts="int32", canary="string"),
]

SCENE_FEATURES: list[dict[str, Any]] = [
    *_typed(scene_id="string"),
    *_COMMON_PICTURES,
    *_typed(width="int32", height="int32", depth="int32", source="string"),
    *_typed(licence="string", attribution="string"),
    {"name": "captions", "list": "string"},
    {"name": "notes", "list": "string"},
    *_typed(canary="string"),
]

SCENES = "scenes"
"""Name of the config that has one row a scene."""


def config_entry(name: str, version: str, digest: str) -> dict[str, Any]:
    """Return one entry of `configs:`.

    Features must stand here: under `dataset_info:` they are ignored and empty lists become null columns.
    The digest of rows and pictures in the description enters the key of the local cache, so that a rebuilt
    folder of the same name and version is read anew.
    """
    return {
        "config_name": name,
        **({"default": True} if name == "full" else {}),
        "data_files": [{"split": "test", "path": [f"{name}.jsonl", "scenes/**"]}],
        "metadata_filenames": [f"{name}.jsonl"],
        "drop_labels": True,
        "version": version,
        "description": f"rows+images sha256:{digest[:16]}",
        "features": SCENE_FEATURES if name == SCENES else CONDITION_FEATURES,
    }


def render_card(version: str, digests: Mapping[str, str], licence: str, facts: Mapping[str, Any]) -> str:
    """Return the card's text.

    `digests` maps config name -> SHA-256, `licence` is that of the whole as SPDX names it, and `facts` fill
    the template's holes.
    """
    head = {
        "pretty_name": "Layered-VQA",
        **hub_licence(licence),
        "language": ["en"],
        "task_categories": ["visual-question-answering"],
        "size_categories": [size_category(facts["questions"])],
        "tags": ["benchmark", "multi-turn", "layered-images", "not-for-training"],
        "version": version,
    }
    entries = "".join(_entry(config_entry(name, version, digest)) for name, digest in digests.items())
    template = Template(files("cards").joinpath("layered-vqa.md").read_text(encoding="utf-8"))
    return f"---\n{to_yaml(head)}configs:\n{entries}---\n\n{template.substitute(facts)}"


def _entry(config: Mapping[str, Any]) -> str:
    """Return one item of the list `configs`.

    Each entry repeats one of two long feature lists: anchors would be valid YAML but no parser of cards is
    tested with them, so the lists are written out, and made once since that takes most of the time.
    """
    rest = {key: value for key, value in config.items() if key != "features"}
    return (
        f"{to_yaml([rest])}{_scene_features() if config['config_name'] == SCENES else _condition_features()}"
    )


@cache
def _scene_features() -> str:
    return indent(to_yaml({"features": SCENE_FEATURES}), "  ")


@cache
def _condition_features() -> str:
    return indent(to_yaml({"features": CONDITION_FEATURES}), "  ")

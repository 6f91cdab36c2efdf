"""The dataset card: typed configs in YAML, then prose from the template."""

from collections.abc import Mapping
from importlib.resources import files
from string import Template
from typing import Any

from dataset_builders.bear_bench.facts import TITLE, card_facts, licence_of_all
from dataset_builders.bear_bench.tables import TYPES
from dataset_builders.card_head import hub_licence, size_category, to_yaml
from dataset_builders.licences import ANNOTATIONS
from dataset_builders.publishing.lint import rows_and_pictures
from lvqa_eval.pages import COLUMNS, DOMAINS, LANGUAGES, PICTURE, PageRow

FEATURES = [
    {"name": name, "dtype": {"image": {"mode": "RGB"}} if name == PICTURE else TYPES[name]}
    for name in COLUMNS
]

ALL = "all"


def configs_of(cells: Mapping[str, int]) -> dict[str, dict[str, list[str]]]:
    """Return config -> split -> files, of the cells that have pages: readers cannot load an empty split."""
    domains = {ALL: DOMAINS, **{domain: (domain,) for domain in DOMAINS}}
    found = {
        config: {
            language: [f"{domain}-{language}.parquet" for domain in parts if cells[f"{domain}-{language}"]]
            for language in LANGUAGES
        }
        for config, parts in domains.items()
    }
    full = {
        config: {split: paths for split, paths in splits.items() if paths} for config, splits in found.items()
    }
    return {config: splits for config, splits in full.items() if splits}


def render_card(facts: Mapping[str, Any], rows: list[PageRow], hashes: Mapping[str, str]) -> str:
    """Return the card's text. `hashes` maps file -> SHA-256."""
    head = {
        "pretty_name": TITLE,
        **hub_licence(licence_of_all(rows, ANNOTATIONS, True).whole),
        "language": sorted({row.language for row in rows}),
        "task_categories": ["visual-question-answering", "document-question-answering"],
        "size_categories": [size_category(len(rows))],
        "tags": ["benchmark", "documents", "bilingual", "not-for-training"],
        "version": facts["version"],
        "configs": [
            _config(name, splits, facts["version"], hashes)
            for name, splits in configs_of(facts["cells"]).items()
        ],
    }
    template = Template(files("cards").joinpath("bear-bench.md").read_text(encoding="utf-8"))
    return f"---\n{to_yaml(head)}---\n\n{template.substitute(card_facts(facts, rows))}"


def _config(
    name: str, splits: Mapping[str, list[str]], version: str, hashes: Mapping[str, str]
) -> dict[str, Any]:
    """Return one entry of `configs:`.

    The digest of its files in the description enters the key of the local cache, so that a rebuilt folder of
    the same name and version is read anew.
    """
    paths = [path for split in splits.values() for path in split]
    return {
        "config_name": name,
        **({"default": True} if name == ALL else {}),
        "data_files": [{"split": split, "path": found} for split, found in splits.items()],
        "version": version,
        "description": f"rows+images sha256:{rows_and_pictures(paths, hashes)[:16]}",
        "features": FEATURES,
    }

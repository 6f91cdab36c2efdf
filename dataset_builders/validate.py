"""Check a dataset folder of any kind."""

from pathlib import Path

from lvqa_eval.dataset_folder import DatasetError, open_manifest
from lvqa_eval.extensions import Registry

VALIDATORS = Registry(
    "lvqa.validators",
    {
        "layered-vqa": "dataset_builders.layered_vqa.validate:validate",
        "bear-bench": "dataset_builders.bear_bench.validate:validate",
    },
)
"""The name of a dataset in its manifest -> the function that checks its folder."""


def validate(folder: Path) -> list[str]:
    """Return every problem of a dataset folder, one line each; empty for a sound one."""
    try:
        kind = open_manifest(str(folder)).kind
    except DatasetError as error:
        return error.problems
    if kind not in VALIDATORS.names():
        allowed = ", ".join(VALIDATORS.names())
        return [f"{folder}: manifest.json: dataset: found {kind!r}, allowed: {allowed}"]
    problems: list[str] = VALIDATORS.get(kind)(folder)
    return problems

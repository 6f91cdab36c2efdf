"""The Croissant description of a BEAR-Bench folder."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from dataset_builders.bear_bench.card import configs_of
from dataset_builders.bear_bench.facts import DESCRIPTION, NAME, citation
from dataset_builders.bear_bench.tables import TYPES
from dataset_builders.croissant import CROISSANT, Described, Stored, description, record_field, stored_file
from dataset_builders.croissant import TYPES as NAMES
from dataset_builders.licences import ANNOTATIONS
from lvqa_eval.pages import COLUMNS, PICTURE

_ENCODING = "application/x-parquet"


def write_croissant(folder: Path, facts: Mapping[str, Any], hashes: Mapping[str, str]) -> None:
    """Write `croissant.json` beside the files of the cells, whose SHA-256 are in `hashes`.

    Every config is a set of records over a set of files. The splits are the values of `language`.
    """
    licences = sorted({*facts["counts"]["by_licence"], ANNOTATIONS})
    about = Described(NAME, facts["version"], DESCRIPTION, citation(facts["version"]), licences)
    stored = {path: Stored(digest, (folder / path).stat().st_size) for path, digest in hashes.items()}
    configs = configs_of(facts["cells"])
    tables = [stored_file(path, stored, _ENCODING) for path in stored if path.endswith(".parquet")]
    sets = [
        _files(name, [path for paths in splits.values() for path in paths])
        for name, splits in configs.items()
    ]
    content = description(about, [*tables, *sets], [_records(name) for name in configs])
    options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    (folder / CROISSANT).write_bytes(orjson.dumps(content, option=options))


def _files(config: str, paths: list[str]) -> dict[str, Any]:
    name = f"files-of-{config}"
    return {
        "@type": "cr:FileSet",
        "@id": name,
        "name": name,
        "encodingFormat": _ENCODING,
        "includes": paths,
    }


def _records(config: str) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": config,
        "name": config,
        "key": {"@id": f"{config}/id"},
        "field": [_field(config, name) for name in COLUMNS],
    }


def _field(config: str, name: str) -> dict[str, Any]:
    source: dict[str, Any] = {"fileSet": {"@id": f"files-of-{config}"}, "extract": {"column": name}}
    if name == PICTURE:
        # A picture is stored with its file name beside its bytes.
        return record_field(
            f"{config}/{name}", "sc:ImageObject", {**source, "transform": {"jsonPath": "bytes"}}
        )
    return record_field(f"{config}/{name}", NAMES[TYPES[name]], source)

"""The dataset card against the files: what `load_dataset` and the Hub would take wrongly, or ignore."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dataset_builders.manifest import MANIFEST
from dataset_builders.publishing.plan import CARD

CONFIG_KEYS = frozenset(
    {
        "config_name",
        "default",
        "data_files",
        "metadata_filenames",
        "drop_labels",
        "drop_metadata",
        "version",
        "description",
        "features",
    }
)
"""What a config may say; another key is ignored by some readers and breaks others."""

_NAME = re.compile(r"[A-Za-z0-9_.-]+")
_SPLIT = re.compile(r"\w+(\.\w+)*")
_SEMVER = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")
_DESCRIPTION = re.compile(r"rows\+images sha256:([0-9a-f]{16})")
_HEAD = re.compile(r"\A---\n(.*?\n)---\n", re.DOTALL)


def lint(folder: Path) -> list[str]:
    """Return every problem of a folder's card, one line each; the folder's manifest must be readable."""
    path = folder / CARD
    if not path.is_file():
        return [f"{path}: not found; a dataset folder has a card"]
    text = path.read_text(encoding="utf-8")
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    return [f"{path}: {line}" for line in _problems(folder, text, manifest)]


def read_head(text: str) -> dict[str, Any]:
    """Return the YAML head of a card; raises ValueError for a card without one."""
    import yaml

    found = _HEAD.match(text)
    try:
        # The same language, read in C where libyaml is at hand: a card repeats its features in every config.
        head = yaml.load(found[1], getattr(yaml, "CSafeLoader", yaml.SafeLoader)) if found else None
    except yaml.YAMLError as error:
        raise ValueError(f"head: not YAML: {' '.join(str(error).split())}") from error
    if not isinstance(head, dict):
        raise ValueError("head: not found; a card starts with YAML between two lines of ---")
    return head


def _problems(folder: Path, text: str, manifest: Mapping[str, Any]) -> Iterator[str]:
    canary = manifest.get("canary")
    if not canary or canary not in text:
        yield f"canary: missing, allowed: the manifest's own, {canary!r}"
    try:
        head = read_head(text)
    except ValueError as error:
        yield str(error)
        return
    if not head.get("license"):
        yield "license: missing"
    if "dataset_info" in head:
        yield "dataset_info: found, but readers ignore it beside configs; features stand under each config"
    configs = head.get("configs")
    if not isinstance(configs, list) or not all(isinstance(one, dict) for one in configs) or not configs:
        yield f"configs: found {_short(configs)}, allowed: a list of mappings"
        return
    yield from _names(configs, manifest)
    yield from _default(configs)
    for number, config in enumerate(configs, start=1):
        where = str(config.get("config_name") or f"config {number}")
        yield from (f"{where}: {line}" for line in _config_problems(folder, config, manifest))


def _names(configs: Sequence[Mapping[str, Any]], manifest: Mapping[str, Any]) -> Iterator[str]:
    names = [config.get("config_name") for config in configs]
    for number, name in enumerate(names, start=1):
        if name is None:
            yield f"config {number}: config_name: missing"
        elif not isinstance(name, str) or not _NAME.fullmatch(name):
            yield f"config {number}: config_name: found {name!r}, allowed: letters, digits, _ . -"
    for name, count in Counter(map(str, names)).items():
        if name != "None" and count > 1:
            yield f"{name}: config_name: found {count} times, allowed: once"
    for name in manifest.get("conditions", []):
        if name not in names:
            yield f"{name}: a condition of the manifest without a config"


def _default(configs: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    marked = [str(config.get("config_name")) for config in configs if config.get("default") is True]
    if len(marked) != 1:
        told = ", ".join(marked) or "none"
        yield f"default: found true for {told}, allowed: exactly one config with default: true"
    for config in configs:
        if config.get("default", True) is not True:
            found = f"{config.get('config_name')}: default: found {config['default']!r}"
            yield f"{found}, allowed: true, or no such key"
        # Readers take this name as the default whatever is marked.
        if config.get("config_name") == "default" and marked != ["default"]:
            yield "default: a config of this name must be the one with default: true"


def _config_problems(folder: Path, config: Mapping[str, Any], manifest: Mapping[str, Any]) -> Iterator[str]:
    for key in sorted(map(str, config.keys() - CONFIG_KEYS)):
        yield f"{key}: unknown key, allowed: {', '.join(sorted(CONFIG_KEYS))}"
    version = config.get("version")
    if not isinstance(version, str) or not _SEMVER.fullmatch(version):
        yield f"version: found {version!r}, allowed: MAJOR.MINOR.PATCH, like 1.0.0"
    elif version != manifest.get("version"):
        yield f"version: found {version}, the manifest has {manifest.get('version')}"
    hashes: dict[str, str] = manifest.get("files", {})
    matched = yield from _data_files(config.get("data_files"), hashes)
    for name in config.get("metadata_filenames") or []:
        if name not in matched:
            yield f"metadata_filenames: found {name}, which data_files do not hold"
    found = _DESCRIPTION.fullmatch(str(config.get("description")))
    if found is None:
        told = _short(config.get("description"))
        yield f"description: found {told}, allowed: rows+images sha256: and 16 hexadecimal digits"
    elif matched and found[1] != (digest := rows_and_pictures(matched, hashes)[:16]):
        # A digest that stays when the files change lets readers serve old rows from their cache.
        yield f"description: found the digest {found[1]}, the files have {digest}"
    yield from _features(folder, config.get("features"), matched)


def _data_files(entries: Any, hashes: Mapping[str, str]) -> Generator[str, None, list[str]]:
    """Yield problems; return the files that the config holds, rows before pictures."""
    matched: list[str] = []
    if not isinstance(entries, list) or not entries or not all(isinstance(one, dict) for one in entries):
        # Without explicit splits a reader guesses them from parts of file names.
        yield f"data_files: found {_short(entries)}, allowed: a list of split and path"
        return matched
    splits = [entry.get("split") for entry in entries]
    for entry, split in zip(entries, splits, strict=True):
        if not isinstance(split, str) or not _SPLIT.fullmatch(split):
            yield f"data_files: split: found {split!r}, allowed: letters, digits, _ and . between them"
        if unknown := sorted(map(str, entry.keys() - {"split", "path"})):
            yield f"data_files: found the keys {', '.join(unknown)}, allowed: split, path"
        patterns = entry.get("path")
        for pattern in patterns if isinstance(patterns, list) else [patterns]:
            found = _matching(pattern, hashes)
            matched += (path for path in found if path not in matched)
            if not found:
                yield f"data_files: path: found {pattern!r}, which matches no file of the folder"
    if repeated := sorted(str(name) for name, count in Counter(splits).items() if count > 1):
        yield f"data_files: split: found {', '.join(repeated)} more than once"
    return matched


def _matching(pattern: Any, hashes: Mapping[str, str]) -> list[str]:
    if not isinstance(pattern, str):
        return []
    signs = {"**": ".*", "*": "[^/]*", "?": "[^/]"}
    pieces = re.split(r"(\*\*|\*|\?)", pattern)
    expression = re.compile("".join(signs.get(piece) or re.escape(piece) for piece in pieces))
    return sorted(path for path in hashes if expression.fullmatch(path))


def rows_and_pictures(paths: Sequence[str], hashes: Mapping[str, str]) -> str:
    """Return the SHA-256 over the hash of a config's rows and every picture with its path, as builds do."""
    rows = [path for path in paths if "/" not in path]
    pictures = "".join(f"{path} {hashes[path]}\n" for path in paths if "/" in path)
    return hashlib.sha256(f"{''.join(hashes[path] for path in rows)}\n{pictures}".encode()).hexdigest()


def _features(folder: Path, features: Any, matched: Sequence[str]) -> Iterator[str]:
    if not isinstance(features, list) or not features or not all(isinstance(one, dict) for one in features):
        yield f"features: found {_short(features)}, allowed: a list of named types"
        return
    names = [str(one.get("name")) for one in features]
    for path in matched:
        columns = _columns(folder / path)
        if columns and sorted(columns) != sorted(names):
            odd = sorted({*columns} ^ {*names})
            yield f"features: {', '.join(odd)}: in features or in {path}, but not in both"


def _columns(path: Path) -> list[str]:
    """Return the columns of a file with rows; those that name pictures by what they become."""
    if path.suffix == ".parquet":
        return _parquet_columns(path)
    if path.suffix != ".jsonl":
        return []
    try:
        with path.open(encoding="utf-8") as file:
            row = json.loads(file.readline())
    except (OSError, ValueError):
        return []
    return [re.sub(r"_file_names?$", "", name) for name in row] if isinstance(row, dict) else []


def _parquet_columns(path: Path) -> list[str]:
    import pyarrow
    import pyarrow.parquet

    try:
        return list(pyarrow.parquet.read_schema(path).names)
    except (OSError, pyarrow.ArrowInvalid):
        return []


def _short(value: object, limit: int = 60) -> str:
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 3] + "..."

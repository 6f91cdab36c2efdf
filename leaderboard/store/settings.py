"""`board.yaml`: what a board is called, which datasets it is about, its panel and its limits."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Self

import msgspec
import yaml

from leaderboard.submissions.faults import Fault, schema_faults
from leaderboard.submissions.reading import Limits
from leaderboard.submissions.standing import BenchmarkStanding
from lvqa_eval.dataset_folder import DatasetError
from lvqa_eval.errors import LvqaError
from lvqa_eval.files import write_whole
from lvqa_eval.runs.questions import QUESTION_TYPES

BOARD = "board.yaml"


class BoardError(LvqaError, ValueError):
    """A folder that is no board, or a board that does not fit its dataset."""


class DatasetSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One version of a dataset on a board.

    - `dataset`: a folder, from the board's own if relative, or ORG/NAME on the Hub at `revision`.
    - `version`, `manifest_sha256`: of that very dataset; runs over another are not taken.
    - `conditions`, `runs`: those of a full run; others may be left out, and are not ranked then.
    - `harness`: the versions of LVQA whose runs are taken, the installed one if empty.
    """

    dataset: str
    version: str
    manifest_sha256: str
    conditions: tuple[str, ...]
    runs: int
    revision: str | None = None
    harness: tuple[str, ...] = ()


class BoardSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything in `board.yaml`.

    `benchmarks`: by benchmark, the version that submissions are taken for. `earlier`: those before it, newest
    first, whose submissions stand in tables of their own. `panel`: the judges that the board runs.
    """

    title: str
    benchmarks: Mapping[str, DatasetSettings]
    earlier: Mapping[str, tuple[DatasetSettings, ...]] = {}
    panel: tuple[str, ...] = ()
    limits: Limits = Limits()

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Return the settings of the board in `folder`; BoardError with all that is wrong with them."""
        path = folder / BOARD
        if not path.is_file():
            raise BoardError(f"{folder}: not a board: {BOARD} is missing; `lvqa board init` makes one")
        try:
            value = yaml.safe_load(path.read_text(encoding="utf-8"))
        except (yaml.YAMLError, UnicodeDecodeError) as error:
            raise BoardError(f"{path}: not readable as YAML: {' '.join(str(error).split())}") from error
        faults = [f"{one.field}: found {one.found}, allowed: {one.allowed}" for one in _faults(value)]
        if faults:
            raise BoardError("\n".join(f"{path}: {fault}" for fault in faults))
        found: Self = msgspec.convert(value, cls)
        return found

    def write(self, folder: Path) -> None:
        """Write them to `folder`, whole or not at all."""
        text = yaml.safe_dump(msgspec.to_builtins(self, str_keys=True), allow_unicode=True, sort_keys=False)
        write_whole(folder / BOARD, text)


def dataset_settings(name: str, revision: str | None = None) -> tuple[str, DatasetSettings]:
    """Return the benchmark of the dataset `name`, and what a board says of it: a full run as published."""
    standing = BenchmarkStanding.of(name, revision)
    dataset = standing.dataset
    told = DatasetSettings(
        name, dataset.version, dataset.manifest_sha256, standing.conditions, standing.runs, dataset.revision
    )
    return standing.benchmark.name, told


def open_standing(folder: Path, told: DatasetSettings) -> BenchmarkStanding:
    """Open the dataset that a board in `folder` is about.

    Raises BoardError where it is not the one that the board was made with, DatasetError where none is there.
    """
    found = BenchmarkStanding.of(place_of(folder, told.dataset), told.revision)
    dataset = found.dataset
    if dataset.manifest_sha256 != told.manifest_sha256:
        raise BoardError(
            f"{folder / BOARD}: manifest_sha256: the dataset {dataset.folder} has "
            f"{dataset.manifest_sha256[:16]} (version {dataset.version}), the board "
            f"{told.manifest_sha256[:16]} (version {told.version})"
        )
    if missing := [one for one in told.conditions if one not in dataset.conditions]:
        raise DatasetError([f"{dataset.folder}: conditions: found no {', '.join(missing)}"])
    harness = told.harness or found.harness
    return BenchmarkStanding(found.benchmark, dataset, told.conditions, told.runs, harness)


def place_of(folder: Path, dataset: str) -> str:
    """Return where a dataset of the board in `folder` lies: a relative folder is one of the board."""
    inside = folder / dataset
    return str(inside) if inside.is_dir() else dataset


def _faults(value: Any) -> Iterator[Fault]:
    yield from schema_faults(value, BoardSettings)
    for part in ("benchmarks", "earlier"):
        for name in value.get(part) or () if isinstance(value, dict) else ():
            if name not in QUESTION_TYPES:
                yield Fault(f"{part}.{name}", "no benchmark", ", ".join(QUESTION_TYPES))

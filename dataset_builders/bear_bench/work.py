"""The folder in which a set is built: one file of records a stage, and one of what each stage left out."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from dataset_builders.bear_bench.records import Drop, Record
from lvqa_eval.errors import LvqaError
from lvqa_eval.files import write_whole

Kind = TypeVar("Kind", bound=Record)

ANNOTATE = "annotate"
"""The stage that people do, by a command of its own."""

STAGES = ("collect", "licence", "render", "classify", "density", "sample", ANNOTATE, "quality", "finish")
"""The stages in their order; each reads what those before it wrote."""


class WorkError(LvqaError, ValueError):
    """A work folder that a stage cannot go on from."""


class Work:
    """A work folder.

    A stage writes `<name>.jsonl` whole at its end, and `<name>.drops.jsonl` beside it; what it needs to go on
    after it was killed it keeps in `<name>.partial/`, and removes that at the end.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def has(self, name: str) -> bool:
        """Tell whether a stage has been done."""
        return self._path(name).is_file()

    def read(self, name: str, kind: type[Kind], stage: str) -> list[Kind]:
        """Return the records of a file; WorkError, naming the command of `stage`, where there is none."""
        path = self._path(name)
        if not path.is_file():
            command = "lvqa annotate bear" if stage == ANNOTATE else f"lvqa build bear {stage}"
            raise WorkError(f"{path}: not found; first: {command} {self.folder}")
        return read_records(path, kind)

    def write(self, name: str, records: Iterable[Record], drops: Iterable[Drop] | None = None) -> None:
        """Write what a stage kept and what it left out, both whole; the latter only where it is told."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if drops is not None:
            write_whole(self._path(f"{name}.drops"), _lines(drops))
        write_whole(self._path(name), _lines(records))

    def drops(self) -> list[Drop]:
        """Return everything that was left out, stage after stage."""
        paths = sorted(self.folder.glob("*.drops.jsonl"))
        found = (drop for path in paths for drop in read_records(path, Drop))
        return sorted(found, key=lambda drop: STAGES.index(drop.stage))

    def counts(self) -> Mapping[str, Mapping[str, int]]:
        """Return for each stage how often it left something out for each reason, the most frequent first."""
        found: dict[str, Counter[str]] = {}
        for drop in self.drops():
            found.setdefault(drop.stage, Counter())[drop.reason] += 1
        return {stage: dict(counted.most_common()) for stage, counted in found.items()}

    def partial(self, name: str) -> Path:
        """Return the folder, made if missing, in which a stage keeps what it needs to go on."""
        folder = self.folder / f"{name}.partial"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.jsonl"


def read_records(path: Path, kind: type[Kind]) -> list[Kind]:
    """Return the records of a file of JSON lines; WorkError with every line that is not one."""
    records: list[Kind] = []
    problems: list[str] = []
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        try:
            records.append(kind.model_validate_json(line))
        except ValidationError as error:
            for one in error.errors(include_url=False):
                field = ".".join(map(str, one["loc"])) or "line"
                problems.append(f"{path}: line {number}: {field}: {one['msg']}, found {one['input']!r:.60}")
    if problems:
        raise WorkError("\n".join(problems))
    return records


def _lines(records: Iterable[Record]) -> bytes:
    dumped = (json.dumps(record.model_dump(mode="json"), ensure_ascii=False) for record in records)
    return "".join(f"{line}\n" for line in dumped).encode()

"""Runs as typed Parquet: a folder that `load_dataset` reads offline and the Hub takes as it is."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from importlib.resources import files
from itertools import islice
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any, Final

import msgspec
import orjson

from lvqa_eval.errors import LvqaError
from lvqa_eval.files import replacing
from lvqa_eval.progress import progress
from lvqa_eval.runs.arrow import record_fields
from lvqa_eval.runs.overview import named
from lvqa_eval.runs.questions import benchmarks_with, question_type
from lvqa_eval.runs.records import ConversationRecord, JudgementRecord, PageRecord, QuestionRecord
from lvqa_eval.runs.store import RunStore
from lvqa_eval.runs.summary import plan_of

if TYPE_CHECKING:
    import pyarrow as pa

CARD = "README.md"
ROW_GROUP = 1000
"""Rows of a row group: so many conversations are held as Arrow at once."""

_RUN = ("run_name", "model")
_DATASET = ("dataset", "dataset_version", "dataset_manifest")

Row = dict[str, Any]


class ExportError(LvqaError, ValueError):
    """Runs that cannot stand in one export, or a place that it cannot take."""


@dataclass(frozen=True)
class _Config:
    """One Parquet file: the type of its records, and the columns of text that stand before theirs."""

    name: str
    record: type
    before: tuple[str, ...]

    @property
    def file_name(self) -> str:
        return f"{self.name}.parquet"

    def schema(self, metadata: bytes) -> "pa.Schema":
        import pyarrow as pa

        first = [pa.field(name, pa.string(), nullable=False) for name in self.before]
        return pa.schema([*first, *record_fields(self.record)], metadata={"lvqa": metadata})


_CLUSTERS: Final[Mapping[type, str]] = {QuestionRecord: "scene_id", PageRecord: "source_document"}
"""What a conversation's rows name beside its question, by the record of the latter."""


def _configs(kind: type) -> tuple[_Config, _Config, _Config]:
    """Return conversations, judgements and questions, the records of the latter of `kind`."""
    return (
        _Config("conversations", ConversationRecord, (*_RUN, *_DATASET, _CLUSTERS[kind])),
        _Config("judgements", JudgementRecord, (*_RUN, "judge")),
        _Config("questions", kind, _DATASET),
    )


@dataclass(frozen=True)
class _Run:
    """A run as it goes into an export."""

    store: RunStore

    @cached_property
    def name(self) -> str:
        return self.store.folder.resolve().name

    @cached_property
    def model(self) -> str:
        return named(self.store.identity.settings.get("model"))

    @cached_property
    def dataset(self) -> dict[str, str]:
        """The columns that say which dataset, and which content of it."""
        setting = self.store.identity.settings.get("dataset")
        named_by = ("name", "version", "manifest_sha256")
        return {column: named(setting, key) for column, key in zip(_DATASET, named_by, strict=True)}

    @property
    def kind(self) -> type:
        """The record of its questions."""
        return question_type(self.store.identity.settings)

    @property
    def identity(self) -> dict[str, Any]:
        judges = {judge: self.store.judge_identity(judge).settings for judge in self.store.judges()}
        return {"run": self.store.identity.settings, "judges": judges}

    def conversations(self) -> Iterator[Row]:
        questions = self.store.questions()
        cluster = _CLUSTERS[self.kind]
        for record in self.store.conversations().values():
            question = questions.get(record.question_id)
            if question is None:
                raise ExportError(
                    f"{self.store.folder}: question {record.question_id!r}: not in questions.jsonl; "
                    f"see: lvqa runs verify {self.store.folder}"
                )
            before = {
                "run_name": self.name,
                "model": self.model,
                **self.dataset,
                cluster: getattr(question, cluster),
            }
            yield before | msgspec.to_builtins(record)

    def judgements(self) -> Iterator[Row]:
        for judge in self.store.judges():
            before = {"run_name": self.name, "model": self.model, "judge": judge}
            for record in self.store.judgements(judge).values():
                yield before | msgspec.to_builtins(record)


def export_runs(folders: Sequence[Path], out: Path, allow_mixed: bool = False) -> dict[str, int]:
    """Write the runs in `folders` to `out` and return the number of rows of each config.

    The same runs give the same bytes, in whatever order they are named. An earlier export in `out` is
    replaced; the folder appears whole or not at all. Raises ExportError where two runs have one name or
    different datasets (unless `allow_mixed`), and where `out` holds anything else.
    """
    runs = sorted((_Run(RunStore.open(folder)) for folder in folders), key=lambda run: run.name)
    _check_names(runs)
    _check_benchmarks(runs)
    if not allow_mixed:
        _check_datasets(runs)
    _check_place(out)
    conversations, judgements, questions = _configs(runs[0].kind)
    asked = _questions(runs)
    metadata = orjson.dumps({run.name: run.identity for run in runs}, option=orjson.OPT_SORT_KEYS)
    with replacing(out) as draft, progress("runs", len(runs)) as advance:
        written = {
            conversations.name: _write(draft, conversations, _each(runs, advance), metadata),
            judgements.name: _write(
                draft, judgements, (row for run in runs for row in run.judgements()), metadata
            ),
            questions.name: _write(draft, questions, asked, metadata),
        }
        (draft / CARD).write_text(_card(runs, written), encoding="utf-8")
    return written


def _check_names(runs: Sequence[_Run]) -> None:
    by_name: dict[str, list[str]] = {}
    for run in runs:
        by_name.setdefault(run.name, []).append(str(run.store.folder))
    found = [
        f"run: found {name!r} twice: {', '.join(paths)}" for name, paths in by_name.items() if len(paths) > 1
    ]
    if found:
        raise ExportError("\n".join(found) + "; rows are told apart by the name of the folder")


def _check_benchmarks(runs: Sequence[_Run]) -> None:
    """Refuse runs whose questions have different columns, mixed or not."""
    by_kind: dict[type, list[str]] = {}
    for run in runs:
        by_kind.setdefault(run.kind, []).append(run.name)
    if len(by_kind) > 1:
        lines = (
            f"  {' or '.join(benchmarks_with(kind))}: {', '.join(names)}" for kind, names in by_kind.items()
        )
        raise ExportError("\n".join(["runs of different benchmarks; export each by itself:", *lines]))


def _check_datasets(runs: Sequence[_Run]) -> None:
    by_dataset: dict[tuple[str, ...], list[str]] = {}
    for run in runs:
        by_dataset.setdefault(tuple(run.dataset.values()), []).append(run.name)
    if len(by_dataset) > 1:
        lines = (
            f"  {name} {number}, manifest {manifest[:16]}: {', '.join(names)}"
            for (name, number, manifest), names in by_dataset.items()
        )
        raise ExportError(
            "\n".join(["runs over different datasets; --allow-mixed exports them together:", *lines])
        )


def _check_place(out: Path) -> None:
    """Refuse a folder that is no earlier export: what it holds would be lost."""
    ours = {CARD, *(config.file_name for config in _configs(QuestionRecord))}
    if out.exists() and (others := sorted(path.name for path in out.iterdir() if path.name not in ours)):
        raise ExportError(f"{out}: found {', '.join(others[:5])}; name a new folder, or an earlier export")


def _questions(runs: Sequence[_Run]) -> list[Row]:
    """Return the questions of all runs, each once; raises ExportError where two runs differ in one."""
    found: dict[tuple[str, ...], Row] = {}
    for run in runs:
        for record in run.store.questions().values():
            row = run.dataset | msgspec.to_builtins(record)
            if found.setdefault((*run.dataset.values(), record.question_id), row) != row:
                raise ExportError(
                    f"{run.store.folder}: question {record.question_id!r}: another run has other fields"
                )
    return [found[key] for key in sorted(found)]


def _each(runs: Sequence[_Run], advance: Callable[[], None]) -> Iterator[Row]:
    for run in runs:
        yield from run.conversations()
        advance()


def _write(folder: Path, config: _Config, rows: Iterable[Row], metadata: bytes) -> int:
    import pyarrow as pa
    import pyarrow.parquet

    schema, stream, count = config.schema(metadata), iter(rows), 0
    with pyarrow.parquet.ParquetWriter(folder / config.file_name, schema, compression="zstd") as writer:
        while group := list(islice(stream, ROW_GROUP)):
            writer.write_table(pa.Table.from_pylist(group, schema))
            count += len(group)
    return count


def _card(runs: Sequence[_Run], written: dict[str, int]) -> str:
    template = Template(files(__package__).joinpath("export_card.md").read_text(encoding="utf-8"))
    lines = "\n".join(map(_card_line, runs))
    counts = {name: f"{count:,}" for name, count in written.items()}
    return template.substitute(counts | {"runs": lines, "version": version("lvqa")})


def _card_line(run: _Run) -> str:
    name, number, manifest = run.dataset.values()
    held, planned = len(run.store.read_conversation_statuses().records), plan_of(run.store).size
    cells = [run.name, run.model, f"{name} {number}", manifest[:16], f"{held:,}", f"{planned:,}"]
    cells.append(", ".join(run.store.judges()))
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

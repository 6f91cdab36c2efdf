"""Every run of a folder in one line each, also where something is wrong with it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lvqa_eval.errors import LvqaError
from lvqa_eval.runs.plan import plan_faults, read_plan
from lvqa_eval.runs.store import (
    CONVERSATIONS,
    IDENTITY,
    JUDGEMENTS,
    RunFolderError,
    RunStore,
    is_final,
    is_ruling,
)
from lvqa_eval.runs.terminal import Column
from lvqa_eval.statuses import Status

FEW = 2
"""So many conditions are named in a table; of more the number stands."""


@dataclass(frozen=True)
class RunOverview:
    """One run: what it is, how far it came, what ended otherwise than `ok`.

    `done` counts planned conversations that are final, out of `planned`; `judges` maps each judge to its
    number of rulings; `changed` is when a record was last written, in seconds since 1970. `fault` says why
    the rest could not be read.
    """

    folder: Path
    model: str = ""
    dataset: str = ""
    conditions: tuple[str, ...] = ()
    done: int = 0
    planned: int = 0
    statuses: Mapping[Status, int] | None = None
    judges: Mapping[str, int] | None = None
    changed: float = 0.0
    unread: int = 0
    fault: str = ""

    @property
    def name(self) -> str:
        """The name of the folder."""
        return self.folder.resolve().name

    @property
    def failed(self) -> dict[str, int]:
        """How many conversations ended with each status that is not `ok`."""
        counts = self.statuses or {}
        return {
            status.value: counts[status] for status in Status if status is not Status.OK and counts[status]
        }

    def as_json(self) -> dict[str, Any]:
        """Return everything as plain values; the time in UTC."""
        return {
            "name": self.name,
            "folder": str(self.folder),
            "model": self.model,
            "dataset": self.dataset,
            "conditions": list(self.conditions),
            "done": self.done,
            "planned": self.planned,
            "not_ok": self.failed,
            "judges": dict(self.judges or {}),
            "changed": datetime.fromtimestamp(self.changed, UTC).isoformat(timespec="seconds"),
            "unread_lines": self.unread,
            "fault": self.fault or None,
        }


def list_runs(folder: Path) -> list[RunOverview]:
    """Return the runs in `folder`, by name; `folder` itself where it is a run.

    Raises RunFolderError where there is none.
    """
    if not folder.is_dir():
        raise RunFolderError(f"{folder}: no such folder; `lvqa run` makes runs under runs/")
    if (folder / IDENTITY).is_file():
        return [overview(folder)]
    found = [overview(path) for path in sorted(folder.iterdir()) if (path / IDENTITY).is_file()]
    if not found:
        raise RunFolderError(f"{folder}: found no run; a run is a folder with {IDENTITY}")
    return found


def overview(folder: Path) -> RunOverview:
    """Return one run in short; statuses are read, words are not."""
    changed = _last_change(folder)
    try:
        store = RunStore.open(folder)
    except LvqaError as error:
        return RunOverview(folder, changed=changed, fault=str(error))
    settings = store.identity.settings
    if faults := plan_faults(settings):
        return RunOverview(folder, changed=changed, fault=f"{folder / IDENTITY}: {faults[0]}")
    plan = read_plan(settings, store.questions())
    conversations = store.read_conversation_statuses()
    judgements = {judge: store.read_judgement_statuses(judge) for judge in store.judges()}
    return RunOverview(
        folder=folder,
        model=named(settings.get("model")),
        dataset=named(settings.get("dataset"), "name", "version"),
        conditions=plan.conditions,
        done=sum(is_final(one) and plan.fault(key) is None for key, one in conversations.records.items()),
        planned=plan.size,
        statuses=Counter(record.status for record in conversations.records.values()),
        judges={
            judge: sum(map(is_ruling, reading.records.values())) for judge, reading in judgements.items()
        },
        changed=changed,
        unread=len(conversations.problems) + sum(len(one.problems) for one in judgements.values()),
    )


def named(setting: Any, *keys: str) -> str:
    """Return what names a model or dataset in a run's settings: the values of `keys` of a mapping."""
    if not isinstance(setting, Mapping):
        return str(setting or "")
    return " ".join(str(setting[key]) for key in keys or ("name",) if setting.get(key))


def _last_change(folder: Path) -> float:
    records = [folder / CONVERSATIONS, *(folder / JUDGEMENTS).glob("*.jsonl")]
    return max(path.stat().st_mtime for path in [*records, folder / IDENTITY] if path.exists())


def overview_rows(found: Sequence[RunOverview]) -> tuple[list[Column], list[list[str]]]:
    """Return the table of runs; times are local."""
    heads = ["Run", "Model", "Dataset", "Conditions", "Done", "Not ok", "Judges", "Last change"]
    columns = [Column(head, "right" if head in ("Done", "Last change") else "left") for head in heads]
    return columns, [_row(run) for run in found]


def _row(run: RunOverview) -> list[str]:
    changed = f"{datetime.fromtimestamp(run.changed):%Y-%m-%d %H:%M}"
    if run.fault:
        return [run.name, "cannot be read", "", "", "", "", "", changed]
    failed = [f"{count:,} {status}" for status, count in run.failed.items()]
    failed += [f"{run.unread} unread lines"] if run.unread else []
    conditions = ", ".join(run.conditions) if len(run.conditions) <= FEW else str(len(run.conditions))
    done = f"{run.done:,}/{run.planned:,}"
    judges = ", ".join(run.judges or {})
    return [run.name, run.model, run.dataset, conditions, done, ", ".join(failed), judges, changed]

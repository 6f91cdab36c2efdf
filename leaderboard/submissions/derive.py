"""From the file of a submission to a run folder: questions from the board's dataset, verdicts of the board.

Verdicts that came with the file stay in `uploaded/`, a file a judge, numbered: they never become judgements.
"""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from leaderboard.submissions.lines import ConversationLine, Faulty, HeaderLine, JudgementLine, Line
from leaderboard.submissions.names import trimmed
from leaderboard.submissions.reading import Limits, read_submission
from leaderboard.submissions.standing import BenchmarkStanding
from lvqa_eval.errors import LvqaError
from lvqa_eval.judging.judges import JUDGES
from lvqa_eval.judging.run import judge_run
from lvqa_eval.runs.identity import RunIdentity
from lvqa_eval.runs.lines import AppendLog
from lvqa_eval.runs.reading import read_keyed
from lvqa_eval.runs.records import JudgementRecord, Key
from lvqa_eval.runs.store import RunStore, is_ruling

UPLOADED: Final = "uploaded"
EXACT_MATCH: Final = "exact-match"


class NotReadableError(LvqaError, ValueError):
    """A stored file that is no longer the one that was accepted."""


@dataclass(frozen=True)
class Uploaded:
    """What came in an upload of one judge: who it said it was, with which settings, and its verdicts."""

    judge: str
    settings: Mapping[str, Any]
    judgements: Mapping[Key, JudgementRecord]


def derive_run(upload: Path, folder: Path, standing: BenchmarkStanding, limits: Limits) -> None:
    """Write the run of an accepted submission to `folder`, judged by exact match.

    The model is called as the submitter calls it. Raises NotReadableError where the file has changed since.
    """
    lines = _records(upload, limits)
    header = next(lines)
    if not isinstance(header, HeaderLine):
        raise NotReadableError(f"{upload}: line 1: found no header")
    settings = header.settings
    named = {**settings, "model": {**settings["model"], "name": trimmed(header.about.model)}}
    plan = standing.plan(
        settings["conditions"],
        settings["runs"],
        tuple(settings.get("baselines", ())),
        settings.get("split", {}),
    )
    with RunStore.create_or_resume(folder, RunIdentity(named), plan.questions()) as store:
        verdicts = _Verdicts(folder / UPLOADED, header.judges)
        with verdicts:
            for line in lines:
                if isinstance(line, ConversationLine):
                    store.append(line.record())
                elif isinstance(line, JudgementLine):
                    verdicts.add(line)
        asyncio.run(judge_run(store, JUDGES.get(EXACT_MATCH)(), in_flight=1))


def uploaded_verdicts(run_folder: Path) -> list[Uploaded]:
    """Return the verdicts that came with the upload of a run, by the name of the judge."""
    found = []
    for path in sorted((run_folder / UPLOADED).glob("*.yaml")):
        told = RunIdentity.read(path).settings
        judgements = read_keyed(path.with_suffix(".jsonl"), JudgementRecord, is_ruling).records
        found.append(Uploaded(told["judge"], told["settings"], judgements))
    return found


def _records(upload: Path, limits: Limits) -> Iterator[Line]:
    parsed = read_submission(upload, limits)
    for one in parsed.records():
        if isinstance(one.record, Faulty):
            raise NotReadableError("\n".join(f"{upload}: {problem}" for problem in one.record.problems))
        yield one.record
    if parsed.problems:
        raise NotReadableError("\n".join(f"{upload}: {problem}" for problem in parsed.problems))


class _Verdicts:
    """Writes the verdicts of an upload; no name of a judge becomes the name of a file."""

    def __init__(self, folder: Path, judges: Mapping[str, Mapping[str, Any]]) -> None:
        self._logs: dict[str, AppendLog] = {}
        if judges:
            folder.mkdir()
        for number, (judge, settings) in enumerate(sorted(judges.items()), start=1):
            path = folder / f"judge-{number:02}.yaml"
            RunIdentity({"judge": judge, "settings": settings}).write(path)
            self._logs[judge] = AppendLog(path.with_suffix(".jsonl"))

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        for log in self._logs.values():
            log.close()

    def add(self, line: JudgementLine) -> None:
        self._logs[line.judge].append(line.record())

"""Everything that is wrong with a run folder, found at once and changed nowhere."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from lvqa_eval.runs.identity import IdentityError, RunIdentity
from lvqa_eval.runs.lines import read_lines
from lvqa_eval.runs.objects import decode_object
from lvqa_eval.runs.pictures import PICTURES, PictureRecord
from lvqa_eval.runs.plan import RunPlan, plan_faults, read_plan
from lvqa_eval.runs.questions import UnknownBenchmarkError, question_type
from lvqa_eval.runs.reading import Keyed, Reading, decoder, read_keyed
from lvqa_eval.runs.records import ConversationRecord, JudgementRecord, Key
from lvqa_eval.runs.store import CONVERSATIONS, IDENTITY, JUDGEMENTS, QUESTIONS, is_final, is_ruling
from lvqa_eval.statuses import EXCLUDED, JudgeStatus

R = TypeVar("R", bound=Keyed)

_ASIDE = {".repeats": "taken out as repeats", ".damaged": "taken out as damaged", ".torn": "cut off as torn"}

NAMED = ("model", "dataset", "sampling", "seed", "user")
"""Settings that every run has beside its plan."""


@dataclass
class Verification:
    """What was found: `problems` are to be mended, `notes` are good to know.

    `coverage` gives for each planned condition how many conversations are final; None without a plan.
    """

    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    plan: RunPlan | None = None
    coverage: Counter[str] = field(default_factory=Counter)

    def missing(self) -> list[str]:
        """Return a line for every condition of which conversations are still to be held."""
        if self.plan is None:
            return []
        return [
            f"{condition}: {self.coverage[condition]} of {self.plan.of_condition} conversations are final"
            for condition in self.plan.conditions
            if self.coverage[condition] < self.plan.of_condition
        ]


def verify(folder: Path) -> Verification:
    """Check every file of the run in `folder`; a file that another process writes may end in a torn line."""
    found = Verification()
    settings = _identity(folder / IDENTITY, found.problems)
    questions = _questions(folder / QUESTIONS, settings, found.problems)
    if settings is not None and not plan_faults(settings):
        found.plan = read_plan(settings, questions)
        planned = settings.get("questions")
        if isinstance(planned, int) and planned != len(questions):
            found.problems.append(
                f"{folder / QUESTIONS}: found {len(questions)} questions, the run's settings say {planned}"
            )
    conversations = _conversations(folder / CONVERSATIONS, found)
    for judge in _judges(folder / JUDGEMENTS):
        _judgements(folder / JUDGEMENTS / f"{judge}.jsonl", conversations, found)
    known = {folder / CONVERSATIONS, folder / QUESTIONS, *(folder / JUDGEMENTS).glob("*.jsonl")}
    for path in sorted(set(folder.rglob("*.jsonl")) - known):
        decode = decoder(PictureRecord) if path == folder / PICTURES else decode_object
        found.problems += map(str, read_lines(path, decode)[1])
    found.notes += _aside(folder)
    return found


def _judges(folder: Path) -> list[str]:
    """Return the names of the judges of which there is a file."""
    return sorted({path.stem for path in folder.glob("*.*") if path.suffix in (".jsonl", ".yaml")})


def _identity(path: Path, problems: list[str]) -> Mapping[str, object] | None:
    if not path.is_file():
        problems.append(f"{path}: missing; without it nobody knows what was run")
        return None
    try:
        settings = RunIdentity.read(path).settings
    except IdentityError as error:
        problems.append(str(error))
        return None
    problems += [f"{path}: {fault}" for fault in plan_faults(settings)]
    problems += [f"{path}: {key}: missing" for key in NAMED if key not in settings]
    return settings


def _questions(path: Path, settings: Mapping[str, object] | None, problems: list[str]) -> list[str]:
    if not path.is_file():
        problems.append(f"{path}: missing")
        return []
    try:
        kind = question_type(settings or {})
    except UnknownBenchmarkError as error:
        problems.append(f"{path.with_name(IDENTITY)}: {error}")
        return []
    records, bad = read_lines(path, decoder(kind))
    problems += map(str, bad)
    counts = Counter(record.question_id for record in records)
    problems += [
        f"{path}: question {name!r}: {count} records, allowed: 1"
        for name, count in counts.items()
        if count > 1
    ]
    return list(counts)


def _conversations(path: Path, found: Verification) -> dict[Key, ConversationRecord]:
    if not path.is_file():
        found.problems.append(f"{path}: missing")
        return {}
    reading = read_keyed(path, ConversationRecord, is_final)
    found.problems += _of_file(path, reading)
    for key, record in reading.records.items():
        faults = list(_faults_of(record))
        if found.plan is not None:
            outside = found.plan.fault(key)
            if outside is None:
                found.coverage[key.condition] += is_final(record)
            else:
                faults.append(outside)
        found.problems += [f"{path}: {_name(key)}: {fault}" for fault in faults]
    return reading.records


def _faults_of(record: ConversationRecord) -> Iterator[str]:
    if not record.turns:
        yield "turns: found none, allowed: 1 or more"
    elif record.turns[-1].status is not record.status:
        yield f"status: found {record.status.value}, its last turn has {record.turns[-1].status.value}"


def _judgements(path: Path, conversations: Mapping[Key, ConversationRecord], found: Verification) -> None:
    identity = path.with_name(f"{path.stem}.yaml")
    if not identity.is_file():
        found.problems.append(f"{identity}: missing; without it nobody knows how {path.stem} judged")
    else:
        try:
            RunIdentity.read(identity)
        except IdentityError as error:
            found.problems.append(str(error))
    if not path.is_file():
        found.problems.append(f"{path}: missing, though {identity.name} stands beside it")
        return
    reading = read_keyed(path, JudgementRecord, is_ruling)
    found.problems += _of_file(path, reading)
    for key, record in reading.records.items():
        found.problems += [
            f"{path}: {_name(key)}: {fault}" for fault in _faults_of_judgement(record, conversations.get(key))
        ]


def _faults_of_judgement(record: JudgementRecord, conversation: ConversationRecord | None) -> Iterator[str]:
    if conversation is None:
        yield f"found no such conversation in {CONVERSATIONS}"
    elif conversation.status in EXCLUDED:
        yield f"its conversation ended with {conversation.status.value}, which is not judged"
    if (record.status is JudgeStatus.OK) != (record.final_turn_correct is not None):
        yield f"final_turn_correct: found {record.final_turn_correct}, its status is {record.status.value}"


def _of_file(path: Path, reading: Reading[R]) -> Iterator[str]:
    yield from map(str, reading.problems)
    if reading.repeats:
        yield f"{path}: {reading.repeats} record(s) repeat the key of another, which stands in their place"
    for key in reading.conflicts:
        yield f"{path}: {_name(key)}: final records disagree; the last one stands"


def _aside(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*.jsonl.*")):
        if kept := _ASIDE.get(path.suffix):
            count = path.read_bytes().count(b"\n")
            yield f"{path}: {count} piece(s) that were {kept} before"


def _name(key: Key) -> str:
    return f"{key.condition}, question {key.question_id}, run {key.run}"

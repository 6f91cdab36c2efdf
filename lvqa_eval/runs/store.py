"""A run on disk: what was run, every conversation, every judgement.

`run.yaml`, `questions.jsonl`, `conversations.jsonl`, and `judgements/<judge>.jsonl` with `<judge>.yaml`
beside it. The files of records only grow; a run that was killed is resumed from what they hold.
"""

import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self, TypeVar

from lvqa_eval.errors import LvqaError
from lvqa_eval.files import write_whole
from lvqa_eval.runs.columns import ConversationStatus, JudgementStatus
from lvqa_eval.runs.identity import GROWING, RunIdentity, check_same
from lvqa_eval.runs.lines import AppendLog, LineProblem, read_lines
from lvqa_eval.runs.objects import encode
from lvqa_eval.runs.questions import UnknownBenchmarkError, benchmark_of, benchmarks_with, question_type
from lvqa_eval.runs.reading import Reading, decoder, log_faults, read_keyed
from lvqa_eval.runs.records import ConversationRecord, JudgementRecord, Key, Question
from lvqa_eval.statuses import FINAL, JudgeStatus

IDENTITY = "run.yaml"
QUESTIONS = "questions.jsonl"
CONVERSATIONS = "conversations.jsonl"
JUDGEMENTS = "judgements"
SERVER_LOG = "server.log"
MEDIA = "media"
"""The folder of pictures that servers read by their path."""

_SERVED = re.compile(r"server(-\d+)?\.log|media(-\d+)?")
_JUDGE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")

Q = TypeVar("Q", bound=Question)


class RunFolderError(LvqaError, ValueError):
    """A folder that is no run, or a record that the run cannot take."""


class RunStore:
    """One run folder, from `create_or_resume` (which also appends conversations) or `open`.

    Both read, and both may append judgements: each file has one writer at a time, by a lock of its own.
    """

    def __init__(self, folder: Path, log: AppendLog | None) -> None:
        self.folder = folder
        self.identity = RunIdentity.read(folder / IDENTITY)
        self._question_type = _question_type(folder / IDENTITY, self.identity)
        self._questions = _read_questions(folder / QUESTIONS, self._question_type)
        self._log = log
        self._judge_logs: dict[str, AppendLog] = {}
        self._mutex = threading.Lock()
        self._finished: set[Key] = set()

    @classmethod
    def create_or_resume(
        cls, folder: Path, identity: RunIdentity, questions: Sequence[Question], fsync: bool = False
    ) -> Self:
        """Return the run in `folder` for writing; it is made where there is none.

        Raises IdentityChangedError where it was made with other settings or questions, RunFolderError where
        `folder` holds something else, LogInUseError where another process writes to it.
        """
        folder.mkdir(parents=True, exist_ok=True)
        _refuse_other_content(folder)
        log = AppendLog(folder / CONVERSATIONS, fsync)
        try:
            kind = _question_type(folder / IDENTITY, identity)
            _settle_identity(folder / IDENTITY, identity)
            _settle_questions(folder / QUESTIONS, questions, kind)
            store = cls(folder, log)
            reading = store.read_conversations()
            _mend(log, reading.problems)
            store._finished = _finished(reading.records)
            return store
        except BaseException:
            log.close()
            raise

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Return the run in `folder`, conversations for reading only; RunFolderError where none is."""
        for name in (IDENTITY, QUESTIONS):
            if not (folder / name).is_file():
                raise RunFolderError(f"{folder}: not a run folder: {name} is missing")
        return cls(folder, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give every file back."""
        for log in (self._log, *self._judge_logs.values()):
            if log is not None:
                log.close()

    def questions(self) -> dict[str, Question]:
        """Return the questions of the run by id, in the order in which they were given."""
        return dict(self._questions)

    def questions_of(self, kind: type[Q]) -> dict[str, Q]:
        """Return the questions of a run whose records are of `kind`; RunFolderError for one of another."""
        if self._question_type is not kind:
            found, needed = benchmark_of(self.identity.settings), " or ".join(benchmarks_with(kind))
            raise RunFolderError(f"{self.folder}: found a run of {found}, needed one of {needed}")
        return {name: one for name, one in self._questions.items() if isinstance(one, kind)}

    def append(self, record: ConversationRecord) -> None:
        """Add a conversation; one that is finished already, or of an unknown question, is refused."""
        if self._log is None:
            raise RunFolderError(f"{self.folder}: opened for reading; conversations cannot be added")
        if record.question_id not in self._questions:
            raise RunFolderError(f"{self.folder}: found question {record.question_id!r}, not in {QUESTIONS}")
        with self._mutex:
            if record.key in self._finished:
                raise RunFolderError(f"{self.folder}: {tuple(record.key)} is finished already")
            self._log.append(record)
            if record.status in FINAL:
                self._finished.add(record.key)

    def conversations(self) -> dict[Key, ConversationRecord]:
        """Return one conversation a key, in the order of the keys; what is wrong with the file is logged."""
        return self.read_conversations().records

    def read_conversations(self) -> Reading[ConversationRecord]:
        """Return the conversations with the problems, repeats and conflicts of their file.

        A final status beats one that is not; among equals the last complete record stands.
        """
        path = self.folder / CONVERSATIONS
        reading = read_keyed(path, ConversationRecord, is_final)
        log_faults(path, reading)
        return reading

    def read_conversation_statuses(self) -> Reading[ConversationStatus]:
        """Return the status of every conversation without its words, several times as fast.

        A record with a key and a status counts even where `read_conversations` refuses it for another field.
        Conflicts are those of the statuses alone; nothing is logged.
        """
        return read_keyed(self.folder / CONVERSATIONS, ConversationStatus, is_final)

    def finished(self) -> set[Key]:
        """Return the keys that a resumed run skips: those whose status is final.

        They stand in the file now. Every field counts, since a record that nothing can read later must be
        made anew; a store that writes has read what was there before, and checks keys and statuses alone.
        """
        if self._log is None:
            return _finished(self.conversations())
        standing = self.read_conversation_statuses().records
        with self._mutex:
            return {key for key in self._finished if key in standing and is_final(standing[key])}

    def judges(self) -> list[str]:
        """Return the names of the judges that have judged this run, sorted."""
        return sorted(path.stem for path in (self.folder / JUDGEMENTS).glob("*.yaml"))

    def start_judge(self, judge: str, identity: Mapping[str, Any]) -> None:
        """Open the file of `judge` for appending; raises IdentityChangedError where it judged differently."""
        if judge in self._judge_logs:
            check_same(self._judge_file(judge, ".yaml"), self.judge_identity(judge), RunIdentity(identity))
            return
        path = self._judge_file(judge, ".jsonl")
        path.parent.mkdir(exist_ok=True)
        log = AppendLog(path)
        try:
            settings = self._judge_file(judge, ".yaml")
            if path.stat().st_size > 0 and not settings.exists():
                raise RunFolderError(f"{path}: holds judgements, but {settings.name} beside it is missing")
            _settle_identity(settings, RunIdentity(identity))
            _mend(log, self.read_judgements(judge).problems)
        except BaseException:
            log.close()
            raise
        self._judge_logs[judge] = log

    def append_judgement(self, judge: str, record: JudgementRecord) -> None:
        """Add a judgement by `judge`, which `start_judge` has opened."""
        if judge not in self._judge_logs:
            raise RunFolderError(f"{self.folder}: judge {judge!r} has not been started")
        self._judge_logs[judge].append(record)

    def judgements(self, judge: str) -> dict[Key, JudgementRecord]:
        """Return one judgement a key, in the order of the keys; what is wrong with the file is logged."""
        return self.read_judgements(judge).records

    def read_judgements(self, judge: str) -> Reading[JudgementRecord]:
        """Return the judgements with the problems, repeats and conflicts of their file.

        A ruling (status ok) beats a failure; among equals the last complete record stands.
        """
        path = self._judge_file(judge, ".jsonl")
        reading = read_keyed(path, JudgementRecord, is_ruling)
        log_faults(path, reading)
        return reading

    def read_judgement_statuses(self, judge: str) -> Reading[JudgementStatus]:
        """Return the status of every judgement by `judge`, as `read_conversation_statuses` does."""
        return read_keyed(self._judge_file(judge, ".jsonl"), JudgementStatus, is_ruling)

    def judge_identity(self, judge: str) -> RunIdentity:
        """Return the settings with which `judge` judged."""
        return RunIdentity.read(self._judge_file(judge, ".yaml"))

    def _judge_file(self, judge: str, suffix: str) -> Path:
        if not _JUDGE_NAME.fullmatch(judge):
            raise RunFolderError(
                f"judge: found {judge!r}, allowed: up to 100 Latin letters, digits, '.', '_' and '-', "
                "a letter or digit first"
            )
        return self.folder / JUDGEMENTS / f"{judge}{suffix}"


def is_final(record: ConversationRecord | ConversationStatus) -> bool:
    """Say whether a conversation is never held again: such a record beats any other of its key."""
    return record.status in FINAL


def is_ruling(record: JudgementRecord | JudgementStatus) -> bool:
    """Say whether a judgement rules: such a record beats any other of its key."""
    return record.status is JudgeStatus.OK


def _finished(conversations: Mapping[Key, ConversationRecord]) -> set[Key]:
    return {key for key, record in conversations.items() if record.status in FINAL}


def _refuse_other_content(folder: Path) -> None:
    if (folder / IDENTITY).exists():
        return
    # What a creation that was killed before run.yaml stood may have left; the server starts before it.
    begun = {f".{IDENTITY}.new"}
    conversations = folder / CONVERSATIONS
    if conversations.is_file() and conversations.stat().st_size == 0:
        begun.add(CONVERSATIONS)
    names = sorted(path.name for path in folder.iterdir())
    others = [name for name in names if name not in begun and not _SERVED.fullmatch(name)]
    if others:
        shown = ", ".join(others[:5]) + (", …" if len(others) > 5 else "")
        raise RunFolderError(f"{folder}: no {IDENTITY}, but other content ({shown}); name an empty folder")


def _settle_identity(path: Path, identity: RunIdentity) -> None:
    if path.exists():
        begun = RunIdentity.read(path)
        check_same(path, begun, identity, GROWING)
        if begun == identity:
            return
    identity.write(path)


def _settle_questions(path: Path, questions: Sequence[Question], kind: type[Question]) -> None:
    asked = {question.question_id: question for question in questions}
    if len(asked) < len(questions):
        ids = [question.question_id for question in questions]
        repeated = sorted({name for name in ids if ids.count(name) > 1})
        raise RunFolderError(
            f"questions: found the id(s) {', '.join(repeated)} more than once, allowed: once"
        )
    if path.exists():
        check_same(path, _as_settings(_read_questions(path, kind)), _as_settings(asked))
        return
    write_whole(path, b"".join(map(encode, questions)))


def _as_settings(questions: Mapping[str, Question]) -> RunIdentity:
    return RunIdentity({name: vars(question) for name, question in questions.items()})


def _question_type(path: Path, identity: RunIdentity) -> type[Question]:
    try:
        return question_type(identity.settings)
    except UnknownBenchmarkError as error:
        raise RunFolderError(f"{path}: {error}") from error


def _read_questions(path: Path, kind: type[Q]) -> dict[str, Q]:
    questions, problems = read_lines(path, decoder(kind))
    if problems:
        raise RunFolderError("\n".join(map(str, problems)))
    return {question.question_id: question for question in questions}


def _mend(log: AppendLog, problems: Iterable[LineProblem]) -> None:
    if any(problem.kind in ("joined", "damaged") for problem in problems):
        log.rewrite()

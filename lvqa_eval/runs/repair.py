"""Mending the files of a run without loss: what leaves a file is kept beside it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from lvqa_eval.runs.lines import AppendLog, LineProblem, check_free, read_lines, read_pieces
from lvqa_eval.runs.reading import Keyed, decoder, one_per_key
from lvqa_eval.runs.records import ConversationRecord, JudgementRecord
from lvqa_eval.runs.store import CONVERSATIONS, JUDGEMENTS, QUESTIONS, RunFolderError, is_final, is_ruling

R = TypeVar("R", bound=Keyed)


@dataclass(frozen=True)
class Mending:
    """What one file of records needs.

    `problems` are its lines that are not one record each; of those the `refused` stay as they are, since
    another version may read them. `superfluous` are the records, counted from 0, in whose place another of
    the same key stands.
    """

    path: Path
    problems: tuple[LineProblem, ...]
    superfluous: frozenset[int]

    @property
    def needed(self) -> bool:
        """Whether anything can be mended."""
        return bool(self.superfluous) or any(problem.kind != "refused" for problem in self.problems)

    def told(self) -> list[str]:
        """Return what mending does to the file, one line each; also what it leaves."""
        name = self.path.name
        does = {
            "torn": f"cut off, kept in {name}.torn",
            "damaged": f"taken out, kept in {name}.damaged",
            "joined": "split into lines",
            "refused": "left as it is: it is JSON, and another version may know it",
        }
        lines = [f"{problem}: {does[problem.kind]}" for problem in self.problems]
        if self.superfluous:
            count = len(self.superfluous)
            lines.append(f"{self.path}: {count} repeat(s) taken out, kept in {name}.repeats")
        return lines

    def apply(self, log: AppendLog) -> None:
        """Mend the file; opening its `log` has cut the torn end off already."""
        if self.superfluous or any(problem.kind in ("joined", "damaged") for problem in self.problems):
            log.rewrite(self.superfluous)


def inspect(folder: Path) -> list[Mending]:
    """Return what every file of records of the run in `folder` needs; changes nothing.

    Which of several records of a key stands is the store's rule: a final conversation, or a ruling, beats any
    other, and among equals the last complete one. Raises RunFolderError for a folder that is no run.
    """
    files = _files(folder)
    conversations, judged = folder / CONVERSATIONS, sorted((folder / JUDGEMENTS).glob("*.jsonl"))
    others = [path for path in files if path not in (conversations, *judged)]
    return [
        _inspect(conversations, ConversationRecord, is_final),
        *(_inspect(path, JudgementRecord, is_ruling) for path in judged),
        *(Mending(path, tuple(read_lines(path)[1]), frozenset()) for path in others),
    ]


def repair(folder: Path) -> list[Mending]:
    """Mend every file of the run in `folder` and return what was found.

    Raises LogInUseError, before anything is changed, where another process writes to one of them, and
    RunFolderError for a folder that is no run.
    """
    for path in _files(folder):
        check_free(path)
    mendings = inspect(folder)
    for mending in mendings:
        if mending.needed:
            with AppendLog(mending.path) as log:
                mending.apply(log)
    return mendings


def _files(folder: Path) -> list[Path]:
    """Return the files of records that grow; the questions are written once, and whole."""
    if not (folder / CONVERSATIONS).is_file():
        raise RunFolderError(f"{folder}: not a run folder: {CONVERSATIONS} is missing")
    return sorted(path for path in folder.rglob("*.jsonl") if path.name != QUESTIONS)


def _inspect(path: Path, record_type: type[R], final: Callable[[R], bool]) -> Mending:
    decode = decoder(record_type)
    records: list[tuple[int, R]] = []
    whole = (piece for piece in read_pieces(path) if piece.whole)
    for number, piece in enumerate(whole):
        try:
            records.append((number, decode(piece.content)))
        except ValueError:
            continue  # refused: whose place it takes is not known
    chosen, _, _ = one_per_key(records, lambda numbered: numbered[1].key, lambda numbered: final(numbered[1]))
    standing = {number for number, _ in chosen.values()}
    superfluous = frozenset(number for number, _ in records) - standing
    return Mending(path, tuple(read_lines(path, decode)[1]), superfluous)

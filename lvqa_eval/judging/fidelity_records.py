"""What a judge found of each message of a simulated user: `fidelity/<judge>.jsonl` in the run's folder."""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Self

from lvqa_eval.files import file_name
from lvqa_eval.runs.identity import RunIdentity, check_same
from lvqa_eval.runs.lines import AppendLog, read_lines
from lvqa_eval.runs.reading import decoder, one_per_key
from lvqa_eval.statuses import JudgeStatus

FIDELITY = "fidelity"


class TurnKey(NamedTuple):
    """Names one turn of a run: its conversation, and its place in it (from 1)."""

    condition: str
    question_id: str
    run: int
    turn: int


@dataclass(frozen=True)
class FidelityRecord:
    """A ruling on one message: does it convey the whole shard, and does it add anything.

    Both are None unless `status` is ok.
    """

    condition: str
    question_id: str
    run: int
    turn: int
    status: JudgeStatus
    conveyed: bool | None = None
    added: bool | None = None
    reason: str | None = None
    error: str | None = None

    @property
    def key(self) -> TurnKey:
        """The name of the turn that was judged."""
        return TurnKey(self.condition, self.question_id, self.run, self.turn)


class FidelityLog:
    """The rulings of one judge, for appending; a context manager.

    Raises IdentityChangedError where a judge of this name has judged with other settings, LogInUseError where
    another process writes.
    """

    def __init__(self, folder: Path, judge: str, identity: RunIdentity) -> None:
        name = file_name(judge)
        self.path = folder / FIDELITY / f"{name}.jsonl"
        self.path.parent.mkdir(exist_ok=True)
        self._log = AppendLog(self.path)
        try:
            self._settle(self.path.with_name(f"{name}.yaml"), identity)
        except BaseException:
            self._log.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._log.close()

    def append(self, record: FidelityRecord) -> None:
        """Add one ruling."""
        self._log.append(record)

    def records(self) -> dict[TurnKey, FidelityRecord]:
        """Return one record a turn: a ruling beats a failure, among equals the last stands."""
        records, _ = read_lines(self.path, decoder(FidelityRecord))
        chosen, _, _ = one_per_key(
            records, lambda record: record.key, lambda record: record.status is JudgeStatus.OK
        )
        return chosen

    def _settle(self, settings: Path, identity: RunIdentity) -> None:
        if settings.exists():
            check_same(settings, RunIdentity.read(settings), identity)
        else:
            identity.write(settings)
        _, problems = read_lines(self.path)
        if any(problem.kind in ("joined", "damaged") for problem in problems):
            self._log.rewrite()

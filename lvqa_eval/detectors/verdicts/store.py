"""`verdicts/<judge>.jsonl` of a run folder, with what the verdicts depend on in `<judge>.yaml` beside it."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Final

from lvqa_eval.detectors.verdicts.record import VerdictRecord
from lvqa_eval.runs.identity import RunIdentity, check_same
from lvqa_eval.runs.lines import AppendLog
from lvqa_eval.runs.reading import log_faults, read_keyed
from lvqa_eval.runs.records import Key
from lvqa_eval.runs.store import RunFolderError

VERDICTS: Final = "verdicts"


def verdict_judges(run_folder: Path) -> list[str]:
    """Return the names of the judges that gave verdicts without the reference on a run, sorted."""
    return sorted(path.stem for path in (run_folder / VERDICTS).glob("*.yaml"))


class VerdictStore:
    """The verdicts of `judge` on the run in `run_folder`; a context manager.

    Anybody may read; between `start` and the end of the block one process appends. The file only grows, and
    what a killed writer left half written is cut off.
    """

    def __init__(self, run_folder: Path, judge: str) -> None:
        self.run_folder, self.judge = run_folder, judge
        self.path = run_folder / VERDICTS / f"{judge}.jsonl"
        self._settings = run_folder / VERDICTS / f"{judge}.yaml"
        self._log: AppendLog | None = None

    def __enter__(self) -> "VerdictStore":
        return self

    def __exit__(self, *_: object) -> None:
        if self._log is not None:
            self._log.close()
            self._log = None

    @property
    def identity(self) -> RunIdentity:
        """What the verdicts depend on."""
        return RunIdentity.read(self._settings)

    def check(self, asked: Mapping[str, Any], later: Collection[str] = ()) -> None:
        """Raise IdentityChangedError where the judge was asked with other settings than these.

        Settings named in `later` are compared once they are known.
        """
        if self._settings.is_file():
            begun = {name: value for name, value in self.identity.settings.items() if name not in later}
            check_same(self._settings, RunIdentity(begun), RunIdentity(asked))

    def start(self, identity: Mapping[str, Any]) -> None:
        """Open the file for appending; raises IdentityChangedError as `check`, LogInUseError."""
        self.path.parent.mkdir(exist_ok=True)
        log = AppendLog(self.path)
        try:
            if self.path.stat().st_size > 0 and not self._settings.exists():
                raise RunFolderError(f"{self.path}: holds verdicts, but {self._settings.name} is missing")
            self.check(identity)
            if not self._settings.exists():
                RunIdentity(identity).write(self._settings)
            problems = read_keyed(self.path, VerdictRecord, _is_final).problems
            if any(problem.kind in ("joined", "damaged") for problem in problems):
                log.rewrite()
        except BaseException:
            log.close()
            raise
        self._log = log

    def append(self, record: VerdictRecord) -> None:
        """Add a verdict; the store must have been started."""
        if self._log is None:
            raise RunFolderError(f"{self.path}: not opened for appending")
        self._log.append(record)

    def records(self) -> dict[Key, VerdictRecord]:
        """Return one verdict a key, in the order of the keys: a final one beats others, then the last."""
        reading = read_keyed(self.path, VerdictRecord, _is_final)
        log_faults(self.path, reading)
        return reading.records


def _is_final(record: VerdictRecord) -> bool:
    return record.final

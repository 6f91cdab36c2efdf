"""The verdicts of one judge on the responses of several runs: their files, counted as they grow."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lvqa_eval.detectors.verdicts.record import VerdictRecord
from lvqa_eval.detectors.verdicts.responses import Responses
from lvqa_eval.detectors.verdicts.store import VerdictStore
from lvqa_eval.judging.cases import Case, by_question
from lvqa_eval.runs.store import RunStore
from lvqa_eval.statuses import Status
from lvqa_eval.tally import Prices, Tally

Identity = Callable[[RunStore], Mapping[str, Any]]
"""From a run to what the verdicts on it depend on."""


@dataclass(frozen=True)
class Checked:
    """What came of one run: what stands by status, of it with a probability, and what was asked for now.

    `failed` are those that the serving broke, `left` responses that were not asked about.
    """

    judge: str
    run: Path
    standing: Counter[Status]
    scored: int
    now: int
    failed: int
    left: int

    def __str__(self) -> str:
        """Return one line."""
        told = ", ".join(f"{count} {status.value}" for status, count in sorted(self.standing.items()))
        found = f": {told} ({self.scored} with a probability)" if told else ""
        return f"{self.run}: {self.standing.total()} checked by {self.judge}{found}, {self.now} of them now"


class VerdictFiles:
    """The verdicts of `judge` on `responses`; a context manager, which gives the files back.

    Nothing more is to be begun once verdicts have cost `limit`, those of earlier commands included.
    """

    def __init__(
        self, responses: Responses, judge: str, prices: Prices | None = None, limit: float | None = None
    ) -> None:
        self._responses, self._judge, self._limit = responses, judge, limit
        self._stores = {run.folder: VerdictStore(run.folder, judge) for run in responses.runs}
        self._now: Counter[Path] = Counter()
        self._before = Tally(prices or Prices())
        self.tally = Tally(prices or Prices())
        if limit is not None:
            for store in self._stores.values():
                for record in store.records().values():
                    _count(self._before, record)

    def __enter__(self) -> "VerdictFiles":
        with ExitStack() as opened:
            for store in self._stores.values():
                opened.enter_context(store)
            self._opened = opened.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def check(self, identity: Identity, later: Collection[str]) -> None:
        """Raise IdentityChangedError where the judge was asked otherwise; see `VerdictStore.check`."""
        for run in self._responses.runs:
            self._stores[run.folder].check(identity(run), later)

    def start(self, identity: Identity) -> None:
        """Open every file for appending."""
        for run in self._responses.runs:
            self._stores[run.folder].start(identity(run))

    def left(self) -> list[list[Case]]:
        """Return the responses without a final verdict, by question."""
        final = {
            folder: {key for key, record in store.records().items() if record.final}
            for folder, store in self._stores.items()
        }
        return by_question(
            case for case in self._responses.cases if case.conversation.key not in final[case.store.folder]
        )

    def add(self, run: RunStore, record: VerdictRecord) -> None:
        """Keep and count a verdict."""
        self._stores[run.folder].append(record)
        self._now[run.folder] += record.final
        _count(self.tally, record)

    def goes_on(self) -> bool:
        """Tell whether a further verdict may be asked for."""
        return self._limit is None or self._before.cost + self.tally.cost < self._limit

    def results(self) -> Iterator[Checked]:
        """Yield what came of each run."""
        for run in self._responses.runs:
            records = self._stores[run.folder].records()
            asked = [records.get(case.conversation.key) for case in self._responses.of(run)]
            given = [record for record in asked if record is not None and record.final]
            left = asked.count(None)
            yield Checked(
                self._judge,
                run.folder,
                standing=Counter(record.status for record in given),
                scored=sum(record.score is not None for record in given),
                now=self._now[run.folder],
                failed=len(asked) - left - len(given),
                left=left,
            )


def _count(tally: Tally, record: VerdictRecord) -> None:
    tally.statuses[record.status] += 1
    tally.prompt_tokens += record.prompt_tokens or 0
    tally.completion_tokens += record.completion_tokens or 0

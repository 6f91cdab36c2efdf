"""What judging has come to so far: judgements by status, tokens, and their cost where prices are known."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from lvqa_eval.runs.records import JudgementRecord
from lvqa_eval.statuses import JudgeStatus
from lvqa_eval.tally import Prices, short

_NOTED = 20


@dataclass
class JudgeTally:
    """Counts judgements as they are made."""

    prices: Prices = field(default_factory=Prices)
    statuses: Counter[JudgeStatus] = field(default_factory=Counter)
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def add(self, record: JudgementRecord) -> None:
        """Count one judgement, and the tokens of all its requests."""
        self.statuses[record.status] += 1
        self.prompt_tokens += record.prompt_tokens or 0
        self.completion_tokens += record.completion_tokens or 0

    def add_all(self, records: Iterable[JudgementRecord]) -> "JudgeTally":
        """Count several judgements; returns itself."""
        for record in records:
            self.add(record)
        return self

    @property
    def cost(self) -> float:
        """The price of all tokens, in the currency of the prices."""
        return self.prices.cost(self.prompt_tokens, self.completion_tokens, 0)

    def __str__(self) -> str:
        """Return one line: statuses other than ok, and what was asked of a model; empty for neither."""
        bad = [f"{count} {status.value}" for status, count in sorted(self.statuses.items()) if status != "ok"]
        spent = []
        if self.prompt_tokens or self.completion_tokens:
            spent.append(f"{short(self.prompt_tokens)} + {short(self.completion_tokens)} tokens")
            spent += [f"cost {self.cost:.2f}"] if self.prices.known else []
        return ", ".join([*bad, *spent])


class Account:
    """What one command has come to: by judge, and by judge and run.

    With a `limit`, nothing more is begun once it is reached; `spent` is the cost of what was done before.
    """

    def __init__(self, prices: Prices | None = None, limit: float | None = None, spent: float = 0.0) -> None:
        self._prices, self._limit, self._spent = prices or Prices(), limit, spent
        self._note = ""
        self._of: dict[str, JudgeTally] = {}
        self._made: dict[tuple[str, Path], Counter[JudgeStatus]] = defaultdict(Counter)

    def add(self, judge: str, run: Path, record: JudgementRecord) -> None:
        """Count one judgement."""
        self.of(judge).add(record)
        self._made[judge, run][record.status] += 1

    def of(self, judge: str) -> JudgeTally:
        """Return the tally of one judge over all runs."""
        return self._of.setdefault(judge, JudgeTally(self._prices))

    def made(self, judge: str, run: Path) -> Counter[JudgeStatus]:
        """Return the statuses of the judgements by one judge on one run."""
        return self._made[judge, run]

    def note(self, judge: str) -> str:
        """Return the words behind a bar: those of the judge's tally, made anew for some of its judgements."""
        tally = self.of(judge)
        if tally.statuses.total() % _NOTED == 1:
            self._note = str(tally)
        return self._note

    def goes_on(self) -> bool:
        """Tell whether a further judgement may begin."""
        return self._limit is None or self._spent + sum(one.cost for one in self._of.values()) < self._limit

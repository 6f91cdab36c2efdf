"""What a run has come to so far: conversations by status, tokens, and their cost where prices are known."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from lvqa_eval.runs.records import ConversationRecord
from lvqa_eval.statuses import Status

_MILLION = 1_000_000


@dataclass(frozen=True)
class Prices:
    """What a million tokens cost; None where it is not known. Cached tokens cost as others if not given."""

    prompt: float | None = None
    completion: float | None = None
    cached: float | None = None

    @property
    def known(self) -> bool:
        """Whether a cost can be told."""
        return self.prompt is not None and self.completion is not None

    def cost(self, prompt: int, completion: int, cached: int) -> float:
        """Return the price of so many tokens; `cached` are those of `prompt` that the server had."""
        whole = self.prompt or 0.0
        for_cached = whole if self.cached is None else self.cached
        return (
            (prompt - cached) * whole + cached * for_cached + completion * (self.completion or 0.0)
        ) / _MILLION


@dataclass
class Tally:
    """Counts conversations as they end. Attempts that failed count by what their server told of them."""

    prices: Prices = field(default_factory=Prices)
    statuses: Counter[Status] = field(default_factory=Counter)
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0

    def add(self, record: ConversationRecord) -> None:
        """Count one conversation; the tokens of a simulated user count too."""
        self.statuses[record.status] += 1
        for turn in record.turns:
            self.prompt_tokens += (turn.prompt_tokens or 0) + (turn.user_prompt_tokens or 0)
            self.completion_tokens += (turn.completion_tokens or 0) + (turn.user_completion_tokens or 0)
            self.cached_tokens += turn.cached_tokens or 0

    def add_all(self, records: Iterable[ConversationRecord]) -> "Tally":
        """Count several conversations; returns itself."""
        for record in records:
            self.add(record)
        return self

    @property
    def cost(self) -> float:
        """The price of all tokens, in the currency of the prices."""
        return self.prices.cost(self.prompt_tokens, self.completion_tokens, self.cached_tokens)

    def __str__(self) -> str:
        """Return one line: statuses other than ok, tokens, cost."""
        bad = [f"{count} {status.value}" for status, count in sorted(self.statuses.items()) if status != "ok"]
        tokens = f"{short(self.prompt_tokens)} + {short(self.completion_tokens)} tokens"
        cost = [f"cost {self.cost:.2f}"] if self.prices.known else []
        return ", ".join([*bad, tokens, *cost])


def short(count: int) -> str:
    """Return a count in three digits: 950, 12.3k, 4.56M."""
    for unit, letter in ((1_000_000_000, "G"), (_MILLION, "M"), (1_000, "k")):
        if count >= unit:
            return f"{count / unit:.3g}{letter}"
    return str(count)

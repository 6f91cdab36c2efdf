"""One verdict, as a line of JSON."""

from dataclasses import dataclass

from lvqa_eval.runs.records import Key
from lvqa_eval.statuses import FINAL, Status


@dataclass(frozen=True)
class VerdictRecord:
    """What a judge said of one response.

    `status` is that of its reply, `unparsable` where that holds no clear verdict. `incorrect` is None unless
    it is ok; `score` is the probability of INCORRECT against CORRECT where the judge chose between them, None
    where its server does not tell. `reply` is what it said, `error` why that is no verdict. Token counts are
    the server's own.
    """

    condition: str
    question_id: str
    run: int
    status: Status
    incorrect: bool | None = None
    score: float | None = None
    reply: str | None = None
    error: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None

    @property
    def key(self) -> Key:
        """The name of the conversation whose response was checked."""
        return Key(self.condition, self.question_id, self.run)

    @property
    def final(self) -> bool:
        """Whether it is never asked for again: what the serving failed is."""
        return self.status in FINAL

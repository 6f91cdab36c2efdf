"""Judges one after another over many runs: what `lvqa judge` does."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from lvqa_eval.errors import LvqaError
from lvqa_eval.judging.cases import Cases
from lvqa_eval.judging.judges import JUDGES, Judge
from lvqa_eval.judging.model_judge import ModelJudge
from lvqa_eval.judging.model_servers import Tell
from lvqa_eval.judging.options import JudgeOptions
from lvqa_eval.judging.run import judge_cases
from lvqa_eval.judging.tally import Account, JudgeTally
from lvqa_eval.runs.store import RunStore
from lvqa_eval.serving.endpoint import named_endpoint
from lvqa_eval.statuses import JudgeStatus

if TYPE_CHECKING:
    from lvqa_eval.distributed.cluster import Cluster


class UnknownJudgeError(LvqaError, LookupError):
    """A name that is neither a registered judge nor a model."""


class Sitting(Protocol):
    """One judge, or one model with several protocols, as the command has it."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its files in a run's folder."""

    def check(self, cases: Cases) -> None:
        """Raise IdentityChangedError where a run was judged with other settings."""

    def judge(self, cases: Cases, account: Account, tell: Tell) -> None:
        """Rule on what is left."""


class RegisteredJudge:
    """A judge from the list of known ones, which needs no server of ours."""

    def __init__(self, judge: Judge, in_flight: int) -> None:
        self._judge, self._in_flight = judge, in_flight
        self.names = (judge.name,)

    def check(self, cases: Cases) -> None:
        """Compare its settings with those of every run."""
        cases.check_begun(self._judge.name, self._judge.identity(), later=())

    def judge(self, cases: Cases, account: Account, tell: Tell) -> None:
        """Rule on what is left."""
        asyncio.run(judge_cases(cases, self._judge, self._in_flight, account))


@dataclass(frozen=True)
class Sat:
    """What came of one judge over one run: how many rulings stand, and what was made now, by status.

    `failed` are rulings that the transport broke, `left` conversations without any.
    """

    judge: str
    run: Path
    standing: int
    made: Counter[JudgeStatus]
    failed: int
    left: int

    def __str__(self) -> str:
        """Return one line."""
        told = ", ".join(f"{count} {status.value}" for status, count in sorted(self.made.items()))
        new = f"{self.made.total()} of them now" + (f": {told}" if told else "")
        return f"{self.run}: {self.standing} judged by {self.judge}, {new}"


def sittings(words: Sequence[str], options: JudgeOptions, cluster: "Cluster | None" = None) -> list[Sitting]:
    """Return the judges of the command line, in its order: known names, NAME@URL, or names of models.

    Several URLs with one NAME are servers of one judge. Models judge on a `cluster` if given. Raises
    UnknownJudgeError, AddressError.
    """
    if options.retest and (plain := [word for word in words if word in JUDGES.names()]):
        raise UnknownJudgeError(
            f"--retest: found {', '.join(plain)}, allowed: models, whose verdicts can change"
        )
    urls: dict[str, list[str]] = {}
    for word in words:
        if word in JUDGES.names():
            urls.setdefault(word, [])
        elif "://" in word:
            name, url = named_endpoint(word)
            urls.setdefault(name, []).append(url)
        elif "/" in word or Path(word).is_dir():
            urls.setdefault(word, [])
        else:
            known = ", ".join(JUDGES.names())
            raise UnknownJudgeError(
                f"judge: found {word!r}, allowed: {known}, NAME@URL of a running server, "
                "or a model to start (ORG/NAME on the Hub, or a folder)"
            )
    return [
        RegisteredJudge(JUDGES.get(name)(), options.in_flight)
        if name in JUDGES.names()
        else ModelJudge(name, addresses, options, cluster)
        for name, addresses in urls.items()
    ]


def judge_runs(
    folders: Sequence[Path], judges: Sequence[Sitting], options: JudgeOptions, tell: Tell
) -> Iterator[Sat | LvqaError]:
    """Let the judges rule, one after another; yields for each what came of every run, or what stopped it.

    A judge that is stopped keeps the next from nothing. Raises IdentityChangedError before any begins.
    """
    with ExitStack() as stack:
        stores = [stack.enter_context(RunStore.open(folder)) for folder in folders]
        cases = Cases(stores)
        for judge in judges:
            judge.check(cases)
        spent = _spent(stores, judges, options)
        account = Account(options.prices, options.max_cost, spent)
        for judge in judges:
            try:
                judge.judge(cases, account, tell)
            except LvqaError as error:
                yield error
            for name in judge.names:
                if told := str(account.of(name)):
                    tell(f"{name}: {told}")
                yield from _results(cases, name, account)


def _results(cases: Cases, judge: str, account: Account) -> Iterator[Sat]:
    unruled = Counter(case.store.folder for group in cases.left(judge) for case in group)
    for store in cases.stores:
        statuses = [one.status for one in store.read_judgement_statuses(judge).records.values()]
        failed = statuses.count(JudgeStatus.TRANSPORT_ERROR)
        yield Sat(
            judge,
            store.folder,
            standing=len(statuses) - failed,
            made=account.made(judge, store.folder),
            failed=failed,
            left=unruled[store.folder] - failed,
        )


def _spent(stores: Sequence[RunStore], judges: Sequence[Sitting], options: JudgeOptions) -> float:
    """Return what earlier commands spent on these judges and runs; read only where there is a limit."""
    if options.max_cost is None:
        return 0.0
    tally = JudgeTally(options.prices)
    for store in stores:
        for name in (name for judge in judges for name in judge.names):
            tally.add_all(store.judgements(name).values())
    return tally.cost

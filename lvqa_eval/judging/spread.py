"""One judge model over a Ray cluster, from the driver's side: who rules on what, and keeping what comes."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lvqa_eval.distributed.cluster import Cluster, crew_size
from lvqa_eval.distributed.crew import PAUSES, Crew, Hand, RefusedError
from lvqa_eval.distributed.schedule import Unit
from lvqa_eval.judging.cases import Case, Cases
from lvqa_eval.judging.labour import ApiKey, Brief, JudgeLabour, Ruled
from lvqa_eval.judging.tally import Account
from lvqa_eval.progress import Advance, progress
from lvqa_eval.serving.preflight import PreflightError, ServerRecord
from lvqa_eval.serving.server import ServerOptions

UNIT = 64
"""The most conversations of a unit; a question that has more goes on with the worker that has begun it."""

_CPUS = 1


@dataclass(frozen=True)
class Spread:
    """The workers of one judge model: one for each base URL, else `workers`, else as many as fit.

    `labour` is what each does, but for its address and its log.
    """

    cluster: Cluster
    labour: JudgeLabour
    base_urls: tuple[str, ...]
    workers: int | None
    gpus: int

    def crew(self, tell: Callable[[str], None]) -> Crew[Brief]:
        """Start the workers; raises ClusterError where the cluster has too little room."""
        wanted = len(self.base_urls) or self.workers
        size = crew_size(self.cluster, wanted, cpus=_CPUS, gpus=self.gpus)
        server, log = self.labour.server, self.labour.log

        def hire(number: int) -> Hand[Brief]:
            url = self.base_urls[number - 1] if self.base_urls else None
            own = log.with_stem(f"{log.stem}-{number}")
            labour = replace(self.labour, base_url=url, server=_found_everywhere(server), log=own)
            return self.cluster.hand(labour, cpus=_CPUS, gpus=self.gpus)

        tell(f"starting {size} workers on {self.cluster.nodes} machines")
        return Crew(hire, size, self.labour.in_flight, tell, PAUSES)


async def judge_on(
    spread: Spread,
    cases: Cases,
    account: Account,
    api_key: str | None,
    begin: Callable[[ServerRecord], None],
    tell: Callable[[str], None],
) -> None:
    """Have the workers rule on what is left; `begin` is told what their servers are before any is asked.

    Raises PreflightError where a worker cannot take part, CrewGoneError where none is left.
    """
    crew = spread.crew(tell)
    names = [settings.name for settings in spread.labour.settings]
    try:
        try:
            begin(await crew.start(ApiKey(api_key)))
        except RefusedError as error:
            raise PreflightError(error.problems) from None
        left = [cases.left(name) for name in names]
        with progress(
            f"judging: {', '.join(names)}", sum(len(group) for one in left for group in one)
        ) as bar:
            await crew.work(units(left, cases), _Taking(names, cases, account, bar))
    finally:
        await crew.stop()


def units(left: Sequence[Sequence[Sequence[Case]]], cases: Cases) -> Iterator[Unit[Brief]]:
    """Yield the work by protocol and question, in pieces of at most UNIT conversations."""
    run_of = {store.folder: run for run, store in enumerate(cases.stores)}
    number = place = 0
    for protocol, groups in enumerate(left):
        for group in groups:
            for start in range(0, len(group), UNIT):
                items: dict[int, Brief] = {}
                for store, question, conversation in group[start : start + UNIT]:
                    items[place] = Brief(protocol, run_of[store.folder], question, conversation)
                    place += 1
                yield Unit(number, f"{protocol} {group[0].question.question_id}", items)
                number += 1


class _Taking:
    """Keeps every ruling as it comes."""

    def __init__(self, names: Sequence[str], cases: Cases, account: Account, advance: Advance) -> None:
        self._names, self._cases, self._account, self._advance = names, cases, account, advance

    def keep(self, result: Ruled) -> None:
        """Add a ruling to its run."""
        judge, store = self._names[result.protocol], self._cases.stores[result.run]
        store.append_judgement(judge, result.record)
        self._account.add(judge, store.folder, result.record)
        self._advance(self._account.note(judge))

    def note(self, note: Any) -> None:
        """Judges tell nothing beside their rulings."""

    def goes_on(self) -> bool:
        """Tell whether a further ruling may begin."""
        return self._account.goes_on()


def _found_everywhere(server: ServerOptions | None) -> ServerOptions | None:
    """Return the options with a model's folder named as every machine finds it."""
    if server is None or not Path(server.model).is_dir():
        return server
    return replace(server, model=str(Path(server.model).resolve()))

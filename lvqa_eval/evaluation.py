"""One evaluation from its settings to a finished run folder: plan, server, preflight, conversations."""

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lvqa_eval.dataset import Dataset, open_dataset
from lvqa_eval.parts import api_key, make_client, make_setting
from lvqa_eval.plan import Plan, Work, make_plan
from lvqa_eval.progress import progress
from lvqa_eval.run import hold
from lvqa_eval.runs.identity import RunIdentity, check_same
from lvqa_eval.runs.records import ConversationRecord, Key
from lvqa_eval.runs.store import IDENTITY, SERVER_LOG, RunStore
from lvqa_eval.serving.model import Model, find_model
from lvqa_eval.serving.preflight import PreflightError, Requirements, ServerRecord, preflight
from lvqa_eval.serving.servers import serving
from lvqa_eval.settings import Settings, identity
from lvqa_eval.tally import Tally

MEDIA = "media"
"""The folder of a run that holds its pictures where servers read them by path."""

DEEP = 8
"""Above this many layers `snowball-v` sends so many pictures that it may be left out."""

Tell = Callable[[str], None]
Ended = Callable[[], str | None]


@dataclass(frozen=True)
class Outcome:
    """What came of a run: where it lies, what was held now, how many of the planned conversations are final.

    `over_budget` tells that conversations were left because of the settings' `max_cost`.
    """

    folder: Path
    held: Tally
    done: int
    planned: int
    over_budget: bool = False


def evaluate(settings: Settings, tell: Tell) -> Outcome:
    """Run an evaluation, or finish one that was begun; `tell` is given a line at each step.

    Raises an LvqaError where dataset, settings or server do not fit; what was held before is in the folder.
    """
    dataset = open_dataset(settings.dataset, settings.revision)
    plan = make_plan(settings.benchmark, dataset, settings.conditions, settings.runs, settings.limit)
    model = find_model(settings.model, settings.model_revision, fetch=not settings.base_urls)
    server = settings.server(plan, model)
    asked = identity(settings, dataset, plan, model, server)
    folder = settings.out or Path("runs") / f"{_slug(model.served_name)}-{RunIdentity(asked).digest()}"
    done = _finished(folder, asked)
    tell(f"{folder}: {plan.size} conversations, {done} done")
    if done == plan.size:
        return Outcome(folder, Tally(settings.prices), done, plan.size)
    job = _Job(settings, dataset, plan, model, asked, folder)
    if server is None:
        return asyncio.run(job.run(settings.base_urls, tell, ()))
    logs = server_logs(folder, settings.servers)
    tell(f"starting vllm serve {settings.model}; log: {', '.join(map(str, logs))}")
    with serving(server, logs, media=job.media) as started:
        base_urls = tuple(one.base_url for one in started)
        return asyncio.run(job.run(base_urls, tell, tuple(one.ended for one in started)))


@dataclass(frozen=True)
class _Job:
    """An evaluation that is ready for its servers."""

    settings: Settings
    dataset: Dataset
    plan: Plan
    model: Model
    asked: Mapping[str, Any]
    folder: Path

    @property
    def media(self) -> Path | None:
        """Where pictures lie that servers read by their path; None where they travel in requests."""
        return self.folder / MEDIA if self.settings.image_transport == "file" else None

    async def run(self, base_urls: tuple[str, ...], tell: Tell, ended: Sequence[Ended]) -> Outcome:
        """Check the servers, then hold what is missing."""
        plan, record = await self._checked(base_urls, tell)
        whole = {**self.asked, "conditions": plan.conditions, "server": asdict(record)}
        client = make_client(self.settings, self.model.served_name, base_urls, ended)
        setting = make_setting(self.settings, self.dataset, client)
        with RunStore.create_or_resume(self.folder, RunIdentity(whole), plan.questions()) as store:
            account = _Account(self.settings, store)
            finished = store.finished()
            with progress("conversations", plan.size - len(finished)) as advance:

                def keep(record: ConversationRecord) -> None:
                    store.append(record)
                    account.held.add(record)
                    advance(str(account.held))

                async with client:
                    in_flight = self.settings.in_flight * len(base_urls)
                    work = account.affordable(plan, finished)
                    await hold(work, setting, client, keep, in_flight=in_flight)
            done = len(store.finished())
        over_budget = done < plan.size and not account.open
        return Outcome(self.folder, account.held, done, plan.size, over_budget)

    async def _checked(self, base_urls: tuple[str, ...], tell: Tell) -> tuple[Plan, ServerRecord]:
        """Return the plan that the server can serve: without `snowball-v` where that alone is too much."""
        try:
            return self.plan, await self._preflight(base_urls, self.plan)
        except PreflightError as error:
            deep = any(row.depth > DEEP for row in self.plan.rows.get("snowball-v", []))
            if not deep or len(self.plan.conditions) == 1:
                raise
            rest = self.plan.without("snowball-v")
            record = await self._preflight(base_urls, rest)
            tell(f"snowball-v is left out, scenes have more than {DEEP} layers: {error.problems[0]}")
            return rest, record

    async def _preflight(self, base_urls: tuple[str, ...], plan: Plan) -> ServerRecord:
        sampling = self.settings.sampling
        prompts = self.settings.benchmark.prompts()
        images = plan.images_needed()
        tokens = plan.tokens_needed(prompts, self.dataset.scenes(), sampling.max_tokens)
        needed = [Requirements(name, images[name], tokens[name]) for name in plan.conditions]
        key = api_key(self.settings)
        return await preflight(base_urls, self.model.served_name, sampling, needed, api_key=key)


class _Account:
    """What a run has cost, earlier sessions included, and whether it may cost more."""

    def __init__(self, settings: Settings, store: RunStore) -> None:
        self.held = Tally(settings.prices)
        self._limit = settings.max_cost
        capped = settings.max_cost is not None
        self._before = Tally(settings.prices).add_all(store.conversations().values()).cost if capped else 0.0

    @property
    def open(self) -> bool:
        """Whether another conversation may begin; those in flight are always held to their end."""
        return self._limit is None or self._before + self.held.cost < self._limit

    def affordable(self, plan: Plan, finished: set[Key]) -> Iterator[tuple[int, Work]]:
        """Yield what is missing, each with its place in the plan, until the money is spent."""
        for place, work in enumerate(plan.work()):
            if work.key not in finished:
                if not self.open:
                    return
                yield place, work


def server_logs(folder: Path, servers: int) -> list[Path]:
    """Return where the logs of a run's servers go: server.log, server-2.log and so on."""
    first = folder / SERVER_LOG
    return [first, *(first.with_stem(f"{first.stem}-{number}") for number in range(2, servers + 1))]


def _finished(folder: Path, asked: Mapping[str, Any]) -> int:
    """Return how many conversations of a begun run are finished; raises IdentityChangedError early.

    A server can take minutes to start, so what is known before is compared before. Conditions are compared
    later, since one may have been left out for the server's sake.
    """
    if not (folder / IDENTITY).is_file():
        return 0
    store = RunStore.open(folder)
    begun = {name: store.identity.settings.get(name) for name in asked}
    wanted = RunIdentity({**asked, "conditions": begun["conditions"]})
    check_same(folder / IDENTITY, RunIdentity(begun), wanted)
    return len(store.finished())


def _slug(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "model"

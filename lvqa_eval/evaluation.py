"""One evaluation from its settings to a finished run folder: plan, server, preflight, conversations."""

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lvqa_eval.plan import Plan
from lvqa_eval.progress import Advance, progress
from lvqa_eval.runs.identity import GROWING, RunIdentity, check_same
from lvqa_eval.runs.pictures import PictureLog, PictureRecord
from lvqa_eval.runs.records import ConversationRecord
from lvqa_eval.runs.store import IDENTITY, MEDIA, SERVER_LOG, RunStore
from lvqa_eval.scheduled import ScheduledDataset
from lvqa_eval.serving.model import Model, find_model
from lvqa_eval.serving.preflight import PreflightError, Requirements, ServerRecord
from lvqa_eval.serving.server import ServerOptions
from lvqa_eval.serving.servers import serving
from lvqa_eval.settings import Settings, identity
from lvqa_eval.tally import Tally
from lvqa_eval.workforce import Here, Workforce

if TYPE_CHECKING:
    from lvqa_eval.distributed.cluster import Cluster

DEEP = 8
"""Above this many layers `snowball-v` sends so many pictures that it may be left out."""

Tell = Callable[[str], None]


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
    if settings.mirror is None:
        return _evaluate(settings, tell)
    from lvqa_eval.runs.remote import Mirror, local_folder

    folder = settings.out or local_folder(settings.mirror)
    with Mirror(settings.mirror, folder) as mirror:
        tell(f"{settings.mirror}: {mirror.fetched.came} records fetched to {folder}")
        return _evaluate(replace(settings, out=folder), tell)


def _evaluate(settings: Settings, tell: Tell) -> Outcome:
    dataset = settings.open_dataset()
    plan = settings.plan(dataset)
    model = find_model(settings.model, settings.model_revision, fetch=not settings.base_urls)
    server = settings.server(plan, model)
    with _cluster(settings) as cluster:
        gpu = None if cluster is None else cluster.has_gpus
        asked = identity(settings, dataset, plan, model, server, gpu)
        folder = settings.out or Path("runs") / f"{_slug(model.served_name)}-{_digest(asked)}"
        done = _finished(folder, asked)
        tell(f"{folder}: {plan.size} conversations, {done} done")
        if done == plan.size:
            return Outcome(folder, Tally(settings.prices), done, plan.size)
        job = _Job(settings, dataset, plan, model, server, asked, folder)
        with job.workforce(cluster, tell) as workforce:
            return asyncio.run(job.run(workforce, tell))


def _cluster(settings: Settings) -> AbstractContextManager["Cluster | None"]:
    """Join the Ray cluster of the settings, if any."""
    if settings.ray is None:
        return nullcontext()
    from lvqa_eval.distributed.cluster import joined

    return joined(settings.ray, cpus=max(len(settings.base_urls), settings.workers or 1))


@dataclass(frozen=True)
class _Job:
    """An evaluation that is ready for its servers."""

    settings: Settings
    dataset: ScheduledDataset
    plan: Plan
    model: Model
    server: ServerOptions | None
    asked: Mapping[str, Any]
    folder: Path

    @contextmanager
    def workforce(self, cluster: "Cluster | None", tell: Tell) -> Iterator[Workforce]:
        """Start the servers that are ours, or the workers."""
        media = self.folder / MEDIA if self.settings.image_transport == "file" else None
        here = partial(Here, self.settings, self.dataset, self.model.served_name, media=media)
        if cluster is not None:
            from lvqa_eval.distributed.workforce import RayWorkforce

            yield RayWorkforce(
                cluster, self.settings, self.dataset, self.model, self.server, self.folder, tell
            )
        elif self.server is None:
            yield here(self.settings.base_urls)
        else:
            logs = server_logs(self.folder, self.settings.servers)
            tell(f"starting vllm serve {self.settings.model}; log: {', '.join(map(str, logs))}")
            with serving(self.server, logs, media=media) as started:
                yield here(tuple(one.base_url for one in started), tuple(one.ended for one in started))

    async def run(self, workforce: Workforce, tell: Tell) -> Outcome:
        """Check the servers, then hold what is missing."""
        try:
            plan, record = await self._checked(workforce, tell)
            whole = {**self.asked, "conditions": plan.conditions, "server": asdict(record)}
            return await self._hold(workforce, plan, RunIdentity(whole))
        finally:
            await workforce.stop()

    async def _hold(self, workforce: Workforce, plan: Plan, identity: RunIdentity) -> Outcome:
        with ExitStack() as stack:
            store = stack.enter_context(RunStore.create_or_resume(self.folder, identity, plan.questions()))
            pictures = stack.enter_context(PictureLog.open(self.folder))
            finished = store.finished()
            missing = [one for one in enumerate(plan.work()) if one[1].key not in finished]
            advance = stack.enter_context(progress("conversations", len(missing)))
            account = _Account(self.settings, store, pictures, advance)
            await workforce.hold(missing, account)
            done = len(store.finished())
        over_budget = done < plan.size and not account.goes_on()
        return Outcome(self.folder, account.held, done, plan.size, over_budget)

    async def _checked(self, workforce: Workforce, tell: Tell) -> tuple[Plan, ServerRecord]:
        """Return the plan that the server can serve: without `snowball-v` where that alone is too much."""
        try:
            return self.plan, await workforce.check(self._needed(self.plan))
        except PreflightError as error:
            deep = self.plan.images_needed().get("snowball-v", 0) > sum(range(DEEP + 1))
            if not deep or len(self.plan.conditions) == 1:
                raise
            rest = self.plan.without("snowball-v")
            record = await workforce.check(self._needed(rest))
            tell(f"snowball-v is left out, scenes have more than {DEEP} layers: {error.problems[0]}")
            return rest, record

    def _needed(self, plan: Plan) -> list[Requirements]:
        images = plan.images_needed()
        count = self.settings.prompt_tokens(self.dataset, self.model)
        tokens = plan.tokens_needed(count, self.settings.sampling.max_tokens)
        return [Requirements(name, images[name], tokens[name]) for name in plan.rows]


class _Account:
    """Keeps what comes of a run, and what it has cost, earlier sessions included."""

    def __init__(self, settings: Settings, store: RunStore, pictures: PictureLog, advance: Advance) -> None:
        self.held = Tally(settings.prices)
        self._store, self._pictures, self._advance = store, pictures, advance
        self._limit = settings.max_cost
        capped = settings.max_cost is not None
        self._before = Tally(settings.prices).add_all(store.conversations().values()).cost if capped else 0.0

    def keep(self, result: ConversationRecord) -> None:
        """Add a conversation to the run."""
        self._store.append(result)
        self.held.add(result)
        self._advance(str(self.held))

    def note(self, note: PictureRecord) -> None:
        """Add a picture to the run's log."""
        self._pictures.add(note)

    def goes_on(self) -> bool:
        """Tell whether the money is not spent yet."""
        return self._limit is None or self._before + self.held.cost < self._limit


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
    settings = store.identity.settings
    begun = {name: value for name, value in settings.items() if name in {*asked, *GROWING}}
    wanted = RunIdentity({**asked, "conditions": begun.get("conditions")})
    check_same(folder / IDENTITY, RunIdentity(begun), wanted, GROWING)
    return len(store.finished())


def _digest(asked: Mapping[str, Any]) -> str:
    """Return what names a run by its settings, the same whatever is added to it later."""
    return RunIdentity({name: value for name, value in asked.items() if name not in GROWING}).digest()


def _slug(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "model"

"""One evaluation from its settings to a finished run folder: plan, server, preflight, conversations."""

import asyncio
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lvqa_eval.dataset import Dataset, open_dataset
from lvqa_eval.images import PictureStore
from lvqa_eval.plan import Plan, make_plan
from lvqa_eval.progress import progress
from lvqa_eval.run import hold
from lvqa_eval.runs.identity import RunIdentity, check_same
from lvqa_eval.runs.store import IDENTITY, SERVER_LOG, RunStore
from lvqa_eval.serving.client import ChatClient
from lvqa_eval.serving.model import Model, find_model
from lvqa_eval.serving.preflight import PreflightError, Requirements, ServerRecord, preflight
from lvqa_eval.serving.server import VllmServer
from lvqa_eval.settings import Settings, identity
from lvqa_eval.simulation.conversation import Setting
from lvqa_eval.simulation.users import ScriptedUser
from lvqa_eval.statuses import Status

DEEP = 8
"""Above this many layers `snowball-v` sends so many pictures that it may be left out."""

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Outcome:
    """What came of a run: where it lies, how many conversations were held now, by status, and were there."""

    folder: Path
    held: Mapping[Status, int]
    kept: int
    planned: int


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
        return Outcome(folder, {}, done, plan.size)
    job = _Job(settings, dataset, plan, model, asked, folder)
    if server is None:
        return asyncio.run(job.run(settings.base_urls, tell))
    tell(f"starting vllm serve {settings.model}; its log: {folder / SERVER_LOG}")
    with VllmServer(server, folder / SERVER_LOG) as started:
        return asyncio.run(job.run((started.base_url,), tell))


@dataclass(frozen=True)
class _Job:
    """An evaluation that is ready for its servers."""

    settings: Settings
    dataset: Dataset
    plan: Plan
    model: Model
    asked: Mapping[str, Any]
    folder: Path

    async def run(self, base_urls: tuple[str, ...], tell: Tell) -> Outcome:
        """Check the servers, then hold what is missing."""
        settings = self.settings
        # A key is for others' servers; our own is locked to this machine.
        key = (
            os.environ.get("LVQA_API_KEY") or os.environ.get("OPENAI_API_KEY") if settings.base_urls else None
        )
        plan, record = await self._checked(base_urls, key, tell)
        whole = {**self.asked, "conditions": plan.conditions, "server": asdict(record)}
        client = ChatClient(
            base_urls,
            self.model.served_name,
            settings.sampling,
            api_key=key,
            deadline=settings.deadline,
            concurrency=settings.in_flight,
            jitter_seed=settings.seed,
        )
        setting = Setting(
            benchmark=settings.benchmark,
            dataset=self.dataset,
            pictures=PictureStore(settings.background_for(self.dataset)),
            user=ScriptedUser(),
            prompts=settings.benchmark.prompts(),
            seed=settings.seed,
            endpoints=len(base_urls),
        )
        with RunStore.create_or_resume(self.folder, RunIdentity(whole), plan.questions()) as store:
            kept = len(store.finished())
            in_flight = settings.in_flight * len(base_urls)
            with progress("conversations", plan.size - kept) as advance:
                async with client:
                    held = await hold(plan, setting, client, store, in_flight=in_flight, advance=advance)
        return Outcome(self.folder, held, kept, plan.size)

    async def _checked(
        self, base_urls: tuple[str, ...], key: str | None, tell: Tell
    ) -> tuple[Plan, ServerRecord]:
        """Return the plan that the server can serve: without `snowball-v` where that alone is too much."""
        try:
            return self.plan, await self._preflight(base_urls, self.plan, key)
        except PreflightError as error:
            deep = any(row.depth > DEEP for row in self.plan.rows.get("snowball-v", []))
            if not deep or len(self.plan.conditions) == 1:
                raise
            rest = self.plan.without("snowball-v")
            record = await self._preflight(base_urls, rest, key)
            tell(f"snowball-v is left out, scenes have more than {DEEP} layers: {error.problems[0]}")
            return rest, record

    async def _preflight(self, base_urls: tuple[str, ...], plan: Plan, key: str | None) -> ServerRecord:
        sampling = self.settings.sampling
        prompts = self.settings.benchmark.prompts()
        images = plan.images_needed()
        tokens = plan.tokens_needed(prompts, self.dataset.scenes(), sampling.max_tokens)
        needed = [Requirements(name, images[name], tokens[name]) for name in plan.conditions]
        return await preflight(base_urls, self.model.served_name, sampling, needed, api_key=key)


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

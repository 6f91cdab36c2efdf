"""One evaluation from its settings to a finished run folder: plan, server, preflight, conversations."""

import asyncio
import os
import re
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from lvqa_eval.benchmarks import LAYERED_VQA, Benchmark
from lvqa_eval.dataset import Dataset, open_dataset
from lvqa_eval.images import Background, PictureStore, rendering
from lvqa_eval.plan import Plan, make_plan
from lvqa_eval.progress import progress
from lvqa_eval.prompts import Prompt
from lvqa_eval.run import hold
from lvqa_eval.runs.identity import RunIdentity, check_same
from lvqa_eval.runs.store import IDENTITY, SERVER_LOG, RunStore
from lvqa_eval.serving.client import ChatClient
from lvqa_eval.serving.model import Model, find_model
from lvqa_eval.serving.preflight import PreflightError, Requirements, ServerRecord, preflight
from lvqa_eval.serving.request import Sampling
from lvqa_eval.serving.server import ServerOptions, VllmServer
from lvqa_eval.simulation.conversation import Setting
from lvqa_eval.simulation.users import ScriptedUser
from lvqa_eval.statuses import Status

DEEP = 8
"""Above this many layers `snowball-v` sends so many pictures that it may be left out."""


@dataclass(frozen=True)
class Settings:
    """Everything that a user can choose for a run; see `lvqa run --help`."""

    model: str
    dataset: str = "layered-vqa"
    benchmark: Benchmark = LAYERED_VQA
    revision: str | None = None
    model_revision: str | None = None
    base_urls: tuple[str, ...] = ()
    conditions: tuple[str, ...] | None = None
    runs: int = LAYERED_VQA.runs
    limit: int | None = None
    seed: int = 0
    sampling: Sampling = field(default_factory=Sampling)
    background: Background = "checkerboard"
    out: Path | None = None
    in_flight: int = 64
    deadline: float = 600.0
    context: int | None = None
    images_per_prompt: int | None = None
    gpus: int = 1
    server_arguments: tuple[str, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """What came of a run: where it lies, how many conversations were held now, by status, and were there."""

    folder: Path
    held: Mapping[Status, int]
    kept: int
    planned: int


def evaluate(settings: Settings, tell: Callable[[str], None]) -> Outcome:
    """Run an evaluation, or finish one that was begun; `tell` is given a line at each step.

    Raises DatasetError, PreflightError, ServerStartError, ServerGoneError and IdentityChangedError; what was
    held before any of them is in the run folder.
    """
    dataset = open_dataset(settings.dataset, settings.revision)
    plan = make_plan(settings.benchmark, dataset, settings.conditions, settings.runs, settings.limit)
    model = find_model(settings.model, settings.model_revision)
    prompts = settings.benchmark.prompts()
    asked = _asked(settings, dataset, plan, model, prompts)
    folder = settings.out or Path("runs") / f"{_slug(model.served_name)}-{RunIdentity(asked).digest()}"
    done = _resumable(folder, asked)
    tell(f"{folder}: {plan.size} conversations, {done} done")
    if done == plan.size:
        return Outcome(folder, {}, done, plan.size)
    with ExitStack() as stack:
        base_urls = settings.base_urls
        if not base_urls:
            tell(f"starting vllm serve {settings.model}; its log: {folder / SERVER_LOG}")
            server = stack.enter_context(_server(settings, plan, model, folder))
            base_urls = (server.base_url,)
        return asyncio.run(_evaluate(settings, base_urls, dataset, plan, model, folder, tell))


async def _evaluate(
    settings: Settings,
    base_urls: tuple[str, ...],
    dataset: Dataset,
    plan: Plan,
    model: Model,
    folder: Path,
    tell: Callable[[str], None],
) -> Outcome:
    prompts = settings.benchmark.prompts()
    # A key is for others' servers; our own is locked to this machine.
    key = os.environ.get("LVQA_API_KEY") or os.environ.get("OPENAI_API_KEY") if settings.base_urls else None
    plan, record = await _checked(settings, base_urls, dataset, plan, model, key, tell)
    identity = {**_asked(settings, dataset, plan, model, prompts), "server": asdict(record)}
    pictures = PictureStore(settings.background)
    user = ScriptedUser()
    setting = Setting(settings.benchmark, dataset, pictures, user, prompts, settings.seed, len(base_urls))
    store = RunStore.create_or_resume(folder, RunIdentity(identity), plan.questions())
    client = ChatClient(
        base_urls,
        model.served_name,
        settings.sampling,
        api_key=key,
        deadline=settings.deadline,
        concurrency=settings.in_flight,
        jitter_seed=settings.seed,
    )
    kept = len(store.finished())
    with store, progress("conversations", plan.size - kept) as advance:
        async with client:
            in_flight = settings.in_flight * len(base_urls)
            held = await hold(plan, setting, client, store, in_flight=in_flight, advance=advance)
    return Outcome(folder, Counter(held), kept, plan.size)


async def _checked(
    settings: Settings,
    base_urls: tuple[str, ...],
    dataset: Dataset,
    plan: Plan,
    model: Model,
    key: str | None,
    tell: Callable[[str], None],
) -> tuple[Plan, ServerRecord]:
    """Return the plan that the server can serve: without `snowball-v` where that alone is too much for it."""
    prompts = settings.benchmark.prompts()

    async def check(plan: Plan) -> ServerRecord:
        needed = _requirements(plan, dataset, prompts, settings.sampling.max_tokens)
        return await preflight(base_urls, model.served_name, settings.sampling, needed, api_key=key)

    try:
        return plan, await check(plan)
    except PreflightError as error:
        deep = any(row.depth > DEEP for row in plan.rows.get("snowball-v", []))
        if not deep or len(plan.conditions) == 1:
            raise
        rest = plan.without("snowball-v")
        record = await check(rest)
        tell(f"snowball-v is left out, scenes have more than {DEEP} layers: {error.problems[0]}")
        return rest, record


def _requirements(
    plan: Plan, dataset: Dataset, prompts: Mapping[str, Prompt], max_tokens: int
) -> list[Requirements]:
    images = plan.images_needed()
    tokens = plan.tokens_needed(prompts, dataset.scenes(), max_tokens)
    return [Requirements(name, images[name], tokens[name]) for name in plan.conditions]


def _server(settings: Settings, plan: Plan, model: Model, folder: Path) -> VllmServer:
    revision = ("--revision", model.revision) if model.revision else ()
    options = ServerOptions(
        model=settings.model,
        served_name=model.served_name,
        images_per_prompt=settings.images_per_prompt or max(plan.images_needed().values()),
        max_model_len=settings.context or model.context(),
        seed=settings.seed,
        gpus=settings.gpus,
        extra=(*revision, *settings.server_arguments),
    )
    return VllmServer(options, folder / SERVER_LOG)


def _asked(
    settings: Settings, dataset: Dataset, plan: Plan, model: Model, prompts: Mapping[str, Prompt]
) -> dict[str, Any]:
    """Return the part of a run's identity that is known before any server answers."""
    return {
        "benchmark": settings.benchmark.name,
        "lvqa": version("lvqa"),
        "dataset": {
            "name": dataset.manifest["dataset"],
            "version": dataset.version,
            "manifest_sha256": dataset.manifest_sha256,
            "condition_options": dataset.manifest.get("condition_options"),
        },
        "conditions": plan.conditions,
        "runs": plan.runs,
        "questions": len(plan.questions()),
        "model": model.identity(),
        "sampling": settings.sampling.fields(),
        "seed": settings.seed,
        "user": ScriptedUser.name,
        "prompts": {name: prompt.sha256 for name, prompt in prompts.items()},
        "images": rendering(settings.background),
        "endpoint": "running server" if settings.base_urls else "vllm serve",
        "server_arguments": list(settings.server_arguments),
    }


def _resumable(folder: Path, asked: Mapping[str, Any]) -> int:
    """Return how many conversations of a begun run are finished; raises IdentityChangedError early.

    Told before a server is started, which can take minutes. What only the server can tell is compared later;
    so are the conditions, since one may have been left out for it.
    """
    if not (folder / IDENTITY).is_file():
        return 0
    store = RunStore.open(folder)
    begun = {name: store.identity.settings.get(name) for name in asked}
    check_same(
        folder / IDENTITY,
        RunIdentity(begun),
        RunIdentity({**asked, "conditions": begun["conditions"]}),
    )
    return len(store.finished())


def _slug(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "model"

"""What a user chooses for a run, and the part of a run's identity that is known before a server answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

from lvqa_eval.benchmarks import LAYERED_VQA, Benchmark
from lvqa_eval.dataset_folder import DatasetError
from lvqa_eval.images import BACKGROUNDS, Background, Rendering
from lvqa_eval.images.rendering import REDUCTION
from lvqa_eval.plan import Plan, make_plan
from lvqa_eval.scheduled import ScheduledDataset
from lvqa_eval.serving.endpoint import providers
from lvqa_eval.serving.model import Model
from lvqa_eval.serving.model_files import processor
from lvqa_eval.serving.request import Sampling
from lvqa_eval.serving.server import ServerOptions, has_gpu
from lvqa_eval.serving.structured import compact
from lvqa_eval.simulation.llm_user import llm_user_identity
from lvqa_eval.simulation.users import ScriptedUser
from lvqa_eval.tally import Prices
from lvqa_eval.tokens import Patches, PromptTokens

UserName = Literal["scripted", "llm"]
Transport = Literal["data", "file"]


@dataclass(frozen=True)
class Settings:
    """Everything that can be chosen; `lvqa run --help` says what each is.

    Without a `background`, layers are laid over what the dataset recommends. `baselines` are held beside the
    conditions. `split` takes the questions whose fields have these values. Without `base_urls`, so many
    `servers` are started by `vllm serve`, each with `context`, `images_per_prompt`, `gpus` and
    `server_arguments`; None means what the model has, and what the conditions need. Above `max_cost`, at
    `prices`, no further conversation begins. With `ray`, the address of a Ray cluster, `workers` of it hold
    the conversations, as many as fit if None. `mirror` is a URL that the run's folder is copied to, and taken
    from, as it grows.
    """

    model: str
    dataset: str = "layered-vqa"
    benchmark: Benchmark = LAYERED_VQA
    revision: str | None = None
    model_revision: str | None = None
    base_urls: tuple[str, ...] = ()
    conditions: tuple[str, ...] | None = None
    baselines: tuple[str, ...] = ()
    runs: int = LAYERED_VQA.runs
    limit: int | None = None
    split: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0
    sampling: Sampling = field(default_factory=Sampling)
    user: UserName = "scripted"
    user_structured: bool = True
    background: Background | None = None
    max_pixels: int | None = None
    image_transport: Transport = "data"
    image_uuid: bool = False
    prices: Prices = field(default_factory=Prices)
    max_cost: float | None = None
    out: Path | None = None
    in_flight: int = 256
    deadline: float = 600.0
    context: int | None = None
    images_per_prompt: int | None = None
    gpus: int = 1
    servers: int = 1
    ray: str | None = None
    workers: int | None = None
    mirror: str | None = None
    server_arguments: tuple[str, ...] = ()

    def open_dataset(self) -> ScheduledDataset:
        """Open the dataset; raises DatasetError where it is not there, or of another benchmark."""
        return self.benchmark.open(self.dataset, self.revision)

    def background_for(self, dataset: ScheduledDataset) -> Background:
        """Return what layers are laid over; raises DatasetError for an unknown recommendation."""
        if self.background is not None:
            return self.background
        recommended = dataset.manifest.get("layer_background", self.benchmark.background)
        for known in BACKGROUNDS:
            if recommended == known:
                return known
        allowed = ", ".join(BACKGROUNDS)
        raise DatasetError(
            [f"{dataset.folder}: manifest.json: layer_background: found {recommended!r}, allowed: {allowed}"]
        )

    def rendering(self, dataset: ScheduledDataset) -> Rendering:
        """Return how every picture is made before it is sent."""
        return Rendering(self.background_for(dataset), max_pixels=self.max_pixels)

    @property
    def user_sampling(self) -> Sampling:
        """How a simulated user's words are drawn: at temperature 1.0, else as the assistant's."""
        extra = {
            name: value
            for name, value in self.sampling.extra.items()
            if name not in ("logprobs", "top_logprobs")
        }
        return replace(self.sampling, temperature=1.0, extra=extra)

    def plan(self, dataset: ScheduledDataset) -> Plan:
        """Return every conversation to hold; raises DatasetError for what `dataset` does not have."""
        if self.user not in self.benchmark.users:
            allowed = ", ".join(self.benchmark.users)
            raise DatasetError([f"user: found {self.user!r}, allowed on {self.benchmark.name}: {allowed}"])
        return make_plan(
            self.benchmark, dataset, self.conditions, self.runs, self.limit, self.baselines, self.split
        )

    def prompt_tokens(self, dataset: ScheduledDataset, model: Model) -> PromptTokens:
        """Return the count of what prompts take, as far as it is known before a server answers."""
        patches = Patches.of(processor(model.folder))
        return PromptTokens.of(self.benchmark, dataset.sizes(), self.rendering(dataset), patches)

    def server(self, plan: Plan, model: Model) -> ServerOptions | None:
        """Return what to start `vllm serve` with; None where running servers are used."""
        if self.base_urls:
            return None
        revision = ("--revision", model.revision) if model.revision else ()
        # Only what the model says as the user is held to a schema.
        held = self.user == "llm" and self.user_structured
        form = compact(self.server_arguments) if held else ()
        return ServerOptions(
            model=self.model,
            served_name=model.served_name,
            images_per_prompt=self.images_per_prompt or max(plan.images_needed().values()),
            max_model_len=self.context or model.context(),
            seed=self.seed,
            gpus=self.gpus,
            extra=(*revision, *form, *self.server_arguments),
        )


def identity(
    settings: Settings,
    dataset: ScheduledDataset,
    plan: Plan,
    model: Model,
    server: ServerOptions | None,
    gpu: bool | None = None,
) -> dict[str, Any]:
    """Return everything that shapes a run's results; what the server tells of itself comes on top.

    `gpu` tells whether servers of ours have one, where that is not to be asked of this machine.
    How a picture travels (`image_transport`, `image_uuid`), prices and limits shape none.
    """
    prompts = settings.benchmark.prompts()
    return {
        "benchmark": settings.benchmark.name,
        "lvqa": version("lvqa"),
        "dataset": _dataset(dataset),
        **({"split": dict(settings.split)} if settings.split else {}),
        "conditions": plan.conditions,
        **({"baselines": {name: prompts[name].sha256 for name in plan.baselines}} if plan.baselines else {}),
        "runs": plan.runs,
        "questions": len(plan.questions()),
        "model": model.identity(),
        "providers": providers(settings.base_urls),
        "sampling": settings.sampling.fields(),
        "seed": settings.seed,
        "user": _user(settings),
        "prompts": {name: prompts[name].sha256 for name in settings.benchmark.own_prompts},
        "images": _images(settings, dataset),
        # The first argument is the model, which may be a path of this machine and is named above.
        "vllm_serve": None if server is None else server.arguments(gpu=has_gpu() if gpu is None else gpu)[1:],
    }


def _user(settings: Settings) -> dict[str, Any]:
    if settings.user == "llm":
        return llm_user_identity(settings.user_sampling, settings.user_structured)
    return dict(ScriptedUser().identity())


def _images(settings: Settings, dataset: ScheduledDataset) -> dict[str, Any]:
    """Return how pictures are made; of a benchmark that sends smaller ones whatever the conditions are."""
    made = settings.rendering(dataset).identity()
    return {**made, "reduction": REDUCTION} if settings.benchmark.factors else made


def _dataset(dataset: ScheduledDataset) -> Mapping[str, Any]:
    return {
        "name": dataset.manifest["dataset"],
        "version": dataset.version,
        "manifest_sha256": dataset.manifest_sha256,
        # Only the Hub has revisions; the tag or branch that was asked for may move, the commit does not.
        **({"revision": dataset.revision} if dataset.revision else {}),
        "condition_options": dataset.manifest.get("condition_options"),
    }

"""The training loop: by steps, not by the clock; seeded; taken up again where it was stopped.

On a CPU two processes of one thread each work on halves of every batch and share their gradients: that keeps
two cores busier than one process with two threads.
"""

import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import cos, isnan, pi
from pathlib import Path
from random import Random
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn import functional

from lvqa_eval.serving.server import free_ports

from .architecture import Shape, SmallModel
from .curriculum import (
    KINDS,
    STAGES,
    Stage,
    Task,
    draw_kind,
    draw_looks,
    draw_task,
)
from .muon import Muon
from .targets import Probes, cell_targets, object_targets, probe_loss
from .tokens import PICTURE, Tokens
from .worlds import Drawn, Scenes


@dataclass(frozen=True)
class Settings:
    """What a training run depends on, besides the scenes.

    `warm` steps of rising rate are followed by a level stretch and, from the share `fall` of all steps on, by
    a fall to nearly nothing. `looks` and `phrases` weigh targets against the replies.
    """

    steps: int
    seed: int = 0
    processes: int = 2
    matrix_rate: float = 0.02
    rate: float = 2e-3
    warm: int = 100
    fall: float = 0.3
    looks: float = 0.3
    phrases: float = 0.2
    stages: tuple[Stage, ...] = STAGES


PHRASE_LAYER, FOUND_LAYER = 2, 3
"""After which text layers a phrase has to know its object, and a reply the object that it is about."""


@dataclass
class Trainee:
    """The model, its probes and its optimizers, and how many steps they have had."""

    model: SmallModel
    probes: Probes
    optimizers: list[torch.optim.Optimizer]
    step: int = 0

    def state(self) -> dict[str, Any]:
        """Return everything that training goes on from."""
        return {
            "model": self.model.state_dict(),
            "probes": self.probes.state_dict(),
            "optimizers": [one.state_dict() for one in self.optimizers],
            "step": self.step,
        }

    def take_up(self, state: dict[str, Any]) -> None:
        """Go on from what `state` gave."""
        self.model.load_state_dict(state["model"])
        self.probes.load_state_dict(state["probes"])
        for one, kept in zip(self.optimizers, state["optimizers"], strict=True):
            one.load_state_dict(kept)
        self.step = state["step"]


def new_trainee(shape: Shape, tokens: Tokens, settings: Settings) -> Trainee:
    """Return a model with first weights."""
    torch.manual_seed(settings.seed)
    model, probes = SmallModel(shape, settings.seed), Probes(shape)
    model.picture_token = tokens.ids[PICTURE]
    hidden = [weight for name, weight in model.named_parameters() if _is_hidden(name, weight)]
    taken = {id(weight) for weight in hidden}
    others = [weight for part in (model, probes) for weight in part.parameters() if id(weight) not in taken]
    adam = torch.optim.AdamW(others, lr=settings.rate, betas=(0.9, 0.98), weight_decay=0.0)
    return Trainee(model, probes, [Muon(hidden, lr=settings.matrix_rate), adam])


def _is_hidden(name: str, weight: Tensor) -> bool:
    return weight.dim() == 2 and not name.endswith(("embed.weight", "embed_tokens.weight", "lm_head.weight"))


def rate_at(step: int, settings: Settings) -> float:
    """Return the factor of the learning rates at `step`."""
    rising = min(1.0, (step + 1) / settings.warm)
    left = (settings.steps - step) / settings.steps
    falling = 1.0 if left > 1 - settings.fall else 0.5 - 0.5 * cos(pi * left / (1 - settings.fall))
    return rising * max(0.01, falling)


@dataclass
class Tally:
    """Means of what steps report, by kind of step."""

    sums: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(lambda: [0, 0.0]))

    def add(self, kind: str, values: dict[str, float]) -> None:
        """Count the values of one step; those that are not a number are left out."""
        for name, value in values.items():
            if not isnan(value):
                entry = self.sums[f"{kind}: {name}"]
                entry[0] += 1
                entry[1] += value

    def take(self) -> dict[str, float]:
        """Return the means, and begin anew."""
        means = {name: round(total / count, 3) for name, (count, total) in self.sums.items()}
        self.sums.clear()
        return means


@dataclass(frozen=True)
class Loss:
    """What a step is to lower, and figures to report."""

    value: Tensor
    figures: dict[str, float]


def look_loss(trainee: Trainee, looks: Sequence[tuple[Drawn, int | None]], stage: Stage) -> Loss:
    """Return the loss of a step that only looks at pictures."""
    pictures = torch.stack([torch.from_numpy(scene.picture(layer)) for scene, layer in looks])
    tokens = trainee.model.look(pictures).tokens
    value, figures = _cells(trainee, tokens, looks, stage)
    return Loss(value, {"loss": float(value.detach()), **figures})


def _cells(
    trainee: Trainee, tokens: Tensor, shown: Sequence[tuple[Drawn, int | None]], stage: Stage
) -> tuple[Tensor, dict[str, float]]:
    targets = cell_targets(shown, trainee.model.shape.grid)
    said = trainee.probes.piece(tokens).flatten(0, 1)
    loss = probe_loss(said, targets.classes.flatten(0, 1), targets.where.flatten(0, 1))
    return loss.looks + loss.placed / 2 + stage.relations * loss.related, loss.right


def task_loss(trainee: Trainee, task: Task, stage: Stage, settings: Settings) -> Loss:
    """Return the loss of a step with questions: replies, phrases, and the pictures as before."""
    whole = task.batch
    model = trainee.model
    seen = model.look(whole.pictures)
    states = model.read(whole.ids, whole.positions, whole.layout, seen, whole.shown)
    words = model.lm_head(states[-1][whole.before])
    each = functional.cross_entropy(words, whole.due, reduction="none")
    reply = (each * whole.weights).sum() / whole.weights.sum()
    value = reply
    right = (words.argmax(-1) == whole.due)[whole.weights == 1].float().mean()
    figures = {"loss": float(reply.detach()), "tokens right": float(right)}
    if len(whole.pictures):
        shown = [(task.scenes[number], layer) for number, layer in whole.keys]
        cells, told = _cells(trainee, seen.tokens, shown, stage)
        value = value + settings.looks * cells
        figures |= {name: told[name] for name in ("shape", "over colour")}
    for name, phrases, layer, head in (
        ("phrase", whole.mentions, PHRASE_LAYER, trainee.probes.phrase),
        ("found", whole.found, FOUND_LAYER, trainee.probes.found),
    ):
        loss, known = _phrases(task, states[layer], phrases, head)
        value = value + settings.phrases * loss
        figures |= {f"{name} {what}": known[what] for what in ("colour", "shape") if what in known}
    return Loss(value, figures)


def _phrases(
    task: Task, state: Tensor, phrases: Sequence[tuple[int, int, int]], head: nn.Module
) -> tuple[Tensor, dict[str, float]]:
    """Return the loss of what is known of objects at places in the words, given as (place, row, layer)."""
    if not phrases:
        return state.new_zeros(()), {}
    wholes = {row for row, layer in task.batch.keys if layer is None}
    known = [object_targets(task.scenes[row].facts, layer, row in wholes) for _, row, layer in phrases]
    classes, where = zip(*known, strict=True)
    said = head(state[torch.tensor([place for place, _, _ in phrases])])
    loss = probe_loss(said, torch.tensor(classes), torch.tensor(where))
    return loss.looks + loss.placed / 2, loss.right


@dataclass(frozen=True)
class Place:
    """This process among all: its number, and how many there are."""

    rank: int
    count: int

    @property
    def leads(self) -> bool:
        """Whether this process writes what is written."""
        return self.rank == 0


def take_step(
    trainee: Trainee, scenes: Scenes, tokens: Tokens, settings: Settings, place: Place
) -> tuple[str, Loss]:
    """Take the next step; returns its kind and its loss on this process's part of the batch."""
    progress = trainee.step / settings.steps
    stage = next((one for one in settings.stages if progress < one.until), settings.stages[-1])
    # The kind is the same for all processes, what they draw is not.
    kind = draw_kind(stage, Random(f"{settings.seed}:{trainee.step}"))
    rng = Random(f"{settings.seed}:{trainee.step}:{place.rank}")
    if kind is None:
        loss = look_loss(trainee, draw_looks(stage, scenes, rng), stage)
    else:
        task = draw_task(KINDS[kind], stage, scenes, tokens, trainee.model.shape.grid, rng)
        loss = task_loss(trainee, task, stage, settings)
    loss.value.backward()  # type: ignore[no-untyped-call]
    _share_gradients(trainee, place)
    for one in trainee.optimizers:
        for group in one.param_groups:
            group["lr"] = rate_at(trainee.step, settings) * group.setdefault("full", group["lr"])
        one.step()
        one.zero_grad(set_to_none=True)
    trainee.step += 1
    return kind or "looking", loss


def _share_gradients(trainee: Trainee, place: Place) -> None:
    """Give every process the mean of all gradients, no longer than 1."""
    for weight in trainee.probes.parameters():
        # A process may have drawn nothing for a head that another has something for.
        weight.grad = torch.zeros_like(weight) if weight.grad is None else weight.grad
    weights = [w for part in (trainee.model, trainee.probes) for w in part.parameters() if w.grad is not None]
    together = torch.cat([w.grad.flatten() for w in weights if w.grad is not None])
    if place.count > 1:
        dist.all_reduce(together)
        together /= place.count
    together *= min(1.0, 1.0 / (float(together.norm()) + 1e-6))
    start = 0
    for weight in weights:
        assert weight.grad is not None
        weight.grad.copy_(together[start : start + weight.numel()].view_as(weight))
        start += weight.numel()


@dataclass(frozen=True)
class Course:
    """One training run: where it writes, and what happens on the way.

    `folder` gets `log.jsonl`, `state.pt` every `keep_every` steps, and `weights-STEP.pt` at the steps
    `export_at` and at the end. `examine` is called in every process every `examine_every` steps and returns
    figures for the log.
    """

    folder: Path
    settings: Settings
    shape: Shape
    log_every: int = 100
    keep_every: int = 500
    examine_every: int = 0
    export_at: tuple[int, ...] = ()


Examine = Callable[[Trainee, Place], dict[str, Any]]


def follow(
    course: Course, scenes: Scenes, tokens: Tokens, place: Place, examine: Examine | None = None
) -> Iterator[Loss]:
    """Train to the end of `course`, from its state file where there is one; yields the loss of each step."""
    trainee = new_trainee(course.shape, tokens, course.settings)
    state = course.folder / "state.pt"
    if state.exists():
        trainee.take_up(torch.load(state, weights_only=True))
    tally, begun, first = Tally(), time.monotonic(), trainee.step
    while trainee.step < course.settings.steps:
        kind, loss = take_step(trainee, scenes, tokens, course.settings, place)
        tally.add(kind, loss.figures)
        step, last = trainee.step, trainee.step == course.settings.steps
        if place.leads and (step % course.log_every == 0 or last):
            pace = (step - first) / (time.monotonic() - begun)
            _log(course, {"step": step, "steps a second": round(pace, 2), **tally.take()})
        if examine and course.examine_every and (step % course.examine_every == 0 or last):
            found = examine(trainee, place)
            if place.leads:
                _log(course, {"step": step, "examined": found})
        if place.leads and (step % course.keep_every == 0 or last):
            _write(trainee.state(), state)
        if place.leads and (step in course.export_at or last):
            _write(trainee.model.state_dict(), course.folder / f"weights-{step}.pt")
        yield loss


def _log(course: Course, entry: dict[str, Any]) -> None:
    line = json.dumps({"time": time.strftime("%H:%M:%S"), **entry})
    print(line, flush=True)
    with (course.folder / "log.jsonl").open("a") as log:
        log.write(line + "\n")


def _write(state: dict[str, Any], path: Path) -> None:
    """Write a file whole: a stop in the middle leaves the old one."""
    torch.save(state, path.with_suffix(".new"))
    path.with_suffix(".new").replace(path)


def in_processes(count: int, work: Callable[..., None], *arguments: Any) -> None:
    """Call `work(place, *arguments)` in `count` processes of one thread each, joined by gloo."""
    if count == 1:
        torch.set_num_threads(1)
        work(Place(0, 1), *arguments)
        return
    torch.multiprocessing.spawn(_join, (count, free_ports(1)[0], work, arguments), nprocs=count)


def _join(rank: int, count: int, port: int, work: Callable[..., None], arguments: tuple[Any, ...]) -> None:
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=count)
    try:
        work(Place(rank, count), *arguments)
    finally:
        dist.destroy_process_group()

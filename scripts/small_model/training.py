"""The training loop: by steps, not by the clock; seeded; taken up again where it was stopped.

On a CPU two processes of one thread each work on halves of every batch and share their gradients: that keeps
two cores busier than one process with two threads.
"""

import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from math import isnan
from pathlib import Path
from random import Random
from typing import Any

import torch
import torch.distributed as dist

from lvqa_eval.serving.server import free_ports

from .curriculum import KINDS, draw_kind, draw_looks, draw_task
from .losses import Loss, look_loss, task_loss
from .shape import Shape
from .tokens import Tokens
from .trainee import Settings, Trainee, new_trainee, rate_at
from .worlds import Scenes


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
    keep_every: int = 100
    examine_every: int = 0
    export_at: tuple[int, ...] = ()

    @property
    def log(self) -> Path:
        """The file of figures."""
        return self.folder / "log.jsonl"


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
    with course.log.open("a") as log:
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
    # Processes that are paused for a while are waited for.
    patience = timedelta(days=7)
    address = f"tcp://127.0.0.1:{port}"
    dist.init_process_group("gloo", init_method=address, rank=rank, world_size=count, timeout=patience)
    try:
        work(Place(rank, count), *arguments)
    finally:
        dist.destroy_process_group()

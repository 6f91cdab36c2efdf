"""What a step of training is to lower: errors in replies, and in what is seen and understood on the way."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from .curriculum import Stage, Task
from .targets import cell_targets, object_targets, probe_loss
from .trainee import Settings, Trainee
from .worlds import Drawn

PHRASE_LAYER, FOUND_LAYER = 2, 3
"""After which text layers a phrase has to know its object, and a reply the object that it is about."""


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

"""What is trained, and with which settings: the model, its probes and its optimizers."""

from dataclasses import dataclass
from math import cos, pi
from typing import Any

import torch
from torch import Tensor

from .architecture import SmallModel
from .curriculum import STAGES, Stage
from .muon import Muon
from .shape import Shape
from .targets import Probes
from .tokens import PICTURE, Tokens


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

"""Muon: momentum whose direction is made orthogonal, for the matrices of hidden layers.

After Keller Jordan and others, "Muon: an optimizer for hidden layers in neural networks" (2024). Torch's own
works in bfloat16, which CPUs without such units emulate slowly, and takes one matrix after another.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import sqrt
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

COEFFICIENTS = (3.4445, -4.7750, 2.0315)


class Muon(torch.optim.Optimizer):
    """Muon with Nesterov momentum and decoupled weight decay, for parameters with two dimensions.

    Where torch runs in several processes, each makes a share of the directions orthogonal, and all get all.
    """

    def __init__(
        self,
        parameters: Iterable[Tensor],
        lr: float = 0.02,
        momentum: float = 0.95,
        weight_decay: float = 0.01,
        rounds: int = 5,
    ) -> None:
        defaults = {"lr": lr, "momentum": momentum, "weight_decay": weight_decay, "rounds": rounds}
        super().__init__(parameters, defaults)

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:
        """Take one step."""
        for group in self.param_groups:
            weights = [weight for weight in group["params"] if weight.grad is not None]
            aims = [self._aim(weight, group["momentum"]) for weight in weights]
            for weight, direction in zip(weights, _directions(aims, group["rounds"]), strict=True):
                rows, columns = weight.shape
                rate = group["lr"] * sqrt(max(1.0, rows / columns))
                weight.mul_(1 - group["lr"] * group["weight_decay"]).add_(direction, alpha=-rate)

    def _aim(self, weight: Tensor, momentum: float) -> Tensor:
        state = self.state[weight]
        if not state:
            state["momentum"] = torch.zeros_like(weight)
        assert weight.grad is not None
        moved = state["momentum"].lerp_(weight.grad, 1 - momentum)
        return weight.grad.lerp(moved, momentum)


def _directions(aims: Sequence[Tensor], rounds: int) -> list[Tensor]:
    """Return every matrix made orthogonal; those of one size are worked on together."""
    count = dist.get_world_size() if dist.is_initialized() else 1
    rank = dist.get_rank() if count > 1 else 0
    alike: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for index, aim in enumerate(aims):
        alike[tuple(aim.shape)].append(index)
    made = [torch.zeros_like(aim) for aim in aims] if count > 1 else list(aims)
    for indices in alike.values():
        ours = indices[rank::count]
        if ours:
            for index, direction in zip(
                ours, orthogonal(torch.stack([aims[i] for i in ours]), rounds), strict=True
            ):
                made[index] = direction
    if count == 1:
        return made
    together = torch.cat([one.flatten() for one in made])
    dist.all_reduce(together)
    parts = torch.split(together, [aim.numel() for aim in aims])
    return [part.view_as(aim) for part, aim in zip(parts, aims, strict=True)]


def orthogonal(matrices: Tensor, rounds: int) -> Tensor:
    """Return matrices (N x rows x columns) with all singular values near 1 (Newton, Schulz)."""
    wide = matrices.shape[1] <= matrices.shape[2]
    x = matrices if wide else matrices.mT
    x = x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)
    a, b, c = COEFFICIENTS
    for _ in range(rounds):
        square = x @ x.mT
        x = a * x + (b * square + c * square @ square) @ x
    return x if wide else x.mT

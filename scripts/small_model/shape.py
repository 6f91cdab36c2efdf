"""The size of the model, and what both of its towers need."""

from dataclasses import dataclass

import torch
from torch import Tensor

EPSILON = 1e-6
ROPE_BASE = 10_000.0


@dataclass(frozen=True)
class Shape:
    """The size of a model.

    `side` is that of the pictures and `patch` that of a patch, in pixels; a token stands for `merge` x
    `merge` patches. `deepstack` numbers the vision layers whose output is added to the first text layers.
    `sections` shares the turned half of a text head among time, height and width.
    """

    vocabulary: int
    side: int = 120
    patch: int = 10
    merge: int = 2
    vision_width: int = 128
    vision_layers: int = 4
    vision_heads: int = 4
    vision_inner: int = 256
    deepstack: tuple[int, ...] = (1,)
    width: int = 128
    layers: int = 6
    heads: int = 4
    head: int = 32
    inner: int = 384
    sections: tuple[int, int, int] = (6, 5, 5)

    @property
    def patches(self) -> int:
        """Patches along a side."""
        return self.side // self.patch

    @property
    def grid(self) -> int:
        """Tokens along a side of a picture."""
        return self.patches // self.merge

    @property
    def tokens(self) -> int:
        """Tokens of one picture."""
        return self.grid**2


def turned(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turn each pair of coordinates (i, i + half) by the angle of its position."""
    first, second = x.chunk(2, -1)
    return x * cos + torch.cat((-second, first), -1) * sin


def frequencies(size: int) -> Tensor:
    return ROPE_BASE ** -(torch.arange(0, size, 2).float() / size)

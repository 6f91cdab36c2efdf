"""Qwen3-VL at a small size, for pictures of one fixed size, in batches: what training on a CPU needs.

Parameter names and sums are those of the Qwen3-VL of `transformers`, so weights move between the two as they
are. That one takes pictures of any size one after another and is several times slower in training.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi, sqrt

import torch
from torch import Tensor, nn

from .shape import Shape, frequencies
from .text import LanguageModel, Layout
from .vision import Vision


class Towers(nn.Module):
    """Both towers, under the names that `transformers` has for them."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.visual = Vision(shape)
        self.language_model = LanguageModel(shape)


@dataclass(frozen=True)
class Seen:
    """What the vision tower made of the pictures of a batch: `tokens` is N x tokens x width."""

    tokens: Tensor
    extra: list[Tensor]


class SmallModel(nn.Module):
    """The whole model; `seed` draws its first weights."""

    frequencies: Tensor
    axis: Tensor

    def __init__(self, shape: Shape, seed: int = 0) -> None:
        super().__init__()
        self.shape = shape
        self.model = Towers(shape)
        self.lm_head = nn.Linear(shape.width, shape.vocabulary, bias=False)
        self.register_buffer("frequencies", frequencies(shape.head), persistent=False)
        axis = torch.zeros(shape.head // 2, dtype=torch.long)
        for index in (1, 2):
            axis[index : 3 * shape.sections[index] : 3] = index
        self.register_buffer("axis", axis, persistent=False)
        draw_weights(self, seed)

    def look(self, pictures: Tensor) -> Seen:
        """Return what is seen of uint8 pictures (N x side x side x 3)."""
        return Seen(*self.model.visual(pictures))

    def read(self, ids: Tensor, positions: Tensor, layout: Layout, seen: Seen, shown: Tensor) -> list[Tensor]:
        """Return the state after every text layer, the last one normed: tokens x width each.

        `ids` is a flat list of tokens, `positions` 3 x tokens (time, height, width). `shown` numbers the
        picture (in `seen`) of every picture slot in the list, in order.
        """
        text = self.model.language_model
        slots = (ids == self.picture_token).nonzero().flatten()
        x = text.embed_tokens(ids).index_copy(0, slots, seen.tokens[shown].flatten(0, 1))
        angles = (positions.T.float()[:, self.axis] * self.frequencies).repeat(1, 2)
        cos, sin = angles.cos()[:, None], angles.sin()[:, None]
        states = []
        for index, layer in enumerate(text.layers):
            x = layer(x, cos, sin, layout)
            if index < len(seen.extra):
                x = x.index_add(0, slots, seen.extra[index][shown].flatten(0, 1))
            states.append(x)
        states[-1] = text.norm(x)
        return states

    picture_token: int = -1
    """The id that stands for a piece of a picture; whoever makes the tokenizer sets it."""


def draw_weights(model: SmallModel, seed: int) -> None:
    """Draw first weights: matrices by their fan-in, what is added to the residual stream smaller."""
    generator = torch.Generator().manual_seed(seed)
    deep = sqrt(2 * model.shape.layers)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() < 2:
                if name.endswith("bias"):
                    weight.zero_()
                continue
            scale = 0.8 / sqrt(weight.shape[1])
            if name.endswith("embed_tokens.weight"):
                scale = 0.05
            elif name.startswith("lm_head"):
                scale = 0.03
            elif name.endswith(
                ("o_proj.weight", "down_proj.weight", "attn.proj.weight", "mlp.linear_fc2.weight")
            ):
                scale /= deep
            weight.normal_(std=scale, generator=generator)
        vision = model.model.visual
        vision.pos_embed.weight.copy_(_waves(model.shape))


def _waves(shape: Shape) -> Tensor:
    """Return first position embeddings: waves along both axes, so that near places start alike."""
    steps = (torch.arange(shape.patches) + 0.5) / shape.patches
    rates = torch.arange(1, shape.vision_width // 4 + 1) / 4
    angles = steps[:, None] * rates * pi
    along = torch.cat((angles.sin(), angles.cos()), -1) / (1 + torch.cat((rates, rates)) / 2)
    rows = along[:, None].expand(-1, shape.patches, -1)
    columns = along[None].expand(shape.patches, -1, -1)
    return torch.cat((rows, columns), -1).reshape(shape.patches**2, -1) * 0.5


def parameter_count(modules: Sequence[nn.Module]) -> int:
    """Return the number of parameters of `modules`."""
    return sum(weight.numel() for module in modules for weight in module.parameters())

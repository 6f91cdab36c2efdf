"""The text tower of Qwen3-VL at a small size, over a flat list of tokens."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from .shape import EPSILON, Shape, turned


class RMSNorm(nn.Module):
    """Division by the root of the mean square."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size
        self.weight = nn.Parameter(torch.ones(size))

    def forward(self, x: Tensor) -> Tensor:
        return functional.rms_norm(x, (self.size,), self.weight, EPSILON)


@dataclass(frozen=True)
class Layout:
    """Which of a flat list of tokens attend to which: beginnings, and the blocks that go on from them.

    A token sees those before it in its beginning, or the whole beginning and those before it in its block.
    `first` (beginnings x length) and `rest` (blocks x length) have the places of the tokens in the list,
    which holds all beginnings, then all blocks; both are padded on the right. `first_real` and `rest_real`
    are the flat places in them that are no padding, `row` the beginning that each block goes on from, and
    `mask` (blocks x 1 x length x length of both) is added to the attention of blocks.
    """

    first: Tensor
    first_real: Tensor
    rest: Tensor
    rest_real: Tensor
    row: Tensor
    mask: Tensor


class TextAttention(nn.Module):
    """Attention among tokens, where the layout allows it."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.head, self.wide = shape.head, shape.heads * shape.head
        self.q_proj = nn.Linear(shape.width, self.wide, bias=False)
        self.k_proj = nn.Linear(shape.width, self.wide, bias=False)
        self.v_proj = nn.Linear(shape.width, self.wide, bias=False)
        self.o_proj = nn.Linear(self.wide, shape.width, bias=False)
        self.q_norm = RMSNorm(shape.head)
        self.k_norm = RMSNorm(shape.head)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, layout: Layout) -> Tensor:
        q = turned(self.q_norm(self.q_proj(x).view(len(x), -1, self.head)), cos, sin)
        k = turned(self.k_norm(self.k_proj(x).view(len(x), -1, self.head)), cos, sin)
        v = self.v_proj(x).view(len(x), -1, self.head)
        attend = functional.scaled_dot_product_attention
        first_q, first_k, first_v = (_gathered(part, layout.first) for part in (q, k, v))
        # Real tokens stand before padding, so they never see any.
        mixed = attend(first_q, first_k, first_v, is_causal=True).transpose(1, 2).reshape(-1, self.wide)
        mixed = mixed.index_select(0, layout.first_real)
        if len(layout.row):
            own_q, own_k, own_v = (_gathered(part, layout.rest) for part in (q, k, v))
            keys = torch.cat((first_k.index_select(0, layout.row), own_k), 2)
            values = torch.cat((first_v.index_select(0, layout.row), own_v), 2)
            blocks = attend(own_q, keys, values, attn_mask=layout.mask).transpose(1, 2).reshape(-1, self.wide)
            mixed = torch.cat((mixed, blocks.index_select(0, layout.rest_real)))
        return self.o_proj(mixed)


def _gathered(x: Tensor, places: Tensor) -> Tensor:
    """Return tokens (tokens x heads x size) at `places` (rows x length) as rows x heads x length x size."""
    return x.index_select(0, places.flatten()).view(*places.shape, *x.shape[1:]).transpose(1, 2)


class TextMLP(nn.Module):
    """The feed-forward part of a text layer."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(shape.width, shape.inner, bias=False)
        self.up_proj = nn.Linear(shape.width, shape.inner, bias=False)
        self.down_proj = nn.Linear(shape.inner, shape.width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.down_proj(functional.silu(self.gate_proj(x)) * self.up_proj(x))


class TextLayer(nn.Module):
    """One text layer."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.self_attn = TextAttention(shape)
        self.mlp = TextMLP(shape)
        self.input_layernorm = RMSNorm(shape.width)
        self.post_attention_layernorm = RMSNorm(shape.width)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, layout: Layout) -> Tensor:
        x = x + self.self_attn(self.input_layernorm(x), cos, sin, layout)
        return x + self.mlp(self.post_attention_layernorm(x))


class LanguageModel(nn.Module):
    """Embeddings and text layers."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.embed_tokens = nn.Embedding(shape.vocabulary, shape.width)
        self.layers = nn.ModuleList(TextLayer(shape) for _ in range(shape.layers))
        self.norm = RMSNorm(shape.width)

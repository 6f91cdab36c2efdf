"""Qwen3-VL at a small size, for pictures of one fixed size, in batches: what training on a CPU needs.

Parameter names and sums are those of the Qwen3-VL of `transformers`, so weights move between the two as they
are. That one takes pictures of any size one after another and is several times slower in training.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi, sqrt

import torch
from torch import Tensor, nn
from torch.nn import functional

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


def _turned(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turn each pair of coordinates (i, i + half) by the angle of its position."""
    first, second = x.chunk(2, -1)
    return x * cos + torch.cat((-second, first), -1) * sin


class VisionAttention(nn.Module):
    """Attention among all patches of one picture."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.heads = shape.vision_heads
        self.qkv = nn.Linear(shape.vision_width, 3 * shape.vision_width)
        self.proj = nn.Linear(shape.vision_width, shape.vision_width)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        count, patches, width = x.shape
        q, k, v = self.qkv(x).view(count, patches, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(_turned(q, cos, sin), _turned(k, cos, sin), v)
        return self.proj(mixed.transpose(1, 2).reshape(count, patches, width))


class VisionMLP(nn.Module):
    """The feed-forward part of a vision layer. Its ReLU costs a tenth of Qwen's own GELU on a CPU."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.linear_fc1 = nn.Linear(shape.vision_width, shape.vision_inner)
        self.linear_fc2 = nn.Linear(shape.vision_inner, shape.vision_width)

    def forward(self, x: Tensor) -> Tensor:
        return self.linear_fc2(functional.relu(self.linear_fc1(x)))


class VisionBlock(nn.Module):
    """One vision layer."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(shape.vision_width, eps=EPSILON)
        self.norm2 = nn.LayerNorm(shape.vision_width, eps=EPSILON)
        self.attn = VisionAttention(shape)
        self.mlp = VisionMLP(shape)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        x = x + self.attn(self.norm1(x), cos, sin)
        return x + self.mlp(self.norm2(x))


class Merger(nn.Module):
    """Makes one token of `merge` x `merge` neighbouring patches, which follow each other."""

    def __init__(self, shape: Shape, *, norm_after: bool) -> None:
        super().__init__()
        joined = shape.vision_width * shape.merge**2
        self.joined, self.norm_after = joined, norm_after
        self.norm = nn.LayerNorm(joined if norm_after else shape.vision_width, eps=EPSILON)
        self.linear_fc1 = nn.Linear(joined, joined)
        self.linear_fc2 = nn.Linear(joined, shape.width)

    def forward(self, x: Tensor) -> Tensor:
        tokens = (len(x), x.shape[1] * x.shape[2] // self.joined, self.joined)
        x = self.norm(x.reshape(tokens)) if self.norm_after else self.norm(x).reshape(tokens)
        return self.linear_fc2(functional.gelu(self.linear_fc1(x)))


class PatchEmbedding(nn.Module):
    """A linear map of the pixels of a patch. Qwen's takes two frames; `export` shares this one among them."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.proj = nn.Linear(3 * shape.patch**2, shape.vision_width)


class Vision(nn.Module):
    """The vision tower."""

    cos: Tensor
    sin: Tensor
    order: Tensor

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.patch_embed = PatchEmbedding(shape)
        self.pos_embed = nn.Embedding(shape.patches**2, shape.vision_width)
        self.blocks = nn.ModuleList(VisionBlock(shape) for _ in range(shape.vision_layers))
        self.merger = Merger(shape, norm_after=False)
        self.deepstack_merger_list = nn.ModuleList(Merger(shape, norm_after=True) for _ in shape.deepstack)
        rows, columns = _places(shape)
        self.register_buffer("order", rows * shape.patches + columns, persistent=False)
        half = shape.vision_width // shape.vision_heads // 2
        frequencies = _frequencies(half)
        angles = torch.cat((rows[:, None] * frequencies, columns[:, None] * frequencies), -1).repeat(1, 2)
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    def forward(self, pictures: Tensor) -> tuple[Tensor, list[Tensor]]:
        """Return the tokens (N x tokens x width) of uint8 pictures (N x side x side x 3), and deepstack's."""
        x = self.patch_embed.proj(self._patches(pictures)) + self.pos_embed.weight[self.order]
        extra: list[Tensor] = []
        for index, block in enumerate(self.blocks):
            x = block(x, self.cos, self.sin)
            if index in self.shape.deepstack:
                extra.append(self.deepstack_merger_list[len(extra)](x))
        return self.merger(x), extra

    def _patches(self, pictures: Tensor) -> Tensor:
        grid, merge, patch = self.shape.grid, self.shape.merge, self.shape.patch
        x = pictures.to(self.cos.dtype).div(127.5).sub(1)
        x = x.view(-1, grid, merge, patch, grid, merge, patch, 3)
        x = x.permute(0, 1, 4, 2, 5, 7, 3, 6)
        return x.reshape(len(pictures), self.shape.patches**2, 3 * patch**2)


def _places(shape: Shape) -> tuple[Tensor, Tensor]:
    """Return row and column of every patch, those of one token after each other."""
    steps = torch.arange(shape.patches)
    places = torch.stack(torch.meshgrid(steps, steps, indexing="ij"), -1)
    places = places.view(shape.grid, shape.merge, shape.grid, shape.merge, 2).permute(0, 2, 1, 3, 4)
    rows, columns = places.reshape(-1, 2).unbind(1)
    return rows, columns


def _frequencies(size: int) -> Tensor:
    return ROPE_BASE ** -(torch.arange(0, size, 2).float() / size)


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
        q = _turned(self.q_norm(self.q_proj(x).view(len(x), -1, self.head)), cos, sin)
        k = _turned(self.k_norm(self.k_proj(x).view(len(x), -1, self.head)), cos, sin)
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
        self.register_buffer("frequencies", _frequencies(shape.head), persistent=False)
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

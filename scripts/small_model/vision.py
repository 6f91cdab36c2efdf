"""The vision tower of Qwen3-VL at a small size, for pictures of one fixed size in batches."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from .shape import EPSILON, Shape, frequencies, turned


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
        mixed = functional.scaled_dot_product_attention(turned(q, cos, sin), turned(k, cos, sin), v)
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
        rates = frequencies(half)
        angles = torch.cat((rows[:, None] * rates, columns[:, None] * rates), -1).repeat(1, 2)
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

"""A cautious count of the tokens of prompts, before any tokenizer or processor runs.

Text takes a token for every three bytes of UTF-8: English needs about two thirds of that, Russian half, and
scripts of three bytes a letter hardly more. Pictures take a token for each square of so many pixels a side,
as Qwen's models and their like cut them; how others tile pictures is theirs, and for them this is a guess.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from lvqa_eval.benchmarks import Benchmark
from lvqa_eval.dataset import Turn
from lvqa_eval.images import Rendering, Size
from lvqa_eval.prompts import Prompt
from lvqa_eval.scheduled import ScheduledRow

BYTES_PER_TOKEN = 3
TOKENS_PER_MESSAGE = 5
"""What a chat template writes around a message: two marks, the role, two line breaks."""
TOKENS_PER_PICTURE = 2
"""The marks before and behind a picture."""
SIDE = 28


@dataclass(frozen=True)
class Patches:
    """How a model cuts pictures: a token for each square of `side` pixels.

    With `limits` (pixels, least and most) both sides are first scaled to whole squares within them. Without,
    the processor is not known: squares that are not full count, and nothing is scaled down.
    """

    side: int = SIDE
    limits: tuple[int, int] | None = None

    @classmethod
    def of(cls, processor: Mapping[str, Any] | None) -> "Patches":
        """Return those of a model by its processor's settings, the cautious ones where they do not say."""
        found = dict(processor or {})
        size = found.get("size")
        if isinstance(size, Mapping):
            found = {"min_pixels": size.get("shortest_edge"), "max_pixels": size.get("longest_edge")} | found
        names = ("patch_size", "merge_size", "min_pixels", "max_pixels")
        match [found.get(name) for name in names]:
            case [int(patch), int(merge), int(least), int(most)]:
                return cls(patch * merge, (least, most))
        return cls()

    def tokens(self, width: int, height: int) -> int:
        """Return the tokens of a picture of so many pixels, its marks included."""
        columns, rows = width / self.side, height / self.side
        if self.limits is None:
            return math.ceil(columns) * math.ceil(rows) + TOKENS_PER_PICTURE
        least, most = (limit / self.side**2 for limit in self.limits)
        whole = max(1, round(columns)) * max(1, round(rows))
        if whole > most:
            scale = math.sqrt(most / (columns * rows))
            whole = max(1, math.floor(columns * scale)) * max(1, math.floor(rows * scale))
        elif whole < least:
            scale = math.sqrt(least / (columns * rows))
            whole = math.ceil(columns * scale) * math.ceil(rows * scale)
        return whole + TOKENS_PER_PICTURE


@dataclass(frozen=True)
class PromptTokens:
    """Counts the prompts of rows.

    `pictures` has for each scene, and what its sides are divided by, the tokens of one of its pictures.
    """

    benchmark: Benchmark
    prompts: Mapping[str, Prompt]
    pictures: Mapping[tuple[str, float], int]

    @classmethod
    def of(
        cls, benchmark: Benchmark, sizes: Mapping[str, Size], rendering: Rendering, patches: Patches
    ) -> "PromptTokens":
        """Return the count for pictures that go as `rendering` makes them to a model that cuts them so.

        `sizes` are those of each scene's pictures.
        """
        pictures = {
            (scene, factor): patches.tokens(*rendering.fit(*size, factor).sent)
            for scene, size in sizes.items()
            for factor in (1.0, *benchmark.factors.values())
        }
        return cls(benchmark, benchmark.prompts(), pictures)

    def of_turns(self, row: ScheduledRow) -> list[int]:
        """Return the tokens of the prompt of each turn, as if every earlier reply had no words."""
        factor = self.benchmark.factor(row.condition)
        picture = self.pictures[row.scene_id, factor] + self._longest_label()
        contract = self.benchmark.contract(row)
        opening = 0 if contract is None else text_tokens(self.prompts[contract].text) + TOKENS_PER_MESSAGE

        def of(turn: Turn) -> int:
            pictures = picture * (len(turn.layers) + turn.composite)
            # The marks are those around the message and around the reply to it.
            return text_tokens(turn.text) + pictures + 2 * TOKENS_PER_MESSAGE

        return [tokens + opening for tokens in accumulate(map(of, row.turns))]

    def _longest_label(self) -> int:
        return max((text_tokens(self.prompts[name].text) for name in self.benchmark.labels), default=0)


def text_tokens(text: str) -> int:
    """Return the tokens of a text."""
    return math.ceil(len(text.encode()) / BYTES_PER_TOKEN)

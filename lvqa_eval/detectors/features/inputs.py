"""From a conversation and its answer to the tensors that a model reads, and where in them what stands."""

import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from PIL import Image

from lvqa_eval.detectors.features.errors import FeaturesError
from lvqa_eval.runs.sent_messages import SentMessage, png_of

if TYPE_CHECKING:
    import torch

Grid = tuple[int, int]
"""Rows and columns of the image positions of one picture."""

_GRIDS: Final = "image_grid_thw"
_PACKED: Final = {"pixel_values", _GRIDS}
"""What pictures are given as where the patches of all stand in one row: those of several answers can too."""


@dataclass(frozen=True, eq=False)
class ModelInput:
    """One conversation with its answer, as tensors without a batch.

    - `tokens`: `input_ids` and what else has one value a token, (prompt + answer,).
    - `pictures`: everything else that the model takes, pictures along the first axis.
    - `prompt`: how many tokens stand before the first of the answer.
    - `image_places`: where the image positions are, in order, those of each picture as its grid in `grids`
      has them, row by row.
    """

    tokens: Mapping[str, "torch.Tensor"]
    pictures: Mapping[str, "torch.Tensor"]
    prompt: int
    image_places: tuple[int, ...]
    grids: tuple[Grid, ...]

    @property
    def length(self) -> int:
        """The number of tokens, image positions included."""
        return len(self.tokens["input_ids"])

    @property
    def answer(self) -> int:
        """The number of tokens of the answer."""
        return self.length - self.prompt

    @property
    def packs(self) -> bool:
        """Whether it can stand in a batch with others."""
        return set(self.pictures) in (_PACKED, set())


class InputMaker:
    """Makes inputs with the processor of a model, whose configuration names the token of image positions.

    `template_settings` go to the chat template, as far as it knows them. A reply holds no thinking, so that
    a template which opens a block of thinking is told not to.
    """

    def __init__(self, processor: Any, config: Any, template_settings: Mapping[str, Any]) -> None:
        self._processor, self._tokenizer = processor, processor.tokenizer
        self._template = _template(processor)
        self.template_settings = {
            name: value
            for name, value in {**template_settings, "enable_thinking": False}.items()
            if re.search(rf"\b{re.escape(name)}\b", self._template)
        }
        self._image_token = _image_token(config)
        self._merge = int(getattr(getattr(processor, "image_processor", None), "merge_size", 1))

    @cached_property
    def _special(self) -> frozenset[int]:
        """The ids that are no words: they end a reply or stand for something else than text."""
        added = self._tokenizer.added_tokens_decoder.items()
        special = {token_id for token_id, token in added if token.special}
        return frozenset({*special, *self._tokenizer.all_special_ids, self._image_token})

    def make(self, messages: Sequence[SentMessage], reply: str) -> ModelInput | None:
        """Return the tensors of `messages` followed by `reply`; None where the reply has no tokens.

        The prompt goes through the processor, as a server has it, and the reply through the tokenizer alone;
        their ids are joined. Special tokens in the reply are left out, and no end of sequence is added.
        """
        import torch

        words = self._tokenizer(reply, add_special_tokens=False)["input_ids"]
        answer = [token for token in words if token not in self._special]
        if not answer:
            return None
        prompt = self._prompt(messages)
        ids = prompt["input_ids"]
        tokens, pictures = {}, {}
        for name, tensor in prompt.items():
            if tensor.shape == ids.shape:
                filled = torch.full((len(answer),), int(name == "attention_mask"), dtype=tensor.dtype)
                tokens[name] = torch.cat([tensor[0], filled])
            else:
                pictures[name] = tensor
        tokens["input_ids"] = torch.cat([ids[0], torch.tensor(answer, dtype=ids.dtype)])
        places = torch.nonzero(ids[0] == self._image_token)[:, 0].tolist()
        grids = _grids(pictures.get(_GRIDS), self._merge, places)
        return ModelInput(tokens, pictures, ids.shape[1], tuple(places), grids)

    def prompt_ids(self, messages: Sequence[SentMessage]) -> list[int]:
        """Return the ids of the prompt, one for every image position."""
        ids: list[int] = self._prompt(messages)["input_ids"][0].tolist()
        return ids

    def _prompt(self, messages: Sequence[SentMessage]) -> Mapping[str, Any]:
        text = self._processor.apply_chat_template(
            _chat(messages), tokenize=False, add_generation_prompt=True, **self.template_settings
        )
        pictures = [_opened(png_of(picture)) for message in messages for _, picture in message.pictures]
        made: Mapping[str, Any] = self._processor(
            text=[text],
            images=[pictures] if pictures else None,
            add_special_tokens=False,
            return_tensors="pt",
        )
        return made


def _template(processor: Any) -> str:
    template = processor.chat_template or processor.tokenizer.chat_template
    if not isinstance(template, str):
        raise FeaturesError("the model's processor: found no chat template of its own, needed one")
    return template


def _image_token(config: Any) -> int:
    for name in ("image_token_id", "image_token_index"):
        found = getattr(config, name, None)
        if isinstance(found, int):
            return found
    raise FeaturesError(f"config.json of {config.model_type}: image_token_id: missing")


def _chat(messages: Sequence[SentMessage]) -> list[dict[str, Any]]:
    """Return messages as chat templates take them: pictures as marks, each after its label."""
    return [
        {"role": message.role, "content": [*_picture_parts(message), {"type": "text", "text": message.text}]}
        for message in messages
    ]


def _picture_parts(message: SentMessage) -> list[dict[str, str]]:
    parts = []
    for label, _ in message.pictures:
        parts += [] if label is None else [{"type": "text", "text": label}]
        parts.append({"type": "image"})
    return parts


def _opened(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGB")


def _grids(sizes: "torch.Tensor | None", merge: int, places: Sequence[int]) -> tuple[Grid, ...]:
    """Return the grid of each picture: (height / merge, width / merge) of its patches.

    Of a model that gives no grids, image positions that follow each other are one row.
    """
    if sizes is None:
        runs = groupby(enumerate(places), lambda one: one[1] - one[0])
        return tuple((1, len(list(run))) for _, run in runs)
    grids = tuple((frames * height // merge, width // merge) for frames, height, width in sizes.tolist())
    expected = sum(rows * columns for rows, columns in grids)
    if expected != len(places):
        raise FeaturesError(f"image positions: found {len(places)}, the pictures have {expected}")
    return grids

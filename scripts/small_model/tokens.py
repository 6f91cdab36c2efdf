"""The tokenizer: every word of the drawn questions is one token, every sentence of the system prompts too.

The system prompts are long and always the same, so a model this small can take each of their sentences as one
sign. Any other text falls into pieces and bytes, and comes back as it was.
"""

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import Any

from dataset_builders.layered_vqa.conditions import WHOLE_SCENE, announce
from dataset_builders.layered_vqa.example import CATEGORIES
from dataset_builders.layered_vqa.sources.procedural.attributes import (
    BACKGROUND_COLOURS,
    COLOURS,
    SIZES,
    TEXTURES,
)
from dataset_builders.layered_vqa.sources.procedural.geometry import DIRECTIONS, PLACES, SIDES
from dataset_builders.layered_vqa.sources.procedural.questions import candidates
from dataset_builders.layered_vqa.sources.procedural.shapes import SHAPES
from dataset_builders.layered_vqa.sources.procedural.world import random_for
from lvqa_eval.baselines import BASELINES
from lvqa_eval.benchmarks import LAYERED_VQA
from lvqa_eval.prompts import load_prompt

from .worlds import MOST_OBJECTS, draw_training_world

VOCABULARY = 2048
CONTEXT = 32_768
WORLDS_READ = 60
"""So many worlds hold every word that questions are made of."""

PAD, END = "<|endoftext|>", "<|im_end|>"
ROLES = {"system": "<|system|>", "user": "<|user|>", "assistant": "<|assistant|>"}
START_PICTURE, END_PICTURE, PICTURE, VIDEO = (
    "<|vision_start|>",
    "<|vision_end|>",
    "<|image_pad|>",
    "<|video_pad|>",
)
SPECIAL = (PAD, END, *ROLES.values(), START_PICTURE, END_PICTURE, PICTURE, VIDEO)

# Pictures stay where the message has them; content may be plain text or parts.
CHAT_TEMPLATE = """\
{%- for message in messages -%}
{{ '<|' + message['role'] + '|>' }}
{%- if message['content'] is string -%}
{{ message['content'] }}
{%- else -%}
{%- for part in message['content'] -%}
{%- if part['type'] in ('image', 'image_url') -%}
{{ '<|vision_start|><|image_pad|><|vision_end|>' }}
{%- elif 'text' in part -%}
{{ part['text'] }}
{%- endif -%}
{%- endfor -%}
{%- endif -%}
{{ '<|im_end|>' }}
{%- endfor -%}
{%- if add_generation_prompt -%}{{ '<|assistant|>' }}{%- endif -%}"""

REPLY_WORDS = (
    "Can you tell me more? Can you show me more? Answer: Layers: 0, 1, 2, 3, 4, 5, 6, 7 "
    "Confidence: 55 65 75 85 95 Why: These layers show it."
)


def sentences(text: str) -> list[str]:
    """Return the sentences of a prompt, each with the space that follows it; joined, they are the text."""
    return re.findall(r".+?(?:[.:](?:\s+|$)|\n+|$)", text, flags=re.DOTALL)


def fixed_sentences() -> list[str]:
    """Return the sentences that system prompts of conversations are made of."""
    contracts = [load_prompt(name).text for name in LAYERED_VQA.contracts]
    contracts += [BASELINES.get(name).contract().text for name in BASELINES.names()]
    return list(dict.fromkeys(one for text in contracts for one in sentences(text)))


def _corpus() -> Iterator[str]:
    """Yield text in which every word occurs that the model reads or writes."""
    for index in range(WORLDS_READ):
        world = draw_training_world(index, objects=1 + index % MOST_OBJECTS)
        for category in CATEGORIES:
            for one in candidates(world, category, random_for("small model words", index)):
                yield " ".join((one.question, one.answer, *(text for text, _ in one.pieces)))
    values = [*SIZES, *TEXTURES, *COLOURS, *SHAPES, *BACKGROUND_COLOURS, *DIRECTIONS, *SIDES]
    values += [name for row in PLACES for name in row]
    numbers = [str(number) for number in range(100)]
    for word in (*values, *numbers):
        # At the start of a reply a word has no space before it.
        yield from (word, f"{word} {word}") * 20
    labels = [load_prompt(name) for name in LAYERED_VQA.labels]
    for number in range(1, 30):
        yield from (label.fill(position=number, layer=number) for label in labels)
    yield from (announce(list(range(count))) for count in range(1, 9) for _ in range(5))
    yield from (WHOLE_SCENE, REPLY_WORDS) * 20


def make_tokenizer() -> Any:
    """Return the tokenizer as `transformers` has it, with the chat template."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    fixed = [AddedToken(one, normalized=False, special=False) for one in fixed_sentences()]
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY - len(fixed),
        special_tokens=list(SPECIAL),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(_corpus(), trainer)
    tokenizer.add_tokens(fixed)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token=END,
        pad_token=PAD,
        additional_special_tokens=[token for token in SPECIAL if token not in (END, PAD)],
        model_max_length=CONTEXT,
        clean_up_tokenization_spaces=False,
    )
    fast.chat_template = CHAT_TEMPLATE
    return fast


class Tokens:
    """Text as token ids, with those of the special tokens."""

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer = tokenizer
        # Training meets most texts many times.
        self.read = lru_cache(maxsize=100_000)(self._read)

    def _read(self, text: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the tokens of a text, and for each the place in the text where it ends."""
        coded = self.tokenizer.backend_tokenizer.encode(text, add_special_tokens=False)
        return tuple(coded.ids), tuple(end for _, end in coded.offsets)

    @cached_property
    def ids(self) -> dict[str, int]:
        """The ids of the special tokens."""
        return {token: int(self.tokenizer.convert_tokens_to_ids(token)) for token in SPECIAL}

    @cached_property
    def size(self) -> int:
        """How many embeddings a model needs: all tokens, up to a multiple of 64."""
        return -(-len(self.tokenizer) // 64) * 64

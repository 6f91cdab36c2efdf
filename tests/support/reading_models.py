"""Tiny random models that read answers, and conversations of random pictures to read."""

import asyncio
import importlib.util
from functools import cache
from pathlib import Path

import numpy as np
from PIL import Image

from lvqa_eval.images import PictureKey, PictureStore
from lvqa_eval.runs.sent_messages import SentMessage

ROOT = Path(__file__).resolve().parents[2]

SIZES = ((64, 64), (200, 100), (90, 150))
"""Pictures as (width, height)."""

GRIDS = ((2, 2), (2, 5), (5, 3))
"""Rows and columns of SIZES where a position stands for 28 or 32 pixels a side, and a picture has 1 to 16.

64 / 28 and 64 / 32 are nearest 2. The second has too many positions: 200 x 100 pixels scaled to 16 positions
of 28 (32) a side are 158 x 79 (181 x 90), which hold 5 x 2. 90 x 150 is nearest 3 x 5 of either.
"""

SPEECH = "the left one is a long answer, not short."


@cache
def tiny_models():
    """Return the module scripts/tiny_model.py."""
    spec = importlib.util.spec_from_file_location("tiny_model", ROOT / "scripts" / "tiny_model.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write_model(folder, shape, seed=1):
    """Write a random model of the shape of Qwen2.5-VL, Qwen3-VL or Qwen3.5 (a mixture of attentions)."""
    if shape == "qwen3_5":
        _write_qwen3_5(folder, seed)
    else:
        tiny_models().write(folder, seed, shape)
    return folder


def _write_qwen3_5(folder, seed):
    import torch
    from transformers import Qwen3_5Config, Qwen3_5ForConditionalGeneration

    tokenizer = tiny_models().make_tokenizer()
    ids = {token: tokenizer.convert_tokens_to_ids(token) for token in tiny_models().SPECIAL}
    config = Qwen3_5Config(
        text_config={
            "vocab_size": -(-len(tokenizer) // 64) * 64,
            "hidden_size": 64,
            "intermediate_size": 128,
            "num_hidden_layers": 4,
            "num_attention_heads": 2,
            "num_key_value_heads": 1,
            "head_dim": 32,
            "linear_num_key_heads": 2,
            "linear_num_value_heads": 2,
            "linear_key_head_dim": 16,
            "linear_value_head_dim": 16,
            "layer_types": ["linear_attention", "full_attention"] * 2,
            "initializer_range": 0.1,
            "rope_parameters": {
                "rope_type": "default",
                "rope_theta": 10_000.0,
                "mrope_section": [1, 1, 2],
                "mrope_interleaved": True,
                "partial_rotary_factor": 0.25,
            },
        },
        vision_config={
            "depth": 2,
            "hidden_size": 64,
            "out_hidden_size": 64,
            "num_heads": 2,
            "intermediate_size": 128,
            "num_position_embeddings": 64,
            "initializer_range": 0.1,
        },
        image_token_id=ids["<|image_pad|>"],
        video_token_id=ids["<|video_pad|>"],
        vision_start_token_id=ids["<|vision_start|>"],
        vision_end_token_id=ids["<|vision_end|>"],
    )
    torch.manual_seed(seed)
    Qwen3_5ForConditionalGeneration(config).to(torch.float32).save_pretrained(folder)
    tiny_models().make_processor(tokenizer, "qwen3_vl").save_pretrained(folder)


def pictures(folder):
    """Return pictures of SIZES as a run sends them."""
    store = PictureStore()

    async def made():
        found = []
        for number, (width, height) in enumerate(SIZES):
            path = folder / f"{number}.png"
            pixels = np.random.default_rng(number).integers(0, 256, (height, width, 3), np.uint8)
            Image.fromarray(pixels).save(path)
            found.append(await store.picture(PictureKey("s", None, str(path)), Path))
        return found

    return asyncio.run(made())


def talks(shown):
    """Return conversations about `shown` with an answer each: one turn, several, without pictures."""
    first, second, third = shown
    return [
        ([SentMessage("user", "what is red?", ((None, first),))], "red circle"),
        (
            [
                SentMessage("system", "You are asked about pictures."),
                SentMessage("user", "what is left?", (("Image 1:", second), ("Image 2:", third))),
                SentMessage("assistant", "the blue box"),
                SentMessage("user", "and now?"),
                SentMessage("assistant", "green"),
                SentMessage("user", "and here?", (("Image 1:", first),)),
            ],
            SPEECH,
        ),
        ([SentMessage("user", "is nothing shown?")], "no"),
        ([SentMessage("user", "how many?", ((None, third), (None, third)))], "seven\nor eight"),
    ]

"""The trained model as a folder that `transformers` and vLLM load, with a model card."""

import json
from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import Any

import torch
from torch import Tensor

from .architecture import SmallModel
from .shape import EPSILON, ROPE_BASE, Shape
from .tokens import (
    CHAT_TEMPLATE,
    CONTEXT,
    END,
    END_PICTURE,
    PAD,
    PICTURE,
    START_PICTURE,
    VIDEO,
    Tokens,
)

FRAMES = 2
"""Frames that Qwen3-VL's first layer takes; a picture stands for all of them."""

CARD = Path(__file__).with_name("card.md")


def to_transformers(model: SmallModel, tokens: Tokens) -> Any:
    """Return the model as `transformers` has it."""
    from transformers import GenerationConfig, Qwen3VLForConditionalGeneration

    grown = Qwen3VLForConditionalGeneration(_config(model.shape, tokens)).to(torch.float32).eval()
    grown.load_state_dict(_weights(model), strict=True)
    grown.generation_config = GenerationConfig(eos_token_id=tokens.ids[END], pad_token_id=tokens.ids[PAD])
    return grown


def processor(shape: Shape, tokens: Tokens) -> Any:
    """Return the processor: it scales every picture to the area of `shape.side` x `shape.side` pixels."""
    from transformers import Qwen2VLImageProcessor, Qwen3VLProcessor, Qwen3VLVideoProcessor

    area = shape.side**2
    made = {
        "patch_size": shape.patch,
        "merge_size": shape.merge,
        "temporal_patch_size": FRAMES,
        "image_mean": [0.5] * 3,
        "image_std": [0.5] * 3,
    }
    return Qwen3VLProcessor(
        image_processor=Qwen2VLImageProcessor(size={"shortest_edge": area, "longest_edge": area}, **made),
        tokenizer=tokens.tokenizer,
        video_processor=Qwen3VLVideoProcessor(
            size={"shortest_edge": area, "longest_edge": FRAMES * area}, **made
        ),
        chat_template=CHAT_TEMPLATE,
    )


def export(model: SmallModel, tokens: Tokens, out: Path, told: Mapping[str, object]) -> None:
    """Write the model to the folder `out`; `told` fills the holes of its card."""
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()
    to_transformers(model, tokens).half().save_pretrained(out)
    _compute_in_single_precision(out)
    processor(model.shape, tokens).save_pretrained(out)
    (out / "README.md").write_text(Template(CARD.read_text()).substitute(told))
    for path in out.iterdir():
        # Weights are written for their owner alone otherwise.
        path.chmod(0o644)


def _compute_in_single_precision(out: Path) -> None:
    """Let programs that follow the model's settings compute in float32, though its weights are kept in half.

    Half the bytes are enough to keep them; in half precision a CPU computes slowly, and rounds.
    """
    path = out / "config.json"
    config = json.loads(path.read_text())
    for part in (config, config["text_config"], config["vision_config"]):
        part["dtype"] = "float32"
    path.write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")


def rounded(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return weights as an exported model has them."""
    return {name: weight.half().float() for name, weight in weights.items()}


def _weights(model: SmallModel) -> dict[str, Tensor]:
    """Return the weights under the same names; the first layer's are shared among the frames."""
    weights = {name: weight.detach().clone() for name, weight in model.state_dict().items()}
    name = "model.visual.patch_embed.proj.weight"
    patch = model.shape.patch
    frame = weights[name].view(-1, 3, 1, patch, patch)
    weights[name] = frame.repeat(1, 1, FRAMES, 1, 1) / FRAMES
    return weights


def _config(shape: Shape, tokens: Tokens) -> Any:
    from transformers import Qwen3VLConfig

    ids = tokens.ids
    text = {
        "vocab_size": shape.vocabulary,
        "hidden_size": shape.width,
        "intermediate_size": shape.inner,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "num_key_value_heads": shape.heads,
        "head_dim": shape.head,
        "max_position_embeddings": CONTEXT,
        "rms_norm_eps": EPSILON,
        "bos_token_id": None,
        "eos_token_id": ids[END],
        "pad_token_id": ids[PAD],
        "rope_parameters": {
            "rope_type": "default",
            "rope_theta": ROPE_BASE,
            "mrope_section": list(shape.sections),
            "mrope_interleaved": True,
        },
    }
    vision = {
        "depth": shape.vision_layers,
        "hidden_size": shape.vision_width,
        "out_hidden_size": shape.width,
        "num_heads": shape.vision_heads,
        "intermediate_size": shape.vision_inner,
        "hidden_act": "relu",
        "patch_size": shape.patch,
        "spatial_merge_size": shape.merge,
        "temporal_patch_size": FRAMES,
        "num_position_embeddings": shape.patches**2,
        "deepstack_visual_indexes": list(shape.deepstack),
    }
    return Qwen3VLConfig(
        text_config=text,
        vision_config=vision,
        image_token_id=ids[PICTURE],
        video_token_id=ids[VIDEO],
        vision_start_token_id=ids[START_PICTURE],
        vision_end_token_id=ids[END_PICTURE],
        tie_word_embeddings=False,
    )

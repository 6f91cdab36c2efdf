"""Sizes that names of models state."""

import pytest

from lvqa_eval.metrics.bear.model_size import ModelSize, model_size


@pytest.mark.parametrize(
    ("name", "total", "active"),
    [
        ("Qwen3.5-397B-A17B", 397.0, 17.0),
        ("Qwen3.5-0.8B", 0.8, 0.8),
        ("Qwen/Qwen3-VL-4B-Thinking", 4.0, 4.0),
        ("gemma-4-31B-it", 31.0, 31.0),
        ("OpenGVLab/InternVL2_5-78B", 78.0, 78.0),
        ("some/model-4b", 4.0, 4.0),
        ("vendor/llama-3.2-11b-vision:free", 11.0, 11.0),
        ("SmolVLM-500M-Instruct", 0.5, 0.5),
        ("Llama-4-Scout-17B-16E-Instruct", None, 17.0),
        ("Kimi-VL-A3B-Thinking", None, 3.0),
        # No size: experts times experts, effective parameters, bits, versions, names of folders.
        ("Mixtral-8x7B", None, None),
        ("gemma-3n-E4B-it", None, None),
        ("Gemini 2.5 Pro", None, None),
        ("Claude Opus 4.6", None, None),
        ("models-7B/checkpoint", None, None),
        ("Qwen-7B-distill-70B", None, None),
        # What stands behind the size is none.
        ("Qwen2-VL-7B-4bit", 7.0, 7.0),
        ("Qwen2.5-14B-Instruct-1M", 14.0, 14.0),
    ],
)
def test_sizes_are_read_off_names(name, total, active):
    assert model_size(name) == ModelSize(total, active)

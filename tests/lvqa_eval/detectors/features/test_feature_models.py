"""Loading a model that reads: what is asked for, and what is wrong with it."""

import json

import pytest

from lvqa_eval.detectors.features.errors import FeaturesError
from lvqa_eval.detectors.features.model import load_model


def test_a_model_is_placed_and_kept_as_asked(readers):
    reader = readers("qwen2_5_vl")
    assert (reader.name, reader.dtype, str(reader.network.device)) == ("qwen2_5_vl", "float32", "cpu")
    assert (reader.depths.depth, reader.width, reader.context) == (2, 64, 32_768)
    assert not reader.network.training


def test_a_gpu_that_is_not_there_is_named(readers, monkeypatch):
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(FeaturesError, match="--device: found cuda, but PyTorch sees no GPU"):
        load_model(readers("qwen2_5_vl").files.name, device="cuda")


def test_what_is_no_image_text_model_is_named(readers, tmp_path):
    assert readers
    with pytest.raises(FeaturesError, match="no image-text model that can be loaded"):
        load_model(str(tmp_path), device="cpu")
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "bert"}))
    with pytest.raises(
        FeaturesError, match="no image-text model that can be loaded: Unrecognized configuration"
    ):
        load_model(str(tmp_path), device="cpu")

"""Tiny models, loaded once for all tests of features."""

import importlib.util

import pytest

from tests.support.read_runs import scene_folder
from tests.support.reading_models import pictures, write_model

SHAPES = ("qwen2_5_vl", "qwen3_vl", "qwen3_5")


@pytest.fixture(scope="session")
def readers(tmp_path_factory):
    """Give a function that returns the model of a shape, loaded; skips without transformers."""
    if importlib.util.find_spec("transformers") is None:
        pytest.skip("transformers is not installed; it comes with the extra `detectors`")
    from lvqa_eval.detectors.features.model import load_model

    loaded = {}

    def reader(shape):
        if shape not in loaded:
            folder = write_model(tmp_path_factory.mktemp("readers") / shape, shape)
            loaded[shape] = load_model(str(folder), device="cpu")
        return loaded[shape]

    return reader


@pytest.fixture(params=SHAPES)
def reader(request, readers):
    """Give a model of each shape."""
    return readers(request.param)


@pytest.fixture(scope="session")
def shown(tmp_path_factory):
    """Give the pictures of SIZES."""
    return pictures(tmp_path_factory.mktemp("shown"))


@pytest.fixture(scope="session")
def scenes(tmp_path_factory):
    """Give a dataset of six scenes of four layers, with a question each."""
    return scene_folder(tmp_path_factory.mktemp("scenes") / "set")

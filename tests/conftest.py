"""Fixtures for the whole test run."""

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from lvqa_eval.serving.server import ServerOptions, VllmServer

# The same examples in every run, so that a failure is the change's own; `thorough` looks further.
settings.register_profile("steady", derandomize=True, deadline=None, max_examples=60)
settings.register_profile(
    "thorough", deadline=None, max_examples=2000, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("steady")

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class VllmEndpoint:
    """A running `vllm serve` of the tiny model: its base URL, the model's name, its folder."""

    base_url: str
    model: str
    folder: Path


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the tiny random model."""
    if importlib.util.find_spec("transformers") is None:
        pytest.skip("transformers is not installed")
    folder = tmp_path_factory.mktemp("model") / "tiny"
    subprocess.run([sys.executable, str(ROOT / "scripts" / "tiny_model.py"), str(folder)], check=True)
    return folder


@pytest.fixture(scope="session")
def vllm_endpoint(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[VllmEndpoint]:
    """Serve the tiny model with real vLLM, once for the whole run."""
    if importlib.util.find_spec("vllm") is None:
        pytest.skip("vLLM is not installed")
    options = ServerOptions(str(tiny_model), images_per_prompt=64, served_name="tiny", max_model_len=16384)
    log = tmp_path_factory.mktemp("vllm") / "server.log"
    with VllmServer(options, log, patience=900) as server:
        yield VllmEndpoint(server.base_url, options.name, tiny_model)

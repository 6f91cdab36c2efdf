"""A loopback Hub that the Hub's client in this process talks to."""

import pytest
from huggingface_hub import constants

from tests.support.hub import TOKEN, serving_hub
from tests.support.publishing import use_hub


@pytest.fixture
def hub(monkeypatch):
    for name in ("ENDPOINT", "HF_HUB_DISABLE_XET", "HF_HUB_OFFLINE"):
        monkeypatch.setattr(constants, name, getattr(constants, name))
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    with serving_hub() as served:
        use_hub(served.url)
        yield served

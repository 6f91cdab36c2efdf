"""Fixtures for the whole test run."""

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from lvqa_eval.serving.server import ServerOptions, VllmServer
from tests.support.browser import WIDTHS, chromium_path, running_chromium
from tests.support.page_processes import PageProcesses, page_processes
from tests.support.parts import PARTS, SERVERS, needs_ray, own_part, parts_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

# The same examples in every run, so that a failure is the change's own; `thorough` looks further.
settings.register_profile("steady", derandomize=True, deadline=None, max_examples=60)
settings.register_profile(
    "thorough", deadline=None, max_examples=2000, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("steady")

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let a run be one part of the tests."""
    parser.addoption("--part", choices=PARTS, help="run one part of the tests alone; see scripts/test.sh")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out files without a test of the chosen part, which cost time to read."""
    part = config.getoption("part")
    if part is None or not collection_path.name.startswith("test_") or not collection_path.is_file():
        return None
    return True if part not in parts_of(collection_path, TESTS) else None


def pytest_collection_modifyitems(items: list[pytest.Item], config: pytest.Config) -> None:
    """Keep the chosen part; begin with vLLM, and keep what shares a Ray together.

    A Ray fails beside a vLLM that starts, or twice.
    """
    if (part := config.getoption("part")) is not None:
        chosen = [item for item in items if _part(item) == part]
        config.hook.pytest_deselected(items=[item for item in items if _part(item) != part])
        items[:] = chosen
    items.sort(key=lambda item: needs_ray(item.path) or not item.get_closest_marker("vllm"))


def _part(item: pytest.Item) -> str:
    return SERVERS if item.get_closest_marker("vllm") else own_part(item.path, TESTS)


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


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Run one Chromium for the whole run; skips, saying so, where it is not installed."""
    if importlib.util.find_spec("playwright") is None or chromium_path() is None:
        pytest.skip("no browser: Chromium or Playwright is not installed; see scripts/browser.sh")
    with running_chromium(tmp_path_factory.mktemp("chromium")) as address:
        yield address


@pytest.fixture
def browser(chromium: str) -> Iterator["Browser"]:
    """Give Playwright's hold of the one Chromium, for one test."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        yield playwright.chromium.connect_over_cdp(chromium)


@pytest.fixture
def page(browser: "Browser") -> Iterator["Page"]:
    """Give an empty page with storage of its own, 1280 pixels wide."""
    context = browser.new_context(viewport={"width": 1280, "height": WIDTHS[1280]})
    context.set_default_timeout(120_000)  # on loaded cores a page takes many times what it takes alone
    yield context.new_page()
    context.close()


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageProcesses]:
    """Give what starts commands that serve pages, each in a process of its own; skips without Gradio."""
    if importlib.util.find_spec("gradio") is None:
        pytest.skip("gradio is not installed; it comes with the extra `leaderboard`")
    with page_processes(tmp_path_factory.mktemp("pages")) as starter:
        yield starter

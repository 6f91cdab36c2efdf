"""A replay server, a clock that nobody waits for, and runs of the stage against them."""

import pytest

from dataset_builders.bear_bench.collect.fetch import Fetcher
from dataset_builders.bear_bench.collect.ledger import Outcome
from dataset_builders.bear_bench.collect.pace import Pace
from dataset_builders.bear_bench.collect.run import run
from dataset_builders.bear_bench.records import Document
from dataset_builders.bear_bench.work import Work
from tests.support.document_sites import AGENT
from tests.support.replay_server import Clock, replaying


@pytest.fixture(autouse=True)
def direct(monkeypatch):
    """Let no proxy of the environment stand before the loopback address."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,127.0.0.2")


@pytest.fixture
def site():
    with replaying() as replay:
        yield replay


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def fetcher(tmp_path, clock):
    with Fetcher(
        AGENT, tmp_path / "pages", Pace(3.0, clock, clock.sleep), now=lambda: 1_800_000_000.0
    ) as made:
        yield made


@pytest.fixture
def collected(tmp_path, clock):
    """Run the stage for a source; gives the count, the documents and the outcomes by address."""

    def collect(source, folder="work"):
        work = Work(tmp_path / folder)
        count = run(work, source, Pace(getattr(source, "interval", 0), clock, clock.sleep))
        outcomes = work.read("collect", Outcome, "collect")
        return count, work.read("documents", Document, "collect"), {one.url: one for one in outcomes}

    return collect

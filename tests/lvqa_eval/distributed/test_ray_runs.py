"""Whole runs over real Ray: the same records as on one machine, whatever happens to workers and servers."""

import os
import secrets
import signal
import subprocess
import sys
from importlib.util import find_spec

import pytest

from lvqa_eval.distributed import workforce
from lvqa_eval.evaluation import evaluate
from lvqa_eval.runs.pictures import read_pictures
from lvqa_eval.runs.store import RunStore
from lvqa_eval.serving.preflight import PreflightError
from lvqa_eval.settings import Settings
from lvqa_eval.statuses import Status
from tests.support.page_folder import page_folder
from tests.support.spread_runs import (
    SIZE,
    after,
    eight_scenes,
    gone,
    lines,
    page_settings,
    run_here,
    settings,
)
from tests.support.steady_server import steady_server
from tests.support.watched_labour import ROOT, WatchedLabour, pids, write_stand_in

pytestmark = pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed")


@pytest.fixture(scope="module")
def cluster():
    """One Ray for the whole module; its address."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))  # workers import the labour of the tests
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        # A token of its own: without one Ray would write one to the user's home.
        patch.setenv("RAY_AUTH_MODE", "token")
        patch.setenv("RAY_AUTH_TOKEN", secrets.token_hex(32))
        import ray  # reads them once

        ray.init(
            address="local",
            num_cpus=2,
            num_gpus=0,
            include_dashboard=False,
            object_store_memory=100 * 2**20,
            log_to_driver=False,
            logging_level="CRITICAL",
        )
        yield ray.get_runtime_context().gcs_address
        ray.shutdown()


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    return eight_scenes(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def expected(dataset, tmp_path_factory):
    return run_here(dataset, tmp_path_factory.mktemp("here") / "run")


@pytest.fixture(autouse=True)
def watched(monkeypatch):
    monkeypatch.setattr(workforce, "ConversationLabour", WatchedLabour)
    monkeypatch.setattr(workforce, "PAUSES", (0.1, 0.1))


@pytest.fixture
def served(tmp_path):
    """Write a model folder and a stand-in for vLLM that serves it; returns the model's folder."""
    write_stand_in(tmp_path / "bin")
    (tmp_path / "talker").mkdir()
    (tmp_path / "talker" / "config.json").write_text('{"max_position_embeddings": 32768}')
    return str(tmp_path / "talker")


def test_workers_that_differ_are_refused_and_equal_ones_hold_the_run_of_one_machine(
    cluster, dataset, expected, tmp_path
):
    folder, told = tmp_path / "run", []
    with steady_server() as one, steady_server() as two, steady_server(length=30000) as other:
        with pytest.raises(PreflightError, match="workers: they differ, and one run needs equal ones"):
            evaluate(settings(dataset, folder, one, other), print)
        outcome = evaluate(settings(dataset, folder, one, two), told.append)
    assert (outcome.done, outcome.planned, outcome.held.statuses) == (SIZE, SIZE, {Status.OK: SIZE})
    assert lines(folder) == lines(expected)
    assert (folder / "run.yaml").read_bytes() == (expected / "run.yaml").read_bytes()
    assert told == [f"{folder}: {SIZE} conversations, 0 done", "starting 2 workers on 1 machines"]


def test_pages_are_spread_as_scenes_are(cluster, tmp_path):
    page_folder(tmp_path / "bear-bench")
    with steady_server() as one, steady_server() as two:
        outcome = evaluate(page_settings(tmp_path, one, two), print)
        evaluate(page_settings(tmp_path, one, ray=None, out=tmp_path / "here"), print)
    assert (outcome.done, outcome.planned) == (16, 16)
    assert lines(tmp_path / "run") == lines(tmp_path / "here")
    assert read_pictures(tmp_path / "run") == read_pictures(tmp_path / "here")
    assert len(read_pictures(tmp_path / "run")) == 16


def test_one_worker_is_killed_and_the_endpoint_of_the_other_dies(cluster, dataset, expected, tmp_path):
    folder, told = tmp_path / "run", []
    with steady_server(pause=0.03) as one, steady_server(pause=0.03, last=20) as two:
        kill = after(folder, 6, lambda: os.kill(pids(tmp_path / "worker-1.pids")[0], signal.SIGKILL))
        outcome = evaluate(settings(dataset, folder, one, two), told.append)
        kill.join()
    assert outcome.held.statuses == {Status.OK: SIZE}
    assert lines(folder) == lines(expected)
    assert len(pids(tmp_path / "worker-1.pids")) == 2
    for number in (1, 2):
        assert any(f"worker {number} is lost, others take over what it held" in line for line in told)


def test_a_killed_worker_takes_its_server_along_and_both_come_back(
    cluster, dataset, expected, served, tmp_path
):
    folder = tmp_path / "run"
    kill = after(folder, 4, lambda: os.kill(pids(tmp_path / "worker-1.pids")[0], signal.SIGKILL))
    outcome = evaluate(settings(dataset, folder, model=served, workers=1), print)
    kill.join()
    assert outcome.held.statuses == {Status.OK: SIZE}
    assert lines(folder) == lines(expected)
    assert (folder / "server-1.log").is_file()
    servers = pids(tmp_path / "bin" / "vllm.pids")
    assert len(servers) == 2
    assert gone(servers)


PROGRAM = """\
from lvqa_eval.distributed import workforce
from tests.support.watched_labour import WatchedLabour
workforce.ConversationLabour = WatchedLabour
from lvqa_eval.main import main
main()
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_no_server_outlives_its_driver(cluster, dataset, served, tmp_path, how):
    arguments = ["run", "--model", served, "--dataset", dataset, "--out", str(tmp_path / "run")]
    arguments += ["--ray", cluster, "--workers", "1", "--in-flight", "1", "--runs", "9"]
    driver = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *arguments],
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        # A shell starts its background jobs with interrupts ignored, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )
    reached = after(tmp_path / "run", 3, lambda: driver.send_signal(how))
    _, words = driver.communicate()
    reached.join()
    if how == signal.SIGINT:
        assert b"interrupted: the same command goes on" in words
        assert b"Traceback" not in words
    processes = pids(tmp_path / "bin" / "vllm.pids") + pids(tmp_path / "worker-1.pids")
    assert len(processes) == 2
    assert gone(processes)
    assert 3 <= len(RunStore.open(tmp_path / "run").conversations()) < 8 * 16 * 9


@pytest.mark.vllm
def test_a_run_over_ray_against_real_vllm_ends_complete(cluster, dataset, vllm_endpoint, tmp_path):
    chosen = Settings(
        vllm_endpoint.model,
        dataset,
        base_urls=(vllm_endpoint.base_url,),
        runs=1,
        limit=2,
        conditions=("full", "sharded-v"),
        out=tmp_path / "run",
        ray="auto",
    )
    outcome = evaluate(chosen, print)
    assert outcome.done == outcome.planned == 4
    assert sum(outcome.held.statuses.values()) == 4

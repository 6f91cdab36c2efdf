"""Whole runs spread over two workers, each with an endpoint of its own; the workers are in this process."""

import contextlib
from dataclasses import replace

import pytest

from lvqa_eval.dataset import open_dataset
from lvqa_eval.distributed import cluster, workforce
from lvqa_eval.distributed.cluster import ClusterError
from lvqa_eval.distributed.conversations import ConversationLabour, units
from lvqa_eval.distributed.crew import CrewGoneError
from lvqa_eval.evaluation import evaluate
from lvqa_eval.runs.pictures import read_pictures
from lvqa_eval.serving.client import ChatClient
from lvqa_eval.serving.preflight import PreflightError
from lvqa_eval.statuses import Status
from lvqa_eval.tally import Prices
from tests.support.near_hand import NearCluster
from tests.support.page_folder import page_folder
from tests.support.spread_runs import SIZE, eight_scenes, lines, page_settings, run_here, settings
from tests.support.steady_server import steady_server
from tests.support.watched_labour import WatchedLabour


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    return eight_scenes(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def expected(dataset, tmp_path_factory):
    return run_here(dataset, tmp_path_factory.mktemp("here") / "run")


@pytest.fixture(autouse=True)
def near(monkeypatch):
    monkeypatch.setattr(cluster, "joined", lambda *_, **__: contextlib.nullcontext(NearCluster()))
    monkeypatch.setattr(workforce, "ConversationLabour", WatchedLabour)
    monkeypatch.setattr(workforce, "PAUSES", (0.05, 0.05))
    # The labour makes clients impatient, here and now; this puts it right again.
    for name, value in ChatClient.__init__.__kwdefaults__.items():
        monkeypatch.setitem(ChatClient.__init__.__kwdefaults__, name, value)


def test_records_and_pictures_are_those_of_a_run_without_workers(dataset, expected, tmp_path):
    folder = tmp_path / "run"
    with steady_server() as one, steady_server() as two:
        outcome = evaluate(settings(dataset, folder, one, two, image_transport="file"), print)
        kept = lines(folder)
        other = evaluate(settings(dataset, tmp_path / "inline", one, two), print)
    assert outcome.done == other.done == SIZE
    assert len(kept) == SIZE
    assert lines(tmp_path / "inline") == lines(expected)
    assert read_pictures(tmp_path / "inline") == read_pictures(expected)
    assert (tmp_path / "inline" / "run.yaml").read_bytes() == (expected / "run.yaml").read_bytes()
    assert sorted(path.name for path in folder.glob("media*")) == ["media-1", "media-2"]


def test_pages_are_spread_as_scenes_are(tmp_path):
    page_folder(tmp_path / "bear-bench")
    with steady_server() as one, steady_server() as two:
        outcome = evaluate(page_settings(tmp_path, one, two), print)
        evaluate(page_settings(tmp_path, one, ray=None, out=tmp_path / "here"), print)
    assert (outcome.done, outcome.planned) == (16, 16)
    assert lines(tmp_path / "run") == lines(tmp_path / "here")
    assert read_pictures(tmp_path / "run") == read_pictures(tmp_path / "here")
    assert len(read_pictures(tmp_path / "run")) == 16


def test_the_endpoint_of_one_worker_dies_and_the_other_takes_over(dataset, expected, tmp_path):
    folder, told = tmp_path / "run", []
    # The first two requests are the preflight's.
    with steady_server(pause=0.01, last=12) as one, steady_server(pause=0.01) as two:
        outcome = evaluate(settings(dataset, folder, one, two), told.append)
    assert outcome.held.statuses == {Status.OK: SIZE}
    assert lines(folder) == lines(expected)
    assert any("worker 1 is lost" in line and "Cannot connect" in line for line in told)


def test_when_every_endpoint_is_dead_what_was_done_is_kept_and_goes_on_without_workers(
    dataset, expected, tmp_path
):
    folder = tmp_path / "run"
    with (
        steady_server(pause=0.01, last=15) as one,
        pytest.raises(CrewGoneError, match="no worker is left; what was done is kept"),
    ):
        evaluate(settings(dataset, folder, one), print)
    kept = len(lines(folder))
    assert 0 < kept < SIZE
    with steady_server() as other:
        outcome = evaluate(settings(dataset, folder, other, ray=None), print)
    assert outcome.held.statuses == {Status.OK: SIZE - kept}
    assert lines(folder) == lines(expected)


def test_a_run_that_was_begun_without_workers_is_finished_by_them(dataset, expected, tmp_path):
    folder = tmp_path / "run"
    with steady_server() as one, steady_server() as two:
        chosen = settings(dataset, folder, one, two)
        first = evaluate(replace(chosen, ray=None, prices=Prices(0, 1e4), max_cost=20), print)
        second = evaluate(chosen, print)
    assert 0 < first.done < SIZE
    assert second.held.statuses == {Status.OK: SIZE - first.done}
    assert lines(folder) == lines(expected)


def test_nothing_is_begun_once_the_money_is_spent(dataset, tmp_path):
    with steady_server(pause=0.02) as one, steady_server(pause=0.02) as two:
        chosen = settings(dataset, tmp_path / "run", one, two, prices=Prices(0, 10000), max_cost=10)
        outcome = evaluate(chosen, print)
    assert outcome.over_budget
    assert outcome.held.cost >= 10
    assert len(lines(tmp_path / "run")) == outcome.done < SIZE


def test_workers_that_differ_are_refused_before_anything_is_held(dataset, tmp_path):
    with steady_server() as one, steady_server(length=30000) as two, pytest.raises(PreflightError) as caught:
        evaluate(settings(dataset, tmp_path / "run", one, two), print)
    [problem] = caught.value.problems
    assert problem.startswith("workers: they differ, and one run needs equal ones: worker 1 (")
    assert "max_model_len=30000" in problem
    assert not (tmp_path / "run" / "run.yaml").exists()


def test_an_endpoint_that_cannot_serve_the_run_is_named_with_its_worker(dataset, tmp_path):
    with steady_server(length=900) as one, steady_server() as two, pytest.raises(PreflightError) as caught:
        evaluate(settings(dataset, tmp_path / "run", one, two), print)
    assert all(problem.startswith("worker 1 (") for problem in caught.value.problems)
    assert "context: the server takes 900 tokens" in caught.value.problems[0]


LACKS = [
    ({"dataset": "/nowhere"}, "dataset: no folder /nowhere there; every machine needs it at this path"),
    ({"model": "/nowhere"}, "model: no folder /nowhere there; every machine needs it at this path"),
]


@pytest.mark.parametrize(("changes", "words"), LACKS)
def test_what_a_machine_lacks_is_told_in_one_line(dataset, tmp_path, monkeypatch, changes, words):
    def elsewhere(chosen, *rest):
        return ConversationLabour(replace(chosen, **changes), *rest)

    monkeypatch.setattr(workforce, "ConversationLabour", elsewhere)
    with pytest.raises(PreflightError) as caught:
        evaluate(settings(dataset, tmp_path / "run", "http://127.0.0.1:9/v1", "http://127.0.0.1:9/v1"), print)
    [problem] = caught.value.problems
    assert problem.endswith(words)
    assert problem.startswith("worker 1 (")
    assert "worker 2 (" in problem


def test_another_dataset_at_the_same_path_is_refused(dataset, tmp_path, monkeypatch):
    def other(*parts):
        return replace(ConversationLabour(*parts), manifest_sha256="0" * 64)

    monkeypatch.setattr(workforce, "ConversationLabour", other)
    with pytest.raises(PreflightError, match=r"is another one there: its manifest has the hash .{8}, that"):
        evaluate(settings(dataset, tmp_path / "run", "http://127.0.0.1:9/v1"), print)


def test_another_version_of_the_package_is_refused(dataset, tmp_path, monkeypatch):
    def older(*parts):
        return replace(ConversationLabour(*parts), lvqa="0.0.1")

    monkeypatch.setattr(workforce, "ConversationLabour", older)
    with pytest.raises(PreflightError, match=r"lvqa: found .* there, needed 0\.0\.1 as on the driver"):
        evaluate(settings(dataset, tmp_path / "run", "http://127.0.0.1:9/v1"), print)


def test_more_workers_than_the_cluster_has_room_for_are_refused(dataset, tmp_path):
    urls = [f"http://127.0.0.1:{port}/v1" for port in (1, 2, 3)]
    with pytest.raises(ClusterError, match=r"room for 2 workers of a CPU, needed: 3; start Ray on more"):
        evaluate(settings(dataset, tmp_path / "run", *urls), print)
    with pytest.raises(ClusterError, match="--workers: found 1, allowed: one for each --base-url, 3"):
        evaluate(settings(dataset, tmp_path / "run", *urls, workers=1), print)


def test_units_are_whole_questions_of_one_scene(dataset):
    plan = settings(dataset, None, runs=20).plan(open_dataset(dataset))
    work = list(enumerate(plan.work()))
    found = units(work, 1)
    # 60 conversations a question, and at most 64 a unit.
    assert [(unit.number, len(unit.items)) for unit in found] == [(number, 60) for number in range(8)]
    assert {place: one for unit in found for place, one in unit.items.items()} == dict(work)
    assert all({one.row.scene_id for one in unit.items.values()} == {unit.group} for unit in found)
    assert units([], 3) == []

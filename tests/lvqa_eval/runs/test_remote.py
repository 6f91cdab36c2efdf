"""A run's folder and its URL: what is fetched, pushed, put together, and refused."""

import contextlib
import uuid
from dataclasses import replace
from pathlib import Path

import pytest

from lvqa_eval.evaluation import evaluate
from lvqa_eval.runs.identity import RunIdentity
from lvqa_eval.runs.pictures import read_pictures
from lvqa_eval.runs.remote import Mirror, fetch, local_folder
from lvqa_eval.runs.remote_folder import RemoteError, RemoteFolder
from lvqa_eval.runs.store import RunStore
from lvqa_eval.statuses import Status
from lvqa_eval.tally import Prices
from tests.support.scored_runs import conversation, question
from tests.support.spread_runs import SIZE, eight_scenes, lines, run_here, settings
from tests.support.steady_server import steady_server

IDENTITY = {"model": {"name": "talker"}, "seed": 0}
QUESTIONS = [question(f"q{n}", "s0") for n in range(9)]
NEVER = 3600.0


@pytest.fixture(params=["file", "memory"])
def url(request, tmp_path):
    return f"file://{tmp_path}/there/run" if request.param == "file" else f"memory://{uuid.uuid4()}/run"


def hold(folder, *numbers, seed=0):
    """Add conversations to a run's folder."""
    identity = RunIdentity(IDENTITY | {"seed": seed})
    with RunStore.create_or_resume(folder, identity, QUESTIONS) as store:
        for number in numbers:
            store.append(conversation("full", f"q{number}"))


def questions(folder):
    return sorted(record.question_id for record in RunStore.open(folder).conversations().values())


def names(url):
    return [name.split("-")[0] for name in RemoteFolder(url).names()]


class Killed(Exception):  # noqa: N818 - not an error of the run
    pass


def killed(mirror):
    """Leave a mirror as a killed process does: nothing more is pushed."""
    mirror._over.set()
    mirror._thread.join()


WHOLE = ["conversations.jsonl", "questions.jsonl", "run.yaml"]


def test_the_end_leaves_whole_files_and_no_parts(url, tmp_path):
    with Mirror(url, tmp_path / "here", NEVER) as mirror:
        hold(tmp_path / "here", 0, 1)
        mirror.push()
        assert names(url) == ["parts/conversations.jsonl", "questions.jsonl", "run.yaml"]
        hold(tmp_path / "here", 2)
    assert names(url) == WHOLE
    assert fetch(url, tmp_path / "other").came == 3
    assert (tmp_path / "other" / "conversations.jsonl").read_bytes() == (
        tmp_path / "here" / "conversations.jsonl"
    ).read_bytes()
    assert questions(tmp_path / "other") == ["q0", "q1", "q2"]


def test_a_kill_between_two_parts_loses_only_what_was_not_pushed(url, tmp_path):
    mirror = Mirror(url, tmp_path / "here", NEVER).__enter__()
    hold(tmp_path / "here", 0, 1)
    mirror.push()
    hold(tmp_path / "here", 2)
    mirror.push()
    hold(tmp_path / "here", 3)
    killed(mirror)
    # Another machine goes on, with a folder of its own.
    with Mirror(url, tmp_path / "other", NEVER) as again:
        assert again.fetched.came == 3
        assert questions(tmp_path / "other") == ["q0", "q1", "q2"]
        hold(tmp_path / "other", 4)
        again.push()
        assert names(url).count("parts/conversations.jsonl") == 3
    assert fetch(url, tmp_path / "third").came == 4
    assert names(url) == WHOLE


def test_what_the_folder_alone_held_is_pushed_by_the_next_start(url, tmp_path):
    mirror = Mirror(url, tmp_path / "here", NEVER).__enter__()
    hold(tmp_path / "here", 0)
    mirror.push()
    hold(tmp_path / "here", 1)
    killed(mirror)
    with contextlib.suppress(Killed), Mirror(url, tmp_path / "here", NEVER) as again:
        assert again.fetched.came == 0
        assert fetch(url, tmp_path / "other").came == 2
        hold(tmp_path / "here", 2)
        raise Killed
    # A block that ends badly pushes a part and leaves the rest to the next start.
    assert names(url).count("parts/conversations.jsonl") == 3
    assert fetch(url, tmp_path / "other").came == 1
    assert questions(tmp_path / "other") == ["q0", "q1", "q2"]


def test_a_kill_between_whole_files_and_the_removal_of_parts_doubles_nothing(url, tmp_path, monkeypatch):
    monkeypatch.setattr(RemoteFolder, "remove", lambda *_: None)
    with Mirror(url, tmp_path / "here", NEVER) as mirror:
        hold(tmp_path / "here", 0, 1)
        mirror.push()
    assert "parts/conversations.jsonl" in names(url)
    assert "conversations.jsonl" in names(url)
    fetch(url, tmp_path / "other")
    assert (tmp_path / "other" / "conversations.jsonl").read_bytes().count(b"\n") == 2
    monkeypatch.undo()
    with Mirror(url, tmp_path / "here", NEVER):
        pass
    assert names(url) == WHOLE


def test_parts_are_pushed_by_themselves_while_a_run_goes(url, tmp_path):
    with Mirror(url, tmp_path / "here", 0.01):
        hold(tmp_path / "here", 0)
        while "parts/conversations.jsonl" not in names(url):
            pass
        hold(tmp_path / "here", 1)
        while names(url).count("parts/conversations.jsonl") < 2:
            pass
    assert fetch(url, tmp_path / "other").came == 2


def test_a_place_that_does_not_answer_is_tried_again_and_the_results_stay(url, tmp_path, monkeypatch):
    def refuse(*_):
        raise RemoteError("no network")

    mirror = Mirror(url, tmp_path / "here", NEVER).__enter__()
    hold(tmp_path / "here", 0)
    monkeypatch.setattr(RemoteFolder, "write", refuse)
    with pytest.raises(RemoteError, match=r"(?s)no network\nthe results are in .*here; the same command"):
        mirror.__exit__(None)
    monkeypatch.undo()
    with Mirror(url, tmp_path / "here", NEVER):
        pass
    assert fetch(url, tmp_path / "other").came == 1


def test_a_line_that_was_cut_off_is_left_out_at_both_ends(url, tmp_path):
    with Mirror(url, tmp_path / "here", NEVER):
        hold(tmp_path / "here", 0, 1)
    place = RemoteFolder(url)
    place.write("conversations.jsonl", place.read("conversations.jsonl")[:-9])
    assert fetch(url, tmp_path / "other").came == 1
    with (tmp_path / "other" / "conversations.jsonl").open("ab") as file:
        file.write(b'{"condition": "fu')
    with Mirror(url, tmp_path / "other", NEVER) as mirror:
        hold(tmp_path / "other", 1)
        mirror.push()
    assert questions(tmp_path / "other") == ["q0", "q1"]
    assert fetch(url, tmp_path / "third").came == 2


def test_a_damaged_line_is_named_and_not_passed_over(url, tmp_path):
    with Mirror(url, tmp_path / "here", NEVER):
        hold(tmp_path / "here", 0)
    place = RemoteFolder(url)
    place.write("conversations.jsonl", b"no record\n" + place.read("conversations.jsonl"))
    with pytest.raises(RemoteError, match=r"run/conversations\.jsonl: line 1: no JSON object: .*mend"):
        fetch(url, tmp_path / "other")


def test_a_place_with_other_content_is_refused(url, tmp_path):
    RemoteFolder(url).write("holiday/photo.png", b"png")
    with pytest.raises(RemoteError, match=r"no run\.yaml, but other content \(holiday/photo\.png\)"):
        fetch(url, tmp_path / "here")
    assert not (tmp_path / "here").exists()


def test_a_run_of_other_settings_is_refused(url, tmp_path):
    with Mirror(url, tmp_path / "here", NEVER):
        hold(tmp_path / "here", 0)
    hold(tmp_path / "other", 0, seed=5)
    with pytest.raises(RemoteError, match=r"(?s)holds a run of other settings than .*seed: this run has 5"):
        fetch(url, tmp_path / "other")
    RemoteFolder(url).write("run.yaml", b"- nothing")
    with pytest.raises(RemoteError, match=r"run/run\.yaml: .*found list"):
        fetch(url, tmp_path / "here")


def test_a_file_in_place_of_the_folder_and_unknown_places_are_refused(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(RemoteError, match="found a file, needed a folder"):
        fetch(f"file://{tmp_path}/file", tmp_path / "here")
    with pytest.raises(RemoteError, match="nowhere://x: Protocol not known"):
        fetch("nowhere://x", tmp_path / "here")


def test_nothing_at_the_url_is_an_empty_run(url, tmp_path):
    assert fetch(url, tmp_path / "here").came == 0
    assert list((tmp_path / "here").iterdir()) == []


def test_each_url_has_a_folder_of_its_own(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/cache")
    assert local_folder("s3://bucket/runs/one").parent == Path("/cache/lvqa/runs")
    assert local_folder("s3://bucket/runs/one").name.startswith("one-")
    assert local_folder("s3://bucket/runs/one") == local_folder("s3://bucket/runs/one/")
    assert local_folder("s3://bucket/runs/one") != local_folder("s3://bucket/other/one")


def test_a_run_goes_on_from_its_url_on_another_machine(url, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "first"))
    dataset = eight_scenes(tmp_path)
    whole = run_here(dataset, tmp_path / "whole")
    with steady_server() as server:
        chosen = settings(dataset, None, server, ray=None, mirror=url)
        first = evaluate(replace(chosen, prices=Prices(0, 1e4), max_cost=20), print)
        pictures = read_pictures(first.folder)
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "second"))
        told = []
        second = evaluate(chosen, told.append)
    assert 0 < first.done < SIZE
    assert second.held.statuses == {Status.OK: SIZE - first.done}
    assert told[0] == f"{url}: {first.done + len(pictures)} records fetched to {local_folder(url)}"
    assert lines(second.folder) == lines(whole)
    assert read_pictures(second.folder) == read_pictures(whole)
    assert fetch(url, tmp_path / "third").came == SIZE + len(read_pictures(whole))

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataset_builders.publishing.plan import (
    BatchSize,
    LocalFile,
    RemoteFile,
    batches,
    describe,
    git_blob,
    local_files,
    make_plan,
)
from tests.support.hub_storage import sha256


def stored(path, data, lfs=False):
    return RemoteFile(path, len(data), sha256(data) if lfs else None, "0" * 40 if lfs else git_blob(data))


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "scenes").mkdir()
    for name in ("README.md", "manifest.json", "a.jsonl", "b.jsonl", "scenes/c.png", "scenes/d.png"):
        (tmp_path / name).write_bytes(name.encode())
    return tmp_path


def paths(files):
    return [file.path for file in files]


def test_git_itself_gives_the_same_hash(tmp_path):
    (tmp_path / "file").write_bytes(b"one\n\x00two")
    git = subprocess.run(
        ["git", "hash-object", str(tmp_path / "file")], capture_output=True, text=True, check=True
    )
    assert git_blob(b"one\n\x00two") == git.stdout.strip()


def test_everything_is_new_and_card_and_manifest_come_last(folder):
    plan = make_plan(local_files(folder), {}, BatchSize(files=3))
    assert [paths(batch) for batch in plan.batches] == [
        ["a.jsonl", "b.jsonl", "scenes/c.png"],
        ["scenes/d.png"],
    ]
    assert paths(plan.last) == ["README.md", "manifest.json"]
    assert (plan.commits, plan.size, plan.is_empty) == (
        3,
        sum(file.size for file in local_files(folder)),
        False,
    )


def test_changed_and_stale_wait_for_the_last_commit_and_hashes_decide(folder):
    same = [stored("a.jsonl", b"a.jsonl"), stored("scenes/c.png", b"scenes/c.png", lfs=True)]
    # As long as the new ones, so that only the hash tells.
    other = [stored("b.jsonl", b"B.jsonl"), stored("README.md", b"reAdme.md")]
    old = [stored("scenes/e.png", b"e", lfs=True), stored(".gitattributes", b"x")]
    plan = make_plan(local_files(folder), {file.path: file for file in same + other + old}, BatchSize())
    assert paths(plan.new) == ["manifest.json", "scenes/d.png"]
    assert paths(plan.changed) == ["README.md", "b.jsonl"]
    assert paths(plan.stale) == ["scenes/e.png"]
    assert paths(plan.kept) == ["a.jsonl", "scenes/c.png"]
    assert [paths(batch) for batch in plan.batches] == [["scenes/d.png"]]
    assert paths(plan.last) == ["README.md", "b.jsonl", "manifest.json"]


def test_nothing_to_do(folder):
    there = {
        file.path: stored(file.path, file.source.read_bytes(), lfs="png" in file.path)
        for file in local_files(folder)
    }
    plan = make_plan(local_files(folder), there, BatchSize())
    assert (plan.is_empty, plan.commits, plan.size, len(plan.kept)) == (True, 0, 0, 6)


def test_only_stale_files_are_a_commit_too(folder):
    there = {file.path: stored(file.path, file.source.read_bytes()) for file in local_files(folder)}
    plan = make_plan(local_files(folder), there | {"x": stored("x", b"x")}, BatchSize())
    assert (plan.commits, plan.last, paths(plan.stale)) == (1, (), ["x"])


@given(st.lists(st.integers(0, 3_000_000), max_size=30), st.integers(1, 5), st.integers(1, 4))
def test_batches_keep_order_and_limits(sizes, files, megabytes):
    given_files = [LocalFile(f"{i}", None, size) for i, size in enumerate(sizes)]
    found = list(batches(given_files, BatchSize(files, megabytes)))
    assert [file for batch in found for file in batch] == given_files
    for batch in found:
        assert 1 <= len(batch) <= files
        assert len(batch) == 1 or sum(file.size for file in batch) <= megabytes * 1_000_000


def test_long_lists_are_cut(folder):
    lines = describe(make_plan(local_files(folder), {}, BatchSize()), shown=2)
    assert lines[:4] == [
        "  add          6 files             60 bytes",
        "            README.md",
        "            a.jsonl",
        "            and 4 more",
    ]
    assert lines[-1] == "  commits      2, 60 bytes to send at most"

"""The store: nothing is overwritten, nothing acknowledged is lost."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from dataset_builders.annotator.store import FILE, StaleSaveError, Store, StoreError

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def store(tmp_path):
    opened = Store.create(tmp_path / "work", "scenes")
    opened.add_item("one", {"scene": "s"})
    yield opened
    opened.close()


def test_revisions_count_from_one_and_are_all_kept(store):
    saved = [store.save("one", "author", "Ann", number, f'"{number}"') for number in range(3)]
    assert [one.number for one in saved] == [1, 2, 3]
    assert store.history("one", "author") == saved
    assert store.newest("one", "author") == saved[2]
    assert store.newest("one", "check") is None


def test_a_stale_save_writes_nothing_and_tells_the_newest(store):
    store.save("one", "author", "Ann", 0, '"hers"')
    with pytest.raises(StaleSaveError) as refused:
        store.save("one", "author", "Bob", 0, '"his"')
    assert refused.value.newest.content == '"hers"'
    assert [one.content for one in store.history("one", "author")] == ['"hers"']


def test_undo_is_a_new_revision_of_an_older_content(store):
    for number, content in enumerate(['"a"', '"b"']):
        store.save("one", "author", "Ann", number, content)
    older = store.history("one", "author")[0]
    undone = store.save("one", "author", "Ann", 2, older.content)
    assert (undone.number, undone.content) == (3, '"a"')
    assert [one.content for one in store.history("one", "author")] == ['"a"', '"b"', '"a"']


def test_two_processes_see_each_other_and_one_of_two_equal_starts_wins(store):
    other = Store.open(store.folder)
    store.save("one", "author", "Ann", 0, '"a"')
    assert other.newest("one", "author").content == '"a"'
    outcomes = []

    def save(which, name):
        try:
            outcomes.append(which.save("one", "author", name, 1, f'"{name}"').annotator)
        except StaleSaveError as error:
            outcomes.append(f"stale, {error.newest.annotator} was first")

    threads = [threading.Thread(target=save, args=pair) for pair in ((store, "Ann"), (other, "Bob"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    winner = store.newest("one", "author").annotator
    assert sorted(outcomes) == sorted([winner, f"stale, {winner} was first"])
    assert len(store.history("one", "author")) == 2
    other.close()


def test_what_belongs_together_is_kept_whole_or_not_at_all(store):
    def fail_in_the_middle():
        with store.writing():
            store.add_item("two", {"scene": "s"})
            store.save("two", "author", "Ann", 0, '"a"')
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail_in_the_middle()
    assert [one.id for one in store.items()] == ["one"]
    assert store.history("two", "author") == []


def test_a_revision_of_an_unknown_item_or_slot_is_refused(store):
    with pytest.raises(sqlite3.IntegrityError):
        store.save("none", "author", "Ann", 0, '"a"')
    with pytest.raises(sqlite3.IntegrityError):
        store.save("one", "overseer", "Ann", 0, '"a"')


def test_writers_and_standing_are_those_of_every_slot(store):
    store.add_item("two", {"scene": "s"})
    store.save("one", "author", "Ann", 0, '"a"')
    store.save("one", "author", "Eve", 1, '"b"')
    store.save("two", "check", "Bob", 0, '"c"')
    assert store.writers() == {
        ("one", "author"): frozenset({"Ann", "Eve"}),
        ("two", "check"): frozenset({"Bob"}),
    }
    assert store.writers("two") == {("two", "check"): frozenset({"Bob"})}
    assert sorted(one.content for one in store.standing()) == ['"b"', '"c"']
    assert [one.content for one in store.standing("one")] == ['"b"']


def test_drafts_are_kept_one_beside_the_other(store):
    assert [store.put_draft("one", draft) for draft in ("{}", '{"a": 1}')] == [1, 2]
    assert [(one.number, one.draft) for one in store.drafts("one")] == [(1, "{}"), (2, '{"a": 1}')]


def test_a_folder_without_annotations_says_how_to_begin(tmp_path):
    with pytest.raises(StoreError, match="not found; begin with: lvqa annotate"):
        Store.open(tmp_path)


def test_another_kind_and_another_version_are_refused(store):
    with pytest.raises(StoreError, match="found annotations of scenes, wanted are pages"):
        Store.create(store.folder, "pages")
    connection = sqlite3.connect(store.folder / FILE)
    connection.execute("PRAGMA user_version = 9")
    connection.close()
    with pytest.raises(StoreError, match="version: found 9, this lvqa reads 1"):
        Store.open(store.folder)


def test_what_is_no_database_is_named(tmp_path):
    (tmp_path / FILE).write_bytes(b"not a database, but long enough to be looked at" * 20)
    with pytest.raises(StoreError, match="cannot be opened"):
        Store.open(tmp_path)


WRITER = """
import sys
from pathlib import Path
from dataset_builders.annotator.store import Store
store = Store.open(Path(sys.argv[1]))
number = 0
while True:
    number = store.save("one", "author", "Ann", number, '"' + str(number) * 2000 + '"').number
    print(number, flush=True)
"""


def test_a_writer_killed_in_the_middle_loses_nothing_that_was_acknowledged(store):
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(store.folder)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as writer:
        acknowledged = 0
        while acknowledged < 40:
            acknowledged = int(writer.stdout.readline())
        os.kill(writer.pid, signal.SIGKILL)
        rest = [int(line) for line in writer.stdout.read().split("\n")[:-1]]
    acknowledged = max([acknowledged, *rest])
    kept = store.history("one", "author")
    # One more may have been on disk before it could be acknowledged.
    assert len(kept) in (acknowledged, acknowledged + 1)
    assert [one.content for one in kept] == [f'"{str(number) * 2000}"' for number in range(len(kept))]
    assert store.save("one", "author", "Ann", len(kept), '"on"').number == len(kept) + 1


class TwoWindows(RuleBasedStateMachine):
    """Two windows of one slot that save, reload and undo in any order, against a plain list."""

    @initialize()
    def begin(self):
        import tempfile

        self.place = tempfile.TemporaryDirectory()
        self.stores = [Store.create(Path(self.place.name), "scenes"), Store.open(Path(self.place.name))]
        self.stores[0].add_item("one", {})
        self.known = [0, 0]
        self.model = []

    @rule(window=st.integers(0, 1), text=st.text(max_size=5))
    def save(self, window, text):
        arguments = ("one", "check", f"w{window}", self.known[window], text)
        if self.known[window] == len(self.model):
            self.known[window] = self.stores[window].save(*arguments).number
            self.model.append(text)
        else:
            with pytest.raises(StaleSaveError) as stale:
                self.stores[window].save(*arguments)
            assert stale.value.newest.content == self.model[-1]

    @rule(window=st.integers(0, 1))
    def reload(self, window):
        newest = self.stores[window].newest("one", "check")
        self.known[window] = newest.number if newest else 0

    @rule(window=st.integers(0, 1), back=st.integers(1, 3))
    def undo(self, window, back):
        history = self.stores[window].history("one", "check")
        if len(history) > back and self.known[window] == len(history):
            self.save(window, history[-1 - back].content)

    @invariant()
    def history_is_the_model(self):
        if hasattr(self, "model"):
            assert [one.content for one in self.stores[1].history("one", "check")] == self.model

    def teardown(self):
        if hasattr(self, "place"):
            for store in self.stores:
                store.close()
            self.place.cleanup()


TwoWindows.TestCase.settings = settings(max_examples=15, stateful_step_count=15, deadline=None)
TestTwoWindows = TwoWindows.TestCase

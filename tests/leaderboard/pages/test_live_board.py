"""The board that follows its store: computed once a state, by one thread, never gone."""

import threading

import pytest

from leaderboard.board.records import Board
from leaderboard.live import LiveBoard


class Store:
    """A store whose state is set by hand, and that counts what is asked of it."""

    def __init__(self):
        self.state, self.looked, self.computed = "a", 0, 0

    def look(self):
        self.looked += 1
        return self.state

    def compute(self):
        self.computed += 1
        return Board(self.state, None, None, state=self.state)


def test_a_state_is_computed_once():
    store = Store()
    live = LiveBoard(store.compute, store.look, every=0)
    assert [live.now().state for _ in range(3)] == ["a"] * 3
    assert (store.computed, store.looked) == (1, 3)
    store.state = "b"
    assert [live.now().state for _ in range(3)] == ["b"] * 3
    assert store.computed == 2


def test_the_store_is_looked_at_no_more_often_than_allowed():
    store = Store()
    live = LiveBoard(store.compute, store.look, every=1000)
    first = live.now()
    store.state = "b"
    assert live.now() is first
    assert live.fresh is first
    assert (store.computed, store.looked) == (1, 1)
    assert live.refresh().state == "b"
    assert live.now().state == "b"


def test_others_get_the_board_as_it_was_while_one_computes_the_next():
    store, begun, go = Store(), threading.Event(), threading.Event()

    def compute():
        if store.state == "b":
            begun.set()
            assert go.wait(20)
        return store.compute()

    live = LiveBoard(compute, store.look, every=0)
    live.now()
    store.state = "b"
    found = []
    thread = threading.Thread(target=lambda: found.append(live.now().state))
    thread.start()
    assert begun.wait(20)
    assert live.now().state == "a"
    go.set()
    thread.join(20)
    assert (found, live.now().state, store.computed) == (["b"], "b", 2)


def test_the_first_board_is_waited_for_by_all():
    store, go = Store(), threading.Event()

    def compute():
        assert go.wait(20)
        return store.compute()

    live = LiveBoard(compute, store.look, every=0)
    found = []
    threads = [threading.Thread(target=lambda: found.append(live.now().state)) for _ in range(8)]
    for thread in threads:
        thread.start()
    go.set()
    for thread in threads:
        thread.join(20)
    assert (found, store.computed) == (["a"] * 8, 1)


def test_a_store_that_cannot_be_read_leaves_the_last_board(caplog):
    store = Store()

    def compute():
        if store.state == "damaged":
            raise OSError("no space")
        return store.compute()

    live = LiveBoard(compute, store.look, every=0)
    live.now()
    store.state = "damaged"
    assert live.now().state == "a"
    assert "no space" in caplog.text
    store.state = "mended"
    assert live.now().state == "mended"


def test_what_cannot_be_read_at_first_is_said():
    def compute():
        raise OSError("no dataset")

    live = LiveBoard(compute, lambda: "a", every=0)
    for _ in range(2):
        with pytest.raises(OSError, match="no dataset"):
            live.now()


def test_records_never_change():
    board = Board("Still", None, None)
    live = LiveBoard.of(board)
    assert live.now() is live.now() is live.refresh() is board

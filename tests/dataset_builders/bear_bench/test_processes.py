"""Work in processes: one bad unit costs no other."""

import os
import signal
import time

import pytest

from dataset_builders.bear_bench.processes import Lost, in_processes


def work(unit):
    if unit == "crash":
        os.kill(os.getpid(), signal.SIGKILL)
    if unit == "hang":
        time.sleep(60)
    if unit == "raise":
        raise ValueError("a fault of ours")
    return f"{unit} done"


def test_a_crash_and_a_hang_are_named_and_all_others_are_done():
    units = ["a", "crash", "b", "hang", "c"]
    found = dict(in_processes(work, units, 2, 1))
    assert found == {0: "a done", 1: Lost(1), 2: "b done", 3: Lost(1), 4: "c done"}
    assert found[1].detail == "its process crashed, or took more than 1 s"


def test_our_own_faults_are_not_hidden():
    with pytest.raises(ValueError, match="a fault of ours"):
        list(in_processes(work, ["raise"], 1, 10))


def test_no_work_starts_no_process():
    assert list(in_processes(work, [], None, 1)) == []

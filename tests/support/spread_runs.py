"""Settings and observation of runs that are spread over workers."""

import contextlib
import threading
import time
from pathlib import Path

from dataset_builders.layered_vqa.build import build
from dataset_builders.layered_vqa.conditions import ConditionOptions
from lvqa_eval.benchmarks import BEAR_BENCH
from lvqa_eval.evaluation import evaluate
from lvqa_eval.settings import Settings
from tests.support.sources import SmallSource
from tests.support.steady_server import steady_server

SIZE = 48
"""Conversations of a run: three conditions, eight scenes of one question each, two runs."""


def settings(dataset, folder, *urls, **changes):
    conditions = ("full", "sharded-v", "aligned-vq")
    common = {"model": "talker", "dataset": dataset, "base_urls": urls, "runs": 2, "conditions": conditions}
    return Settings(**common | {"out": folder, "ray": "auto", "in_flight": 4} | changes)


def page_settings(folder, *urls, **changes):
    """Return the settings of a run over pages in `folder`: two ways of asking, one size of pictures each."""
    asked = {"benchmark": BEAR_BENCH, "conditions": ("cot", "downsample-2"), "sampling": BEAR_BENCH.sampling}
    return settings(str(folder / "bear-bench"), folder / "run", *urls, **asked | {"runs": 1} | changes)


def eight_scenes(folder):
    """Build the dataset; returns its folder."""
    source = SmallSource(scenes=8)
    return str(build(source, folder / "layered-vqa", "1.0.0", ConditionOptions()).folder)


def run_here(dataset, folder):
    """Hold the run without workers; returns its folder."""
    with steady_server() as url:
        evaluate(settings(dataset, folder, url, ray=None), print)
    return folder


def lines(folder):
    """Return the conversations as they are written, in an order of their own."""
    return sorted((folder / "conversations.jsonl").read_bytes().splitlines())


def after(folder, count, act):
    """Call `act` once so many conversations are in the folder; returns the thread to join."""

    def watch():
        path = folder / "conversations.jsonl"
        while not path.exists() or path.read_bytes().count(b"\n") < count:
            time.sleep(0.01)
        act()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    return thread


def gone(processes, patience=25.0):
    """Wait until none of the processes runs; one that ended and waits to be collected does not."""
    end = time.monotonic() + patience
    while any(map(_alive, processes)) and time.monotonic() < end:
        time.sleep(0.05)
    return not any(map(_alive, processes))


def _alive(pid):
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False

"""What a board costs: the figures of one full run, and a board of 200 models whose figures are kept.

A full run: 300 questions about 100 scenes, 16 conditions, three times. All times are CPU time.
Run it from the repository: PYTHONPATH=. .venv/bin/python scripts/bench/leaderboard_board.py
"""

import argparse
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from leaderboard.board.assemble import assemble
from leaderboard.board.run_figures import compute_figures
from leaderboard.store.folder import BoardFolder
from lvqa_eval.benchmarks import LAYERED_VQA
from lvqa_eval.judging.judges import JUDGES
from lvqa_eval.judging.run import judge_run
from lvqa_eval.runs.store import RunStore
from tests.support.large_board import large_board


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", type=int, default=200)
    parser.add_argument("--full-run", action="store_true", help="Make a full run as well: minutes.")
    chosen = parser.parse_args()
    print("| what | CPU s |\n|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        if chosen.full_run:
            full_run(Path(folder) / "run")
        large_board(Path(folder), chosen.models, 0)
        board = BoardFolder.open(Path(folder) / "board")
        told("first assembly: the judges' figures are not kept yet", lambda: assemble(board))
        for _ in range(3):
            told(f"assembly of {chosen.models} models", lambda: assemble(board))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"\nPeak of the process: {peak:.0f} MB")


def full_run(folder: Path) -> None:
    """Make a full run and compute its figures."""
    import asyncio

    from dataset_builders.layered_vqa.build import build
    from dataset_builders.layered_vqa.conditions import ConditionOptions
    from dataset_builders.layered_vqa.sources.procedural.source import ProceduralSource
    from tests.support.submitted import MadeUp, made_up_run

    source = ProceduralSource(scenes=100, questions_per_scene=3, width=160, height=160, max_depth=6)
    dataset = build(source, folder / "data", "1.0.0", ConditionOptions()).folder
    run = made_up_run(folder / "run", dataset, MadeUp("Made/Up", 0.8))
    with RunStore.open(run) as store:
        asyncio.run(judge_run(store, JUDGES.get("exact-match")(), in_flight=1))
        told(
            "figures of one full run, 14,400 conversations",
            lambda: compute_figures(store, (), LAYERED_VQA.conditions),
        )


def told(what: str, work: Callable[[], Any]) -> None:
    start = time.process_time()
    work()
    print(f"| {what} | {time.process_time() - start:.2f} |", flush=True)


if __name__ == "__main__":
    main()

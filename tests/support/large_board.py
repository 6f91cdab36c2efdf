"""A board of many models without any run: figures are drawn and put where those of runs are kept."""

import hashlib
from datetime import UTC, datetime, timedelta

import numpy as np

from leaderboard.board.columns import BEAR, ENTRY_CELLS, LAYERED
from leaderboard.board.figure_files import figures_state, keep_figures
from leaderboard.board.run_figures import RANKING, RunFigures
from leaderboard.board.verdicts import Verdicts
from leaderboard.store.folder import SUBMISSIONS, UPLOAD
from leaderboard.store.receipts import RECEIPT, Event, encode_receipt, timestamp
from leaderboard.submissions.records import About, Receipt
from lvqa_eval.metrics.bootstrap import DRAWS
from lvqa_eval.metrics.figures import Figure
from lvqa_eval.runs.identity import RunIdentity
from lvqa_eval.runs.store import IDENTITY
from tests.support.boards import JUDGES, empty_board, layered_folder
from tests.support.page_folder import page_folder

START = datetime(2026, 1, 1, tzinfo=UTC)
SIZES = (0.8, 2.5, 7.0, 9.0, 14.0, 27.0, 32.0, 72.0, 110.0, 235.0)
SPREAD = {"share": 0.02, "ratio": 0.02, "difference": 0.03, "per cent": 3.0, "words": 12.0, "coverage": 0.0}
"""The standard error of a figure by its unit."""

FIGURES = {
    "layered-vqa": [one for one in LAYERED if one.key not in ENTRY_CELLS],
    "bear-bench": [one for one in BEAR if one.key not in ENTRY_CELLS],
}


def large_board(folder, models=200, pages=200, draws=DRAWS):
    """Make a board with so many models of Layered-VQA and of BEAR-Bench, all judged by its panel.

    Figures are drawn for every column; what pages read of single conversations is not there. It takes some
    ten seconds for 200 and 200.
    """
    layered, bear = layered_folder(folder / "layered-vqa"), page_folder(folder / "bear-bench")
    board = empty_board(folder / "board", layered, bear)
    events = []
    for benchmark, count in (("layered-vqa", models), ("bear-bench", pages)):
        for place in range(count):
            receipt = add_model(board, benchmark, place, count, draws)
            events.append(Event("received", receipt.id, receipt.received))
    board.write_log(events)
    return board


def add_model(board, benchmark, place, count, draws=DRAWS):
    """Put one model into a board, the better the smaller its place among `count`; returns its receipt."""
    told = board.settings.benchmarks[benchmark]
    name = hashlib.sha256(f"{benchmark} {place}".encode()).hexdigest()
    about = About(
        model=f"laboratory-{place % 17:02}/model-{place:03}-{SIZES[place % len(SIZES)]:g}b",
        revision=name[:7],
        weights=("open", "closed")[place % 3 == 0],
        parameters=None if place % 7 == 6 else SIZES[place % len(SIZES)],
    )
    receipt = Receipt(
        id=name,
        received=timestamp(START + timedelta(hours=place)),
        about=about,
        benchmark=benchmark,
        dataset_version=told.version,
        manifest_sha256=told.manifest_sha256,
        conditions=told.conditions,
        runs=told.runs,
        conversations=14_400,
        lvqa="0.1.0",
    )
    taken = board.folder / SUBMISSIONS / name
    taken.mkdir()
    (taken / UPLOAD).write_bytes(b"")
    (taken / RECEIPT).write_bytes(encode_receipt(receipt))
    run = board.run(name)
    run.mkdir()
    RunIdentity({"model": {"name": about.model}, "benchmark": benchmark}).write(run / IDENTITY)
    found = drawn_figures(benchmark, place, count, told.conditions, draws)
    keep_figures(board, name, figures_state(board, name, told.conditions), found)
    return receipt


def drawn_figures(benchmark, place, count, conditions, draws=DRAWS):
    """Return figures in every column, drawn around a level that falls with the place of the model."""
    rng = np.random.default_rng([place, len(benchmark)])
    level = 0.8 - 0.6 * place / max(count, 1)
    ranking = RANKING[benchmark]
    figures, drawn = {}, {}
    for one in FIGURES[benchmark]:
        value = {"difference": -0.2, "per cent": 80.0, "words": 300.0, "coverage": 0.999}.get(one.unit, level)
        value += 0.0 if one.unit == "coverage" else float(rng.normal(0, SPREAD[one.unit] / 2))
        spread = SPREAD[one.unit]
        figures[one.key] = Figure(value, value - 2 * spread, value + 2 * spread, 900, 93, 0, 300, 900)
        if one.key in (ranking, "full") or one.unit == "difference":
            drawn[one.key] = rng.normal(value, spread, draws).astype(np.float32)
    columns = tuple(sorted(drawn, key=lambda key: key != ranking))
    size = 300 * len(conditions) * 3
    correct = (rng.random((len(conditions), 300, 3)) < level).astype(np.int8)
    return RunFigures(
        verdicts=Verdicts("consensus", None, JUDGES, JUDGES, "0" * 8),
        questions=10_000,
        clusters=93,
        figures=figures,
        counts={},
        coverage=dict.fromkeys(conditions, 0.999),
        prompt_tokens=int(rng.integers(10**6, 10**8)),
        completion_tokens=int(rng.integers(10**4, 10**6)),
        self_judged=None,
        columns=columns,
        drawn=np.stack([drawn[key] for key in columns]),
        correct=correct,
        outcome=np.zeros_like(correct),
        votes=np.where(rng.random((len(JUDGES), size)) < 0.9, correct.ravel(), 1 - correct.ravel()).astype(
            np.int8
        ),
        vote_clusters=np.tile(np.repeat(np.arange(300) % 93, 3), len(conditions)).astype(np.int32),
    )

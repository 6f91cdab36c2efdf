"""Detectors that maintainers set against the answers of a board's models."""

import logging
import math

from leaderboard.board.assemble import assemble
from leaderboard.board.detectors import detector_rows, reported_detectors
from lvqa_eval.detectors.saved import save_detections
from lvqa_eval.runs.store import RunStore
from tests.support.boards import SKILLED
from tests.support.detected_targets import detection, found


def bear_run(board):
    """Return the run of the skilled model over pages."""
    return next(
        board.run(one.id)
        for one in board.submissions()
        if one.receipt.benchmark == "bear-bench" and one.receipt.about.model == SKILLED.name
    )


def test_detections_of_a_run_stand_before_those_of_the_paper(copied):
    folder = bear_run(copied)
    judge = detection("model_as_judge", "org/judge-9B", 0.7, None, None, unscored=3)
    with RunStore.open(folder) as store:
        save_detections(store, found(detection("max_prob"), judge, model=SKILLED.name))
    rows = assemble(copied).detectors
    assert rows[2:] == reported_detectors()
    first, second = rows[:2]
    assert (first.model, first.benchmark, first.condition) == (SKILLED.name, "bear-bench", "default")
    assert (first.detector, first.source, first.reported, first.words) == ("max_prob", "native", False, 3.0)
    figure = first.figures["auroc"]
    assert (figure.value, figure.low, figure.high) == (0.65, 0.65 - 0.03, 0.65 + 0.03)
    assert (figure.n, figure.scenes) == (1000, 60)
    assert (first.prevalence, first.n) == (0.4, 1000)
    assert first.random_precision is not None
    assert (set(second.figures), second.unscored) == ({"balanced_accuracy"}, 3)
    assert not any(row.detector == "random" for row in rows)


def test_a_file_that_holds_none_is_told_and_passed_over(copied, caplog):
    folder = bear_run(copied)
    (folder / "detections").mkdir()
    (folder / "detections" / "default.json").write_text("{}")
    with caplog.at_level(logging.WARNING):
        rows = tuple(detector_rows({SKILLED.name: [folder]}))
    assert rows == reported_detectors()
    assert "default.json: no detections" in caplog.text
    assert all(math.isfinite(one.n) for one in rows)

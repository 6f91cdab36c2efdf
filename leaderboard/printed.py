"""A board that nobody has submitted to: what the papers report, to be shown where no board is."""

from typing import Final

from leaderboard.board.detectors import reported_detectors
from leaderboard.board.records import BenchmarkBoard, Board, Standing
from leaderboard.board.reported import reported_rows
from leaderboard.board.run_figures import RANKING

TITLE: Final = "What the papers report"


def printed_board() -> Board:
    """Return the papers' rows of both benchmarks and of detectors; nothing is ranked."""
    boards = {
        name: BenchmarkBoard(Standing(name, "", "", 0, 0, (), 0), order, reported_rows(name))
        for name, order in RANKING.items()
    }
    return Board(
        TITLE, boards["layered-vqa"], boards["bear-bench"], tuple(reported_detectors()), state="reported"
    )

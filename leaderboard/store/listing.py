"""The submissions of a board, as a table and as JSON."""

from collections.abc import Iterator
from typing import Any

from leaderboard.board.verdicts import badge_of, board_verdicts
from leaderboard.store.folder import BoardFolder
from leaderboard.submissions.derive import UPLOADED
from lvqa_eval.runs.store import RunStore
from lvqa_eval.runs.terminal import Column

_HEADS = (
    *("Id", "Model", "Version", "Badge", "State", "Benchmark", "Dataset", "Conversations", "Received"),
    "Judged by",
)
_NUMBERS = ("Version", "Conversations")


def listing(board: BoardFolder) -> tuple[list[Column], list[list[str]]]:
    """Return the heads and the rows of the table, in the order of reception."""
    heads = [Column(head, "right" if head in _NUMBERS else "left") for head in _HEADS]
    return heads, [_row(one) for one in as_json(board)]


def as_json(board: BoardFolder) -> list[dict[str, Any]]:
    """Return everything that is known of each submission beside its figures, in the order of reception."""
    return list(_told(board))


def _told(board: BoardFolder) -> Iterator[dict[str, Any]]:
    runs = board.runs()
    for one in board.submissions():
        run, receipt = runs.get(one.id), one.receipt
        verdicts = None if run is None else board_verdicts(RunStore.open(run), board.settings.panel)
        uploaded = run is not None and (run / UPLOADED).is_dir()
        yield {
            "id": one.id,
            "model": receipt.about.model,
            "version": one.version,
            "badge": badge_of(verdicts, bool(board.settings.panel), one.verified is not None),
            "self_judged": uploaded,
            "newest": one.newest,
            "withdrawn": None if one.withdrawn is None else one.withdrawn.note,
            "benchmark": receipt.benchmark,
            "dataset_version": receipt.dataset_version,
            "conditions": list(receipt.conditions),
            "runs": receipt.runs,
            "conversations": receipt.conversations,
            "received": receipt.received,
            "by": receipt.by,
            "judges": [] if verdicts is None else list(verdicts.names),
        }


def _row(told: dict[str, Any]) -> list[str]:
    state = "withdrawn" if told["withdrawn"] is not None else "newest" if told["newest"] else "replaced"
    return [
        told["id"][:16],
        told["model"],
        str(told["version"]),
        told["badge"] + (", self-judged" if told["self_judged"] else ""),
        state,
        told["benchmark"],
        told["dataset_version"],
        f"{told['conversations']:,}",
        told["received"],
        ", ".join(told["judges"]),
    ]

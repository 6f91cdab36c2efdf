"""Two audited runs over one small dataset: what one says is right, what the other says is not."""

import pytest

from lvqa_eval.statuses import Status
from tests.support.audited_runs import audited_run, drawn_dataset

CONDITIONS = ("full", "sharded-v")


def _south(row):
    if row.condition == "full" and row.question_id.startswith("proc-s0-0001"):
        return "It is the one that", Status.TRUNCATED
    if row.condition == "full" and row.question_id.startswith("proc-s0-0002"):
        return None, Status.TIMEOUT
    return "Something <b>else</b>."


@pytest.fixture(scope="session")
def drawn(tmp_path_factory):
    """Give the folder of a dataset of three questions."""
    return drawn_dataset(tmp_path_factory.mktemp("drawn"))


@pytest.fixture(scope="session")
def runs(drawn, tmp_path_factory):
    """Give two run folders, north and south; of the latter one conversation is cut off and one timed out."""
    folder = tmp_path_factory.mktemp("runs")
    return [
        audited_run(
            folder / name,
            drawn,
            CONDITIONS,
            (lambda row: row.answer) if name == "north" else _south,
            {"able": lambda _, name=name: name == "north", "lenient": lambda _: True},
            model=f"some/{name}",
        )
        for name in ("north", "south")
    ]

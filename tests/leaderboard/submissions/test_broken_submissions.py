"""A good submission, broken in any one place: never taken, never a crash, and the answer names the place."""

from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leaderboard.submissions.accept import RefusedError, accept
from tests.support.boards import NOW
from tests.support.broken_submissions import broken, strict_board


@pytest.fixture(scope="module")
def strict(tmp_path_factory):
    folder = tmp_path_factory.mktemp("strict")
    board, lines, other = strict_board(folder)
    accept(board, other, None, NOW)
    return board, lines, broken(lines), folder / "upload"


def test_the_submission_that_is_broken_is_good_as_it_is(strict):
    board, lines, _, upload = strict
    upload.write_bytes(b"\n".join(lines))
    receipt = accept(board, upload, "someone", NOW + timedelta(hours=2))
    assert (receipt.conversations, receipt.runs, receipt.received) == (16, 2, "2026-03-01T14:00:00Z")


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_broken_submission_is_taken(strict, data):
    board, _, ways, upload = strict
    sent = data.draw(ways)
    upload.write_bytes(sent.content)
    before = board.state()
    with pytest.raises(RefusedError) as refused:
        accept(board, upload, None, NOW)
    for problem in refused.value.problems:
        assert problem.line is None or problem.line >= 1
        assert problem.field
        assert problem.found
        assert problem.allowed
        assert str(problem).isprintable()
        assert len(str(problem)) < 1000
    assert str(refused.value).startswith("upload: not accepted: ")
    assert board.state() == before
    assert [path.name for path in (board.folder / "tmp").iterdir()] == ["lock"]

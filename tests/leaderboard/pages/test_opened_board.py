"""The command: which board it opens, and the papers' rows where there is none."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from leaderboard import app
from leaderboard.printed import printed_board
from lvqa_eval.main import main


@pytest.fixture
def opened(monkeypatch, tmp_path):
    """Return what the command opens, in order: the board, then host, port and whether a browser is shown."""
    seen = []

    def serve(shell, tell, host, port, show):
        tell(f"http://{host}:{port}/")
        seen.append((host, port, show))

    monkeypatch.setattr(app, "make_shell", seen.append)
    monkeypatch.setattr(app, "serve", serve)
    monkeypatch.chdir(tmp_path)
    return seen


def run(*arguments):
    result = CliRunner().invoke(main, ["leaderboard", *arguments])
    assert result.exit_code == 0, result.output
    return result.output


def put(folder):
    """Make a folder look like a board."""
    folder.mkdir(parents=True)
    (folder / "board.yaml").write_text("")


def test_a_board_that_is_named_is_opened(opened):
    put(Path("elsewhere"))
    put(Path("board"))
    assert run("elsewhere", "--port", "7861", "--no-open") == "http://127.0.0.1:7861/ (Ctrl-C ends it)\n"
    assert opened == [Path("elsewhere"), ("127.0.0.1", 7861, False)]


def test_the_usual_places_are_looked_at_in_order(opened):
    put(Path("demo/board"))
    run("--no-open")
    assert opened[0] == Path("demo/board")
    put(Path("board"))
    run("--host", "0.0.0.0")
    assert opened[2:] == [Path("board"), ("0.0.0.0", 0, True)]


def test_without_a_board_the_papers_rows_are_shown(opened):
    Path("board").mkdir()
    run("--no-open")
    assert opened[0].state == "reported"


def test_the_papers_rows_are_never_ranked():
    board = printed_board()
    rows = [*board.layered.rows, *board.bear.rows]
    assert {row.entry.shown for row in rows} == {"reported"}
    assert {row.tier for row in rows} == {None}
    assert (board.layered.order, board.bear.order) == ("delivered", "overall")
    best = board.bear.rows[0]
    assert (best.entry.model, best.figures["overall"].value) == ("Qwen3.5-397B-A17B", 0.754)
    assert board.layered.standing.questions == 0
    assert all(row.reported for row in board.detectors)
    assert len({row.model for row in board.detectors}) == 10


def test_the_help_has_an_example():
    assert "Example: lvqa leaderboard demo/board" in run("--help")

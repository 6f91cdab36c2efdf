"""The page that says what the board's words mean, which data it is of, and how to take part."""

from importlib.metadata import version

from leaderboard.html.about import about
from leaderboard.pages.shell import Shell
from leaderboard.views import View


def build(app: Shell) -> None:
    """Add the page."""
    with app.page("about") as page:
        page.part(_about, ())


def _about(view: View) -> str:
    boards = (one for one in (view.board.layered, view.board.bear) if one is not None)
    standings = [one.standing for board in boards for one in (board, *board.older) if one.standing.questions]
    return about(standings, version("lvqa"), view.words)

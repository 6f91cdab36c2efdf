"""The app: `make_app` puts the pages together, `serve` opens them on this machine or on a Space."""

import importlib
import importlib.util
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from leaderboard.board.records import Board
from leaderboard.guard import Guarded, Remembered
from leaderboard.html.style import style
from leaderboard.live import LiveBoard
from leaderboard.store.folder import BoardFolder
from lvqa_eval.app_server import ServingError, listen, serve_at

if TYPE_CHECKING:
    import gradio as gr
    from starlette.types import ASGIApp

    from leaderboard.pages.shell import Shell

PAGES: Final = (
    *("layered", "bear", "detectors", "judges", "examples", "compare", "submit", "history", "about"),
)
"""The modules of the pages, in the order of the navigation."""

HOST: Final = "127.0.0.1"
SPACE_FRAMES: Final = ("https://huggingface.co", "https://*.hf.space")
"""Sites that show a Space inside a page of theirs."""

_PAGES_FOLDER: Final = Path(__file__).parent / "pages"
_SESSIONS: Final = 200
"""Visitors of whom Gradio remembers what native events changed, half a megabyte each."""


def make_app(board: BoardFolder | Path | Board) -> "gr.Blocks":
    """Return the app of a board: one in a folder, or records that never change.

    Raises BoardError for a folder that is none, ServingError where Gradio is not installed.
    """
    return make_shell(board).demo


def make_shell(board: BoardFolder | Path | Board) -> "Shell":
    """Return the pages of a board put together, and all that they are served with; raises as `make_app`."""
    try:
        from leaderboard.pages.endpoints import add_endpoints
        from leaderboard.pages.shell import HOME, Shell, path
    except ImportError as error:
        raise ServingError(f"the pages need Gradio ({error}); pip install 'lvqa[leaderboard]'") from error
    opened = BoardFolder.open(board) if isinstance(board, Path) else board
    names = [name for name in PAGES if importlib.util.find_spec(f"leaderboard.pages.{name}")]
    if isinstance(opened, Board):
        shell = Shell(LiveBoard.of(opened), None, names)
    else:
        shell = Shell(LiveBoard.of_folder(opened), opened, names)
    with shell.building():
        for name in names:
            importlib.import_module(f"leaderboard.pages.{name}").build(shell)
        # They are of the first page, so that the others have none of them to load.
        shell.demo.current_page = path(HOME)
        add_endpoints(shell.pages.values(), shell.answers)
    return shell


def web(shell: "Shell", hosts: Sequence[str] = (HOST, "localhost"), frames: Sequence[str] = ()) -> "ASGIApp":
    """Return the whole application; `hosts` may reach it by these names, `frames` as `Guarded`."""
    import gradio as gr
    from starlette.middleware.trustedhost import TrustedHostMiddleware

    from leaderboard.pages.shell import path
    from leaderboard.web import web_app

    app = web_app(shell)
    shell.demo.state_session_capacity = _SESSIONS
    limits = shell.folder.settings.limits if shell.folder is not None else None
    with warnings.catch_warnings():
        # It says that pages are not rendered on the server, which nobody asked for.
        warnings.filterwarnings("ignore", "SSR mode")
        gr.mount_gradio_app(
            app,
            shell.demo,
            path="/",
            server_name=HOST,
            # Programs find the named endpoints there; it loads nothing from elsewhere.
            footer_links=["api"],
            # FastAPI's pages about its routes load scripts from elsewhere.
            app_kwargs={"docs_url": None, "redoc_url": None, "openapi_url": None},
            show_error=False,
            run_history=False,
            mcp_server=False,
            allowed_paths=[str(one.resolve()) for one in shell.served],
            max_file_size=limits.packed_bytes if limits is not None else 0,
            theme=gr.themes.Base(font=["system-ui", "sans-serif"], font_mono=["monospace"]),
            head=_head(),
        )
    # Another site's name that leads here must not read the pages, nor submit.
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(hosts))
    documents = ["/", "/config", *(f"/{path(name)}" for name in shell.names)]
    return Guarded(Remembered(app, documents), frames)


def serve(
    shell: "Shell",
    tell: Callable[[str], None],
    host: str = HOST,
    port: int = 0,
    show: bool = True,
    hosts: Sequence[str] | None = None,
) -> None:
    """Serve the pages until interrupted; `tell` hears their address, `show` opens it in a browser.

    On a host other than this machine's own they may be reached by any of `hosts`, any name by default, and
    Spaces may frame them. Raises ServingError for a port that is taken.
    """
    # What is wrong with the board is said before anybody looks at it.
    shell.live.now()
    own = host == HOST
    allowed = hosts or ((HOST, "localhost") if own else ("*",))
    app = web(shell, allowed, () if own else SPACE_FRAMES)
    serve_at(listen(host, port), host, app, tell, show)


def _head() -> str:
    """Return the style and the script of all pages, as they stand in the head of each."""
    sheet = (_PAGES_FOLDER / "shell.css").read_text(encoding="utf-8")
    script = (_PAGES_FOLDER / "shell.js").read_text(encoding="utf-8")
    return f"<style>{style()}\n{sheet}</style><script>{script}</script>"

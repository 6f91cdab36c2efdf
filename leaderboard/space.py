"""The board as a Space of the Hub: the folder that is pushed there, and what runs in it."""

import json
import os
import re
import sys
import threading
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Final

from leaderboard.submissions.reception import RESULTS
from lvqa_eval.errors import LvqaError
from lvqa_eval.files import write_whole

APP: Final = "app.py"
REQUIREMENTS: Final = "requirements.txt"
CARD: Final = "README.md"

STORAGE: Final = Path("/data")
"""Where a Space with persistent storage keeps files."""

EVERY: Final = 300.0
"""Seconds between two looks at the results repository."""

PORT: Final = 7860
_NAME: Final = re.compile(r"([A-Za-z0-9._-]+)(\[[a-z0-9,]+\])?[^;]*(?:;(.*))?")
_REPO: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._-]*")


class SpaceError(LvqaError, ValueError):
    """A Space that cannot be written."""


def write_space(folder: Path, repo: str | None, title: str, requirement: str | None = None) -> list[Path]:
    """Write the files of a Space to `folder`; return their paths.

    `repo`: the results repository that it shows, None for a board in `board/` beside the app. `requirement`:
    how LVQA is installed there, its release on PyPI if None. Raises SpaceError.
    """
    if repo is not None and not _REPO.fullmatch(repo):
        raise SpaceError(f"--repo: found {repo!r}, allowed: ORG/NAME")
    if not title.isprintable() or any(sign in title for sign in "\"'\\:#{}[]"):
        raise SpaceError(f"--title: found {title!r}, allowed: one line without quotes, brackets, : and #")
    folder.mkdir(parents=True, exist_ok=True)
    content = {
        CARD: _card(repo, title),
        APP: _app(repo),
        REQUIREMENTS: requirements(requirement),
    }
    for name, text in content.items():
        write_whole(folder / name, text)
    return [folder / name for name in content]


def requirements(requirement: str | None = None) -> str:
    """Return what is installed on a Space: LVQA, and what it stands on in the versions that are here."""
    own = requirement or f"lvqa[leaderboard]=={version('lvqa')}"
    pins = sorted(filter(None, map(_pin, requires("lvqa") or ())), key=str.casefold)
    return "\n".join([own, *pins, ""])


def serve_space(repo: str | None) -> None:
    """Run the app of a Space: bring the board from the results repository, follow it, serve its pages."""
    stays = STORAGE.is_dir() and os.access(STORAGE, os.W_OK)
    if stays:
        # Read when the Hub's client is imported: datasets of the board are kept as well.
        os.environ.setdefault("HF_HOME", str(STORAGE / ".huggingface"))
    folder = (STORAGE if stays and repo is not None else Path.cwd()) / "board"
    if repo is not None:
        os.environ.setdefault(RESULTS, repo)
        _follow(folder, repo)
    from leaderboard.app import make_shell, serve
    from leaderboard.printed import printed_board
    from leaderboard.store.settings import BOARD

    shell = make_shell(folder if (folder / BOARD).is_file() else printed_board())
    port = int(os.environ.get("GRADIO_SERVER_PORT", PORT))
    serve(shell, _say, os.environ.get("GRADIO_SERVER_NAME", "0.0.0.0"), port, show=False)


def _follow(folder: Path, repo: str) -> None:
    """Bring the board once, and go on looking; a Hub that cannot be reached leaves it as it is."""
    _refresh(folder, repo)

    def look() -> None:
        while not threading.Event().wait(EVERY):
            _refresh(folder, repo)

    threading.Thread(target=look, name="refresh", daemon=True).start()


def _refresh(folder: Path, repo: str) -> None:
    from leaderboard.store.hub import refresh

    try:
        refresh(folder, repo, _say)
    except LvqaError as error:
        _say(f"not refreshed: {error}")


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _card(repo: str | None, title: str) -> str:
    template = files("cards").joinpath("space.md").read_text(encoding="utf-8")
    source = "It shows the board in the folder `board`, beside the app."
    if repo is not None:
        source = (
            f"It shows what the dataset repository [`{repo}`](https://huggingface.co/datasets/{repo}) holds."
        )
    return Template(template).substitute(
        title=title,
        gradio=version("gradio"),
        python=f"{sys.version_info.major}.{sys.version_info.minor}",
        datasets="" if repo is None else f"datasets:\n- {repo}\n",
        version=version("lvqa"),
        source=source,
    )


def _app(repo: str | None) -> str:
    return (
        '"""The LVQA leaderboard as a Space; `lvqa space` wrote this file."""\n\n'
        "from leaderboard.space import serve_space\n\n"
        f"RESULTS = {json.dumps(repo) if repo else None}\n\n"
        'if __name__ == "__main__":\n'
        "    serve_space(RESULTS)\n"
    )


def _pin(requirement: str) -> str | None:
    """Return a requirement of LVQA itself, or of its leaderboard, in the version that is installed."""
    found = _NAME.fullmatch(requirement.strip())
    if found is None or (found[3] is not None and "leaderboard" not in found[3]):
        return None
    name = found[1]
    # Gradio's own extra brings what logging in needs.
    extra = "[oauth]" if name == "gradio" else found[2] or ""
    try:
        return f"{name}{extra}=={version(name)}"
    except PackageNotFoundError as error:
        raise SpaceError(f"{name}: not installed here; pip install 'lvqa[leaderboard]'") from error

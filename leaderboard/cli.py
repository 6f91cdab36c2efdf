"""`lvqa leaderboard`: the pages of a board in a browser."""

from pathlib import Path

import click

USUAL = (Path("board"), Path("demo/board"))
"""Where a board is looked for if none is named."""


@click.command(epilog="Example: lvqa leaderboard demo/board --port 7860")
@click.argument("board", required=False, type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option(
    "--port", default=0, show_default=True, type=click.IntRange(0, 65535), help="A free one where it is 0."
)
@click.option("--host", default="127.0.0.1", show_default=True, help="0.0.0.0 lets other machines in.")
@click.option(
    "--open/--no-open", "show", default=True, show_default=True, help="Open the pages in a browser."
)
def leaderboard(board: Path | None, port: int, host: str, show: bool) -> None:
    """Show the leaderboard of the board in the folder BOARD.

    Without one it is ./board, or demo/board, whichever is there; else a board that holds what the papers
    report. No account and no network are needed; what is submitted and judged meanwhile appears by itself.
    """
    from leaderboard.app import make_shell, serve
    from leaderboard.printed import printed_board

    found = board or next((one for one in USUAL if (one / "board.yaml").is_file()), None)
    shell = make_shell(found if found is not None else printed_board())
    serve(shell, lambda url: click.echo(f"{url} (Ctrl-C ends it)"), host, port, show)

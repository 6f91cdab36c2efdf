"""The command that writes a Space: `lvqa space`."""

from pathlib import Path

import click


@click.command(
    epilog="Example: lvqa space space --repo ORG/RESULTS; hf upload ORG/SPACE space . --repo-type space"
)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@click.option("--repo", metavar="ORG/NAME", help="The results repository that the Space shows.")
@click.option("--title", default="LVQA leaderboard", show_default=True)
@click.option(
    "--requirement",
    metavar="LINE",
    help="How LVQA is installed there, such as 'lvqa[leaderboard] @ https://…/lvqa.whl'; its release on PyPI "
    "if not given.",
)
def space(folder: Path, repo: str | None, title: str, requirement: str | None) -> None:
    """Write a ready Space to DIR: its card, its app, and what it needs in the versions that are here.

    Without --repo it shows the board in DIR/board, which is yours to put there.
    """
    from leaderboard.space import write_space

    for path in write_space(folder, repo, title, requirement):
        click.echo(f"written: {path}")

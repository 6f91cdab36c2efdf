"""The commands of human validation: `lvqa audit sample`, `lvqa audit label`, `lvqa audit score`."""

from pathlib import Path

import click

RUN = click.Path(path_type=Path, exists=True, file_okay=False)


@click.group(
    epilog="Example: lvqa audit sample runs/ONE runs/OTHER --out audit; "
    "lvqa audit label audit --annotator ann; lvqa audit score audit runs/ONE runs/OTHER"
)
def audit() -> None:
    """Let people label a sample of conversations, and score the judges against them."""


@audit.command(epilog="Example: lvqa audit sample runs/ONE runs/OTHER --out audit")
@click.argument("run_folders", metavar="RUN...", nargs=-1, required=True, type=RUN)
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder to write. The same command completes one that is incomplete.",
)
@click.option("--size", default=400, show_default=True, type=click.IntRange(1), help="Conversations to draw.")
@click.option("--seed", default=0, show_default=True, help="The same seed draws the same conversations.")
@click.option("--dataset", help="A folder, or ORG/NAME on the Hub; what the runs name if not given.")
def sample(run_folders: tuple[Path, ...], out: Path, size: int, seed: int, dataset: str | None) -> None:
    """Draw conversations of each RUN to label: as many of every condition, the runs by turns.

    What a person sees (items.jsonl, pictures) names no model, no condition and no verdict; what each item
    is stands apart, in key.jsonl.
    """
    from lvqa_eval.judging.audit.folder import make_audit
    from lvqa_eval.runs.terminal import Column, print_table

    def note(line: str) -> None:
        click.echo(f"note: {line}", err=True)

    drawn = make_audit(run_folders, out, size, seed, dataset, note)
    rows = [[group, str(drawn.drawn[group]), str(quota)] for group, quota in drawn.quotas.items()]
    print_table([Column("Group"), Column("Drawn", "right"), Column("Wanted", "right")], rows)
    for group, lacking in drawn.shortfalls.items():
        click.echo(
            f"note: {group}: {lacking} fewer than wanted; no more conversations can be judged", err=True
        )
    click.echo(f"{out}: {len(drawn.chosen)} of {size} conversations")
    click.echo(f"next: lvqa audit label {out} --annotator NAME", err=True)


@audit.command(epilog="Example: lvqa audit label audit --annotator ann")
@click.argument("folder", type=RUN)
@click.option(
    "--annotator", required=True, metavar="NAME", help="Whose labels; labels/NAME.jsonl keeps them."
)
@click.option(
    "--adjudicate", is_flag=True, help="Decide what two annotators left open, as a third person, NAME."
)
@click.option(
    "--port", default=0, show_default=True, type=click.IntRange(0, 65535), help="A free one where it is 0."
)
@click.option("--open/--no-open", "show", default=True, show_default=True, help="Open the page in a browser.")
def label(folder: Path, annotator: str, adjudicate: bool, port: int, show: bool) -> None:
    """Label the items of FOLDER on a page of this machine, one person a page.

    Every label is kept at once, so the page can be closed or killed, and goes on where it was.
    """
    from lvqa_eval.judging.audit.app import serve
    from lvqa_eval.judging.audit.queue import open_queue

    with open_queue(folder, annotator, adjudicate) as queue:
        serve(queue, folder, port, lambda url: click.echo(f"{url} (Ctrl-C ends it)"), show)
        click.echo(f"{queue.path}: {queue.labelled} of {queue.total} items labelled")


@audit.command(epilog="Example: lvqa audit score audit runs/ONE runs/OTHER --json")
@click.argument("folder", type=RUN)
@click.argument("run_folders", metavar="RUN...", nargs=-1, required=True, type=RUN)
@click.option("--json", "as_json", is_flag=True, help="Everything as JSON, each group of each judge with it.")
def score(folder: Path, run_folders: tuple[Path, ...], as_json: bool) -> None:
    """Compare the judges of each RUN with what people settled in FOLDER, and people with each other."""
    from lvqa_eval.judging.audit import score_text
    from lvqa_eval.judging.audit.folder_score import score_audit

    found = score_audit(folder, run_folders)
    if as_json:
        import json

        click.echo(json.dumps(score_text.as_json(found), indent=2, ensure_ascii=False))
    else:
        score_text.print_score(found)

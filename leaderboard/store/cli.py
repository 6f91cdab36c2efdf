"""The commands of those who keep a board: `lvqa board`."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leaderboard.submissions.about_options import tells_of_the_model
from lvqa_eval.errors import LvqaError
from lvqa_eval.judging.model_options import asks_a_model

if TYPE_CHECKING:
    from leaderboard.store.folder import BoardFolder
    from lvqa_eval.distributed.cluster import Cluster

FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)
REPO = click.option("--repo", required=True, metavar="ORG/NAME", help="The results repository on the Hub.")


def _say(line: str) -> None:
    click.echo(line, err=True)


@click.group(
    epilog="Example: lvqa board init board --dataset ORG/layered-vqa --title 'Layered-VQA'; "
    "lvqa board judge board --judge ORG/JUDGE@http://host:8000/v1"
)
def board() -> None:
    """Keep a leaderboard: make it, take runs, let its judges rule, look after it."""


@board.command(epilog="Example: lvqa board init board --dataset layered-vqa --dataset ORG/bear-bench")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--dataset",
    "datasets",
    multiple=True,
    required=True,
    help="A folder, or ORG/NAME on the Hub; one a benchmark. The version that it has now is the board's.",
)
@click.option("--title", default="LVQA leaderboard", show_default=True)
@click.option(
    "--panel", multiple=True, metavar="JUDGE", help="A judge of the board, by model; several times."
)
@click.option(
    "--runs",
    type=click.IntRange(1),
    help="Runs of each condition that a submission needs for a rank; as published if not given.",
)
def init(
    folder: Path, datasets: tuple[str, ...], title: str, panel: tuple[str, ...], runs: int | None
) -> None:
    """Make an empty board in FOLDER."""
    from leaderboard.store.folder import BoardFolder

    # As the command line has it, a folder is reached from here and not from the board.
    named = [str(Path(name).resolve()) if Path(name).is_dir() else name for name in datasets]
    made = BoardFolder.init(folder, title, named, panel=panel, runs=runs)
    for name, told in made.settings.benchmarks.items():
        conditions = f"{len(told.conditions)} conditions, {told.runs} runs"
        click.echo(f"{folder}: {name} {told.version} ({told.manifest_sha256[:16]}): {conditions}")


@board.command(epilog="Example: lvqa board add board runs/NAME --open --size 7.2")
@click.argument("folder", type=FOLDER)
@click.argument("run_folders", metavar="RUN...", nargs=-1, required=True, type=FOLDER)
@click.option("--judged", is_flag=True, help="Take the verdicts of RUN's judge models as the board's too.")
@tells_of_the_model
def add(folder: Path, run_folders: tuple[Path, ...], judged: bool, **about: Any) -> None:
    """Put runs of your own on the board in FOLDER: checked as any submission, and marked as verified.

    Detections come along. What is said of the model is said of every RUN.
    """
    from leaderboard.store.folder import BoardFolder
    from leaderboard.store.maintain import add_run
    from leaderboard.submissions.about_options import told_about
    from lvqa_eval.runs.store import RunStore

    opened = BoardFolder.open(folder)
    errors = []
    for run_folder in run_folders:
        try:
            told = told_about(RunStore.open(run_folder), **about)
            receipt = add_run(opened, run_folder, told, datetime.now(UTC), judged=judged)
            click.echo(f"{run_folder}: {receipt.about.model}: {receipt.id}")
        except LvqaError as error:
            errors.append(str(error))
    if errors:
        raise LvqaError("\n".join(errors))


@board.command(
    epilog="Examples: lvqa board judge board --judge ORG/JUDGE-A@http://host:8000/v1; "
    "lvqa board judge board --ray auto"
)
@click.argument("folder", type=FOLDER)
@click.option(
    "--judge",
    "names",
    multiple=True,
    metavar="NAME[@URL]",
    help="A judge of the panel, at its running server or started by `vllm serve`; all of the panel if not "
    "given. The first ones named become the panel.",
)
@click.option("--all", "everything", is_flag=True, help="Earlier submissions of a model too.")
@click.option("--temperature", default=0.0, show_default=True, type=click.FloatRange(0))
@click.option("--max-tokens", default=2048, show_default=True, type=click.IntRange(1), help="Of one verdict.")
@click.option("--structured/--no-structured", default=True, show_default=True, help="Ask for a JSON schema.")
@click.option(
    "--ray", metavar="ADDRESS", help="Spread the work over a Ray cluster: auto, HOST:PORT, or local."
)
@click.option("--workers", type=click.IntRange(1), help="Workers on the cluster; all that fit if not given.")
@asks_a_model
def judge(folder: Path, names: tuple[str, ...], everything: bool, ray: str | None, **options: Any) -> None:
    """Let the board's own judges rule on every submission that they have not ruled on.

    Where all of the panel have ruled, their consensus is kept and the row has the badge `panel`. The same
    command again goes on where it was. Verdicts that came with uploads have no part in it.
    """
    from leaderboard.store.folder import BoardFolder
    from leaderboard.store.panel import benches, settle_panel
    from lvqa_eval.judging.model_options import judge_options

    opened = settle_panel(BoardFolder.open(folder), names)
    words = names or opened.settings.panel
    chosen = judge_options(protocols=(), **options)
    if chosen.workers is not None and ray is None:
        raise click.UsageError("--workers needs --ray; on one machine, --servers starts several")
    if chosen.servers > 1 and ray is not None:
        raise click.UsageError("--ray starts one server for each of its --workers; --servers is not for it")
    errors: list[str] = []
    try:
        with _cluster(ray, words, chosen.workers) as cluster:
            for bench in benches(opened, everything=everything):
                errors += _judge(opened, bench, words, chosen, cluster)
    except KeyboardInterrupt:
        raise LvqaError("interrupted: the same command goes on") from None
    if errors:
        raise LvqaError("\n".join(errors))


def _judge(
    opened: "BoardFolder", bench: Any, words: Sequence[str], chosen: Any, cluster: "Cluster | None"
) -> list[str]:
    """Let judges rule on the submissions over one dataset; return what stood in the way."""
    from leaderboard.store.panel import judge_bench, keep_consensus

    errors = []
    for one in judge_bench(opened, bench, words, chosen, _say, cluster):
        if isinstance(one, LvqaError):
            errors.append(str(one))
            continue
        click.echo(str(one))
        if one.failed or one.left:
            errors.append(f"{one.run}: {one.judge}: {one.failed + one.left} judgements are left")
    done, waiting = keep_consensus(opened, bench)
    click.echo(f"{bench.benchmark.name}: {len(done)} judged by the whole panel, {len(waiting)} waiting")
    return errors


def _cluster(
    ray: str | None, words: Sequence[str], workers: int | None
) -> "AbstractContextManager[Cluster | None]":
    if ray is None:
        return nullcontext()
    from lvqa_eval.distributed import cluster

    return cluster.joined(ray, cpus=max(len(words), workers or 1))


@board.command("list", epilog="Example: lvqa board list board")
@click.argument("folder", type=FOLDER)
@click.option("--json", "as_json", is_flag=True, help="A JSON list with everything, for programs.")
def list_command(folder: Path, as_json: bool) -> None:
    """List every submission of the board in FOLDER, in the order in which they came."""
    from leaderboard.store.folder import BoardFolder
    from leaderboard.store.listing import as_json as told
    from leaderboard.store.listing import listing
    from lvqa_eval.runs.terminal import print_table

    opened = BoardFolder.open(folder)
    if as_json:
        import json

        click.echo(json.dumps(told(opened), indent=2, ensure_ascii=False))
        return
    print_table(*listing(opened))


@board.command(epilog="Example: lvqa board withdraw board 3f9a0c11 --reason 'asked for by its authors'")
@click.argument("folder", type=FOLDER)
@click.argument("name", metavar="ID")
@click.option("--reason", required=True, help="One line, which the history shows.")
def withdraw(folder: Path, name: str, reason: str) -> None:
    """Take the submission ID off the tables; the history keeps it."""
    from leaderboard.store.folder import BoardFolder
    from leaderboard.store.maintain import find

    opened = BoardFolder.open(folder)
    one = find(opened, name)
    opened.withdraw(one.id, None, reason, datetime.now(UTC))
    click.echo(f"{one.id}: {one.receipt.about.model}: withdrawn")


@board.command(epilog="Example: lvqa board verify board 3f9a0c11 --note 'held again on 2 March'")
@click.argument("folder", type=FOLDER)
@click.argument("name", metavar="ID")
@click.option("--note", default="", help="One line, which the log keeps.")
def verify(folder: Path, name: str, note: str) -> None:
    """Mark the submission ID as verified: its conversations were held again by a maintainer."""
    from leaderboard.store.folder import BoardFolder
    from leaderboard.store.maintain import find

    opened = BoardFolder.open(folder)
    one = find(opened, name)
    opened.mark_verified(one.id, None, note, datetime.now(UTC))
    click.echo(f"{one.id}: {one.receipt.about.model}: verified")


@board.command(epilog="Example: lvqa board check board")
@click.argument("folder", type=FOLDER)
def check(folder: Path) -> None:
    """Look at everything in FOLDER: hashes, receipts, log, runs; derive again what is missing.

    Exits with 1 where something is not as it was taken; nothing that stands is changed.
    """
    from leaderboard.store.folder import BoardFolder
    from leaderboard.store.maintain import FaultyBoardError, faults
    from leaderboard.submissions.accept import mend

    opened = BoardFolder.open(folder)
    mend(opened, click.echo)
    found = list(faults(opened))
    if found:
        raise FaultyBoardError("\n".join(found))
    click.echo(f"{folder}: {len(opened.submissions())} submissions, all as they were taken")


@board.command(epilog="Example: lvqa board refresh board --repo ORG/RESULTS")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@REPO
@click.option(
    "--revision",
    default="main",
    show_default=True,
    help="refs/pr/N tries the pull request N, in a folder of its own.",
)
def refresh(folder: Path, repo: str, revision: str) -> None:
    """Bring the board in FOLDER, made where there is none, to what its results repository holds.

    Every submission is checked again before it is taken: merged pull requests, and those of others.
    """
    from leaderboard.store.hub import refresh as bring

    found = bring(folder, repo, _say, revision)
    click.echo(
        f"{folder}: at {found.commit[:12]}: {len(found.taken)} submissions taken, "
        f"{len(found.refused)} not taken, {len(found.updated)} files of runs brought"
    )
    if found.refused:
        lines = [f"submissions/{name}: {reason}" for name, reason in found.refused.items()]
        raise LvqaError("\n".join(lines))


@board.command(epilog="Example: lvqa board publish board --repo ORG/RESULTS")
@click.argument("folder", type=FOLDER)
@REPO
@click.option("--private", is_flag=True, help="Make a new repository private.")
def publish(folder: Path, repo: str, private: bool) -> None:
    """Bring a results repository, made where there is none, to what the board in FOLDER holds.

    Submissions are only added; settings, log, the verdicts of the board's judges and detections follow the
    folder. Needs a token that may write there: HF_TOKEN, or `hf auth login`.
    """
    from leaderboard.store.folder import BoardFolder
    from leaderboard.store.hub_send import publish_board

    sent = publish_board(BoardFolder.open(folder), repo, _say, private=private)
    click.echo(f"{repo}: {len(sent)} files sent")

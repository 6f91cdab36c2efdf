"""The command that hands a run in: `lvqa submit`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leaderboard.submissions.about_options import tells_of_the_model
from lvqa_eval.errors import LvqaError

if TYPE_CHECKING:
    from leaderboard.submissions.provisional import Provisional
    from leaderboard.submissions.submit import Prepared, Target
    from lvqa_eval.runs.store import RunStore

FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)


@click.command(
    epilog="Examples: lvqa submit runs/NAME --check; "
    "lvqa submit runs/NAME --repo ORG/RESULTS --open --size 7.2 --link https://huggingface.co/ORG/MODEL"
)
@click.argument("run_folder", metavar="RUN", type=FOLDER)
@click.option(
    "--check", "only_check", is_flag=True, help="Find every problem, print the score, send nothing."
)
@click.option("--board", type=FOLDER, help="A board in a folder of this machine.")
@click.option("--repo", metavar="ORG/NAME", help="The results repository of a board on the Hub.")
@click.option(
    "--dataset",
    help="What to check against without a board: a folder, or ORG/NAME on the Hub; the run's if not given.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Keep the file that is sent, such as NAME.jsonl.gz; problems name its lines.",
)
@click.option(
    "--eval-results",
    "results",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write .eval_results/*.yaml for the model's own repository there, from the board's figures.",
)
@tells_of_the_model
def submit(
    run_folder: Path,
    only_check: bool,
    board: Path | None,
    repo: str | None,
    dataset: str | None,
    out: Path | None,
    results: Path | None,
    **about: Any,
) -> None:
    """Pack RUN into one file, check it as the board does, and hand it in.

    Every problem is listed at once, with the line of the file, the conversation, the field, what was found
    and what is allowed. Scores are the board's own: figures and verdicts of the run have no part in them.
    A folder takes the submission at once; on the Hub it becomes a pull request, with the token of HF_TOKEN or
    of `hf auth login`.
    """
    from leaderboard.submissions.about_options import told_about
    from leaderboard.submissions.submit import hand_in, prepared
    from lvqa_eval.runs.store import RunStore

    if board is not None and repo is not None:
        raise click.UsageError("--board and --repo: one of them")
    if not only_check and board is None and repo is None and out is None and results is None:
        raise click.UsageError("--board FOLDER or --repo ORG/NAME: where to hand it in (or --check)")
    store = RunStore.open(run_folder)
    target = _target(store, board, repo, dataset)
    with prepared(run_folder, told_about(store, **about), target, out) as one:
        _refuse(one, run_folder, kept=out is not None)
        _print_sizes(one)
        assert one.checked.score is not None
        print_score(one.checked.score)
        if results is not None:
            _write_results(one, target, results)
        if not only_check and (board is not None or repo is not None):
            click.echo(hand_in(one, target))


def _target(store: "RunStore", board: Path | None, repo: str | None, dataset: str | None) -> "Target":
    from leaderboard.store.folder import BoardFolder
    from leaderboard.submissions.submit import Target
    from lvqa_eval.runs.questions import benchmark_of

    if board is not None:
        return Target.of_board(BoardFolder.open(board))
    if repo is not None:
        from leaderboard.store.hub import open_published

        return Target.of_board(open_published(repo), repo)
    return Target.of_dataset(dataset or benchmark_of(store.identity.settings))


def _refuse(one: "Prepared", run_folder: Path, *, kept: bool) -> None:
    """Print all problems and raise, if there are any."""
    problems = one.checked.problems
    if not problems:
        return
    for problem in problems:
        click.echo(str(problem))
    where = f"lines of {one.packed.path}" if kept else "lines of the packed file, which --out FILE keeps"
    raise LvqaError(f"{run_folder}: would not be accepted: {len(problems)} problem(s); {where}")


def _print_sizes(one: "Prepared") -> None:
    from lvqa_eval.runs.terminal import Labelled, print_labelled

    packed = one.packed
    held = f"{packed.conversations:,} conversations, {packed.judgements:,} judgements"
    print_labelled(
        [
            Labelled("Submission", packed.id),
            Labelled("Model", packed.about.model),
            Labelled("Holds", held),
            Labelled("Size", f"{packed.packed_bytes:,} bytes, {packed.unpacked_bytes:,} unpacked"),
            Labelled("Problems", "none"),
        ]
    )


def print_score(score: "Provisional") -> None:
    """Print the figures of a provisional score, the one that models are ranked by first."""
    from leaderboard.html.words import Words
    from lvqa_eval.runs.terminal import Column, print_table

    words = Words("en")
    named = [score.ranking] if score.ranking and score.ranking not in score.conditions else []
    rows = [
        [
            name,
            words.percent(score.figures[name].value),
            words.interval(score.figures[name], "share"),
            str(score.figures[name].n),
            words.coverage(score.figures[name].coverage),
        ]
        for name in (*named, *score.conditions)
    ]
    click.echo("\nProvisional score: exact match, % [95 %]\n")
    print_table([Column("Figure"), *(Column(head, "right") for head in ("%", "95 %", "n", "Coverage"))], rows)
    if not score.ranking:
        click.echo("\nnot a full run of this board: it will stand there unranked")
    click.echo(f"\ncoverage {words.coverage(score.coverage)} %")


def _write_results(one: "Prepared", target: "Target", folder: Path) -> None:
    from leaderboard.submissions.eval_results import board_results, write_results

    path = write_results(board_results(one, target), folder)
    click.echo(f"written: {path}")

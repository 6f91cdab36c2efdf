"""The commands that compare: `lvqa compare`, `lvqa sample-size`."""

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from lvqa_eval.errors import LvqaError

if TYPE_CHECKING:
    from lvqa_eval.metrics.scores import Scores

RUN = click.Path(path_type=Path, exists=True, file_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)
SHARE = click.FloatRange(0, 100, min_open=True, max_open=True)
RUNS = 3
STATED = ("accuracy", "discordance", "instability", "icc", "per_scene")


@click.command(epilog="Example: lvqa compare runs/BEFORE runs/AFTER --out comparison --dataset layered-vqa")
@click.argument("run_a", metavar="RUN_A", type=RUN)
@click.argument("run_b", metavar="RUN_B", type=RUN)
@click.option(
    "--judge", "name", help="Whose verdicts; the judge that both would be reported by if not given."
)
@click.option("--out", type=FOLDER, help="Write a page with the flipped questions, CSV and Markdown there.")
@click.option("--dataset", help="Where pictures come from; a folder of the dataset's name here if not given.")
@click.option("--common", is_flag=True, help="Compare the questions that both have, where one has more.")
@click.option("--flips", default=100, show_default=True, type=click.IntRange(0), help="Those on the page.")
@click.option("--draws", default=2000, show_default=True, type=click.IntRange(1), help="Bootstrap draws.")
@click.option("--seed", default=0, show_default=True, help="Seed of the bootstrap.")
def compare(
    run_a: Path, run_b: Path, name: str | None, out: Path | None, dataset: str | None, **options: Any
) -> None:
    """Compare RUN_B with RUN_A: paired differences with intervals, and the questions that flipped.

    Both must be about the same dataset and questions, judged by the same judge. Where the numbers of runs
    differ, the means over the runs of each question are paired.
    """
    from lvqa_eval.reports.compare.comparison import compare_runs
    from lvqa_eval.reports.compare.pictures import Thumbnails
    from lvqa_eval.reports.compare.tables import print_comparison
    from lvqa_eval.reports.compare.write import write_comparison
    from lvqa_eval.runs.store import RunStore

    if dataset is not None and out is None:
        raise click.UsageError("--dataset brings the pictures of a page: it needs --out")
    flips = options.pop("flips")
    found = compare_runs(RunStore.open(run_a), RunStore.open(run_b), name, **options)
    print_comparison(found)
    if out is None:
        return
    words = ["lvqa", "compare", run_a, run_b, "--judge", found.judge, "--out", out, "--flips", flips]
    words += ["--draws", found.draws, "--seed", found.seed]
    words += ["--dataset", dataset] if dataset is not None else []
    words += ["--common"] if options["common"] else []
    thumbnails = Thumbnails(dataset)
    page = write_comparison(found, out, thumbnails, " ".join(quote(str(word)) for word in words), flips)
    click.echo(f"\ncomparison: {page}")
    if thumbnails.missing is not None:
        click.echo(f"no pictures: {thumbnails.missing}; --dataset FOLDER brings them", err=True)


@click.command(
    "sample-size",
    epilog="Examples: lvqa sample-size --difference 3 --discordance 25; lvqa sample-size --from runs/PILOT",
)
@click.option(
    "--difference",
    "differences",
    multiple=True,
    default=(3.0,),
    show_default=True,
    type=SHARE,
    help="Points that are to be seen; may be given several times.",
)
@click.option("--from", "pilot", type=RUN, metavar="RUN", help="A run to measure everything else from.")
@click.option("--judge", "name", help="Whose verdicts of the run; its only judge if not given.")
@click.option("--power", default=80.0, show_default=True, type=SHARE, help="Per cent: how surely.")
@click.option("--alpha", default=5.0, show_default=True, type=SHARE, help="Per cent: the level, two-sided.")
@click.option("--runs", type=click.IntRange(1), help=f"Runs of each question; the pilot's, or {RUNS}.")
@click.option("--accuracy", default=60.0, show_default=True, type=SHARE, help="Per cent, of the worse one.")
@click.option(
    "--discordance",
    type=click.FloatRange(0, 100, min_open=True),
    help="Per cent of questions that one run of each decides differently; if not given, as if the two erred "
    "independently.",
)
@click.option(
    "--instability",
    default=0.0,
    show_default=True,
    type=click.FloatRange(0, 100),
    help="Per cent of questions that two runs of the same one decide differently.",
)
@click.option("--icc", default=0.1, show_default=True, type=click.FloatRange(0, 1), help="Inside a scene.")
@click.option(
    "--per-scene", default=3.2, show_default=True, type=click.FloatRange(1), help="Questions of a scene."
)
def sample_size(
    differences: tuple[float, ...],
    pilot: Path | None,
    name: str | None,
    runs: int | None,
    **options: Any,
) -> None:
    """Say how many questions a paired difference between two models or conditions needs.

    Planned for the interval of `lvqa compare`, which draws scenes together. From figures that you state, or
    from a run, which tells how often its conditions differ, how alike the questions of a scene are, and how
    much its runs vary.
    """
    from lvqa_eval.metrics.power import PowerError
    from lvqa_eval.reports.sample_size import Aim, Stated, print_measured, print_stated

    aim = Aim(
        tuple(sorted(points / 100 for points in set(differences))),
        options["power"] / 100,
        options["alpha"] / 100,
    )
    source = click.get_current_context().get_parameter_source
    given = [one for one in STATED if source(one) is not ParameterSource.DEFAULT]
    if pilot is not None and given:
        told = ", ".join(f"--{one.replace('_', '-')}" for one in given)
        raise click.UsageError(f"--from measures what {told} would state; leave that out")
    if pilot is None and name is not None:
        raise click.UsageError("--judge: whose verdicts of a run; it needs --from")
    try:
        if pilot is not None:
            print_measured(_scores(pilot, name), aim, runs)
            return
        discordance = options["discordance"]
        figures = Stated(
            accuracy=options["accuracy"] / 100,
            discordance=None if discordance is None else discordance / 100,
            instability=options["instability"] / 100,
            icc=options["icc"],
            runs=runs or RUNS,
            per_scene=options["per_scene"],
        )
        print_stated(figures, aim)
    except PowerError as error:
        raise LvqaError(str(error)) from error


def _scores(run_folder: Path, name: str | None) -> "Scores":
    from lvqa_eval.metrics.scores import score_run
    from lvqa_eval.reports.choice import choose_judge
    from lvqa_eval.runs.store import RunStore

    store = RunStore.open(run_folder)
    judge = choose_judge(store, name)
    return score_run(store, store.conversations(), store.judgements(judge))

"""The command that tells wrong answers from right ones: `lvqa detect`."""

from pathlib import Path
from typing import Any

import click

from lvqa_eval.cli import RUN


@click.command(
    epilog="Examples: lvqa detect runs/NAME; "
    "lvqa detect runs/ONE runs/OTHER --judge consensus --condition full --condition sharded-v; "
    "lvqa detect runs/NAME --detector max_prob --detector suq_probe"
)
@click.argument("run_folders", metavar="RUN...", nargs=-1, required=True, type=RUN)
@click.option("--judge", help="Whose verdicts say what is wrong; the judge of a report if not given.")
@click.option(
    "--condition",
    "conditions",
    multiple=True,
    metavar="NAME",
    help="May be given several times; full if not given, default for bear-bench.",
)
@click.option(
    "--detector",
    "names",
    multiple=True,
    metavar="NAME",
    help="May be given several times; every one that is installed if not given. The length of answers is "
    "always measured beside them.",
)
@click.option(
    "--features",
    multiple=True,
    metavar="NAME",
    help="Feature folders of the run, made by lvqa features, to read; all if not given.",
)
@click.option(
    "--transfer",
    is_flag=True,
    help="Also fit the probe on the answers of each RUN and test it on those of every other, where one model "
    "has read them all; of the first condition.",
)
@click.option("--folds", default=5, show_default=True, type=click.IntRange(2))
@click.option("--fold-seed", default=0, show_default=True, help="Seed of the parting into folds.")
@click.option("--draws", default=2000, show_default=True, type=click.IntRange(1), help="Bootstrap draws.")
@click.option("--seed", default=0, show_default=True, help="Seed of the bootstrap.")
def detect(
    run_folders: tuple[Path, ...],
    judge: str | None,
    conditions: tuple[str, ...],
    names: tuple[str, ...],
    features: tuple[str, ...],
    transfer: bool,
    **options: Any,
) -> None:
    """Tell which answers of each RUN are wrong, by scores and probes, and set that against the verdicts.

    Prints a row for each detector and source of signals, and writes detections/CONDITION.json and .csv in the
    run, in place of earlier ones. Folds hold documents (or pictures) together; fits and cuts come from the
    other folds alone.
    """
    from lvqa_eval.benchmarks import find_benchmark
    from lvqa_eval.detectors.detect import Choices, detect_run
    from lvqa_eval.detectors.detector import DETECTORS
    from lvqa_eval.detectors.saved import save_detections, save_scores
    from lvqa_eval.detectors.saved_transfer import save_transfer
    from lvqa_eval.detectors.summary import print_detected, print_transfer
    from lvqa_eval.detectors.transfer import transfer_matrix
    from lvqa_eval.detectors.transfer_runs import transfer_targets
    from lvqa_eval.reports.choice import choose_judge
    from lvqa_eval.runs.questions import benchmark_of
    from lvqa_eval.runs.store import RunStore

    detectors = [DETECTORS.get(name)() for name in dict.fromkeys(names or DETECTORS.names())]
    stores = [RunStore.open(folder) for folder in dict.fromkeys(run_folders)]
    judges = [choose_judge(store, judge) for store in stores]
    first = True
    asked = []
    for store, whose in zip(stores, judges, strict=True):
        usual = find_benchmark(benchmark_of(store.identity.settings)).conditions[0]
        for place, condition in enumerate(dict.fromkeys(conditions or (usual,))):
            found = detect_run(store, whose, condition, detectors, features, Choices(**options))
            if place == 0:
                asked.append(found.answers)
            if not first:
                click.echo()
            first = False
            print_detected(found)
            paths = save_detections(store, found.target), save_scores(store, found)
            click.echo(f"detections: {paths[0]}, {paths[1]}")
    if transfer:
        matrix = transfer_matrix(transfer_targets(stores, asked, features), **options)
        click.echo()
        print_transfer(matrix)
        click.echo(f"transfer: {', '.join(str(path) for path in save_transfer(stores, matrix))}")

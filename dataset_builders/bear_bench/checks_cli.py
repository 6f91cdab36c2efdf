"""The commands that look at a built set: `lvqa build bear quality`, `audit`, `compare`, `composition`."""

from pathlib import Path

import click

from dataset_builders.bear_bench.stage_command import work_folder, workers_that
from dataset_builders.bear_bench.work import Work

RUNS = click.argument(
    "run_folders", metavar="RUN...", nargs=-1, type=click.Path(path_type=Path, exists=True, file_okay=False)
)
JUDGE = click.option("--judge", metavar="NAME", help="Whose verdicts; the judge that a run is reported by.")


@click.command(epilog="Example: lvqa build bear quality work runs/ONE runs/OTHER runs/THIRD")
@work_folder
@RUNS
@JUDGE
@click.option(
    "--least",
    default=3,
    show_default=True,
    type=click.IntRange(2),
    help="Models with the same answer that make a flag.",
)
def quality(work: Work, run_folders: tuple[Path, ...], judge: str | None, least: int) -> None:
    """Flag items on which models agree while the judge calls every answer wrong; a person decides.

    Each RUN is one model's, over the dataset that was built from WORK. What is flagged stands in
    WORK/flags.csv: write keep, correct (with a new_answer) or drop for each, and who decided. `finish`
    follows it, and waits for it.
    """
    from dataset_builders.bear_bench.quality import run

    if len(run_folders) < least:
        raise click.UsageError(
            f"found {len(run_folders)} runs, needed at least {least}, each of another model"
        )
    found = run(work, run_folders, judge, least)
    click.echo(
        f"quality: {found.items:,} items answered by {len(found.models)} models, {len(found.flags)} flagged, "
        f"{found.undecided} to be decided in {found.form}"
    )


@click.group()
def audit() -> None:
    """Let people look at a sample of the finished set: answers, verdicts, questions, pictures."""


@audit.command(
    "form", epilog="Example: lvqa build bear audit form bear-bench runs/ONE runs/OTHER --out audit"
)
@click.argument("dataset")
@RUNS
@JUDGE
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder to write. The same command completes one that is incomplete.",
)
@click.option("--per-cell", default=50, show_default=True, type=click.IntRange(1), help="Pages of a cell.")
@click.option("--seed", default=0, show_default=True, help="The same seed draws the same pages.")
def audit_form(
    dataset: str, run_folders: tuple[Path, ...], out: Path, per_cell: int, seed: int, judge: str | None
) -> None:
    """Draw pages of DATASET and write a form: as a page for a browser, and as CSV.

    With RUNs each page comes with one model's answer and the judge's verdict on it, which is then audited
    too. Neither names the model.
    """
    from dataset_builders.bear_bench.audit.folder import PAGE, make_audit
    from lvqa_eval.runs.terminal import Column, print_table

    drawn = make_audit(dataset, run_folders, out, per_cell, seed, judge)
    rows = [[cell, str(drawn.drawn[cell]), str(wanted)] for cell, wanted in drawn.quotas.items()]
    print_table([Column("Cell"), Column("Drawn", "right"), Column("Wanted", "right")], rows)
    click.echo(f"open {out / PAGE}, fill it and save it as NAME.csv")
    click.echo(f"next: lvqa build bear audit score {out} NAME.csv", err=True)


@audit.command("score", epilog="Example: lvqa build bear audit score audit ann.csv bob.csv --json")
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.argument(
    "forms", metavar="FORM...", nargs=-1, required=True, type=click.Path(path_type=Path, dir_okay=False)
)
@click.option("--json", "as_json", is_flag=True, help="Everything as JSON.")
def audit_score(folder: Path, forms: tuple[Path, ...], as_json: bool) -> None:
    """Say in how many pages of FOLDER people found nothing wrong, by their filled FORMs, one a person."""
    from dataset_builders.bear_bench.audit import score_text
    from dataset_builders.bear_bench.audit.score import score_audit

    found = score_audit(folder, forms)
    if as_json:
        import json

        click.echo(json.dumps(score_text.as_json(found), indent=2, ensure_ascii=False))
    else:
        score_text.print_score(found)


@click.command(
    epilog="Examples: lvqa build bear compare DocVQA=ORG/NAME@validation:image Mine=folder-of-pictures"
)
@click.argument("sets", metavar="NAME=PLACE[#CONFIG][@SPLIT][:COLUMN]...", nargs=-1, required=True)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("ocr-characters.json"),
    show_default=True,
    help="The file to write, beside what it has of other sets.",
)
@click.option("--images", default=200, show_default=True, type=click.IntRange(1), help="Counted of each set.")
@click.option("--seed", default=0, show_default=True, help="Seed of the sample.")
@workers_that("read")
def compare(sets: tuple[str, ...], out: Path, images: int, seed: int, workers: int | None) -> None:
    """Count the OCR characters of a random sample of images of other benchmarks, for Table 1.

    PLACE is a folder of pictures, a Parquet file or a folder of them, what `datasets` loads, or ORG/NAME on
    the Hub; COLUMN is where its images stand, the only one with images if not named.
    """
    from dataset_builders.bear_bench.compare import CompareOptions, run
    from dataset_builders.bear_bench.image_sets import NamedSet

    found = run([NamedSet.parse(one) for one in sets], out, CompareOptions(images, seed, workers))
    for name, one in found.items():
        mean = sum(one.characters) / len(one.characters)
        failed = f", {len(one.failed)} could not be read" if one.failed else ""
        click.echo(
            f"{name}: {mean:.1f} characters an image on average, "
            f"{len(one.characters)} of {one.images:,} images{failed}"
        )
    click.echo(f"written: {out}")


@click.command(epilog="Example: lvqa build bear composition bear-bench --out composition")
@click.argument("dataset")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write the figure and the tables below this folder too.",
)
def composition(dataset: str, out: Path | None) -> None:
    """Print what DATASET is made of: pages by cell, type of document, content and number of steps."""
    from dataset_builders.bear_bench.composition import composition as compose
    from dataset_builders.bear_bench.composition import print_composition, write_composition

    exhibit = compose(dataset)
    print_composition(exhibit)
    if out is not None:
        for path in write_composition(exhibit, out):
            click.echo(f"written: {path}")

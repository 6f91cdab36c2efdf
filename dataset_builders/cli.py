"""The commands that make and check datasets: `lvqa build`, `lvqa validate`."""

from pathlib import Path
from typing import Any

import click

from dataset_builders.source_options import SourceCommand, read_source
from lvqa_eval.errors import LvqaError


@click.group()
def build() -> None:
    """Build a dataset folder."""


@build.command(
    "layered-vqa",
    cls=SourceCommand,
    epilog="Example: lvqa build layered-vqa --source procedural --scenes 24 --seed 1",
)
@click.option("--source", default="procedural", show_default=True, help="Where the scenes come from: procedural, coco, or one that is installed.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("layered-vqa"),
    show_default=True,
    help="The folder to write; an earlier build there is replaced.",
)
@click.option("--version", default="1.0.0", show_default=True, help="Version of the dataset.")
@click.option("--seed", default=0, show_default=True, help="Seed of everything that is drawn.")
@click.option(
    "--shuffle-first-shard/--keep-first-shard",
    default=True,
    show_default=True,
    help="Whether shuffled-concat moves the shard that states the intent.",
)
@click.option(
    "--composite-every-turn",
    is_flag=True,
    help="Send the scene in every turn of sharded-q, recap-q and snowball-q, not in the first alone.",
)
@click.option(
    "--layer-order",
    type=click.Choice(["stack", "reversed"]),
    default="stack",
    show_default=True,
    help="Order of the layers in sharded-v, recap-v and snowball-v.",
)
@click.option("--recap-v-question", is_flag=True, help="State the question again in recap-v's last turn.")
@click.option(
    "--question-turn",
    type=click.Choice(["first", "last"]),
    default="last",
    show_default=True,
    help="Where the question stands in evidence-first.",
)
def build_layered_vqa(source: str, out: Path, version: str, seed: int, **choices: Any) -> None:
    """Build the Layered-VQA folder that load_dataset reads: sixteen conditions and the scenes."""
    from dataset_builders.layered_vqa.build import build as build_folder
    from dataset_builders.layered_vqa.conditions import ConditionOptions

    # What is left of the options after the builder's own belongs to the source.
    of_builder = {
        name: choices.pop(name) for name in ConditionOptions.__dataclass_fields__ if name in choices
    }
    chosen = read_source(source, {"seed": seed, **choices})
    built = build_folder(chosen, out, version, ConditionOptions(seed=seed, **of_builder))
    click.echo(
        f"{built.folder}: {built.scenes} scenes, {built.questions} questions, "
        f"{len(built.conditions)} conditions, version {version}"
    )


@click.command(epilog="Example: lvqa validate layered-vqa")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False, exists=True))
def validate(folder: Path) -> None:
    """Check FOLDER: hashes, fields, invariants, schedules, and that layers make their composite."""
    from dataset_builders.layered_vqa.validate import validate as problems_of

    found = problems_of(folder)
    if found:
        raise LvqaError("\n".join([f"{len(found)} problems" if len(found) > 1 else "1 problem", *found]))
    click.echo(f"{folder}: valid")

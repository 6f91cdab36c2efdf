"""The commands that make, check and compare datasets: `lvqa build`, `validate`, `diff`, `parquet`."""

from pathlib import Path
from typing import Any

import click

from dataset_builders.source_options import SourceCommand, read_source
from lvqa_eval.errors import LvqaError


class _Builds(click.Group):
    """The sets that can be built; the commands of BEAR-Bench are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the sets."""
        return sorted([*super().list_commands(ctx), "bear"])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return one command; None for an unknown name, which click then reports."""
        if cmd_name != "bear":
            return super().get_command(ctx, cmd_name)
        from dataset_builders.bear_bench.cli import bear

        return bear


@click.group(cls=_Builds)
def build() -> None:
    """Build a dataset folder."""


@build.command(
    "layered-vqa",
    cls=SourceCommand,
    epilog="Example: lvqa build layered-vqa --source procedural --scenes 24 --seed 1",
)
@click.option(
    "--source",
    default="procedural",
    show_default=True,
    help="Where the scenes come from: procedural, photos, layered files; see docs/sources.md.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("layered-vqa"),
    show_default=True,
    help="The folder to write; an earlier build of the same version there is replaced.",
)
@click.option("--version", default="1.0.0", show_default=True, help="Version of the dataset, by SemVer.")
@click.option("--replace", is_flag=True, help="Replace a build of another version too.")
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
@click.option(
    "--layer-background",
    type=click.Choice(["checkerboard", "white", "grey", "black"]),
    default="checkerboard",
    show_default=True,
    help="What the layers are best laid over for a model; `lvqa run` follows it.",
)
@click.option(
    "--evaluation-framework",
    "framework",
    help="Also write eval.yaml, which makes the set a benchmark on the Hub; a framework that the Hub knows.",
)
def build_layered_vqa(source: str, out: Path, version: str, seed: int, **choices: Any) -> None:
    """Build the Layered-VQA folder that load_dataset reads: sixteen conditions and the scenes."""
    from dataset_builders.layered_vqa.build import build as build_folder
    from dataset_builders.layered_vqa.conditions import ConditionOptions

    # What is left of the options after the builder's own belongs to the source.
    of_builder = {
        name: choices.pop(name) for name in ConditionOptions.__dataclass_fields__ if name in choices
    }
    of_folder = {name: choices.pop(name) for name in ("layer_background", "framework", "replace")}
    chosen = read_source(source, {"seed": seed, **choices})
    built = build_folder(chosen, out, version, ConditionOptions(seed=seed, **of_builder), **of_folder)
    if built.replaced:
        click.echo(built.replaced, err=True)
    click.echo(
        f"{built.folder}: {built.scenes} scenes, {built.questions} questions, "
        f"{len(built.conditions)} conditions, version {version}"
    )


@click.command(epilog="Example: lvqa validate layered-vqa")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False, exists=True))
def validate(folder: Path) -> None:
    """Check FOLDER, a dataset of any kind: hashes, card, fields, pictures, and what each kind promises."""
    from dataset_builders.validate import validate as problems_of

    found = problems_of(folder)
    if found:
        raise LvqaError("\n".join([f"{len(found)} problems" if len(found) > 1 else "1 problem", *found]))
    click.echo(f"{folder}: valid")


class _CannotCompareError(click.ClickException):
    """Trouble, as `diff` of the shell tells it: 1 already means that something differs."""

    exit_code = 2


@click.command(
    epilog="Examples: lvqa diff old/layered-vqa layered-vqa; lvqa diff ORG/layered-vqa@v1.0.0 layered-vqa"
)
@click.argument("old")
@click.argument("new")
@click.option("--all", "everything", is_flag=True, help="Every detail, not the first ten of each kind.")
@click.pass_context
def diff(ctx: click.Context, old: str, new: str, everything: bool) -> None:
    """List what differs between two datasets, and the version step that follows.

    OLD and NEW are folders, or ORG/NAME or ORG/NAME@REVISION on the Hub. Exits with 0 where they are equal, 1
    where they differ, 2 where one cannot be read.
    """
    from dataset_builders.diff import diff as compare
    from dataset_builders.diff import open_named
    from dataset_builders.diff_text import told

    try:
        found = compare(open_named(old), open_named(new))
    except LvqaError as error:
        raise _CannotCompareError(str(error)) from error
    click.echo(told(found, everything))
    ctx.exit(0 if found.equal else 1)


@click.command(epilog="Example: lvqa parquet layered-vqa layered-vqa-parquet --condition full")
@click.argument("folder")
@click.argument("out", type=click.Path(path_type=Path, file_okay=False))
@click.option("--condition", "conditions", multiple=True, help="Only this one; may be given several times.")
def parquet(folder: str, out: Path, conditions: tuple[str, ...]) -> None:
    """Write the dataset in FOLDER to OUT as Parquet, one file a condition, with the pictures in it.

    Such a file needs nothing beside it, but each holds all pictures: OUT is many times as large as FOLDER.
    """
    from dataset_builders.parquet import write_parquet
    from lvqa_eval.dataset import open_dataset

    for path in write_parquet(open_dataset(folder), out, conditions):
        click.echo(f"{path}: {path.stat().st_size:,} bytes")


@click.command(epilog="Example: lvqa publish layered-vqa ORG/layered-vqa --dry-run")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False, exists=True))
@click.argument("name")
@click.option("--dry-run", is_flag=True, help="Check and plan; send nothing.")
@click.option("--private", is_flag=True, help="Make a new repository private.")
@click.option(
    "--revision", default="main", show_default=True, help="The branch to send to; made where it is missing."
)
@click.option("--create-pr", is_flag=True, help="Send everything to one pull request instead; no tag.")
@click.option("--tag/--no-tag", default=True, show_default=True, help="Whether to tag the commit vX.Y.Z.")
@click.option(
    "--files-per-commit",
    type=click.IntRange(1),
    default=200,
    show_default=True,
    help="Most files of a commit.",
)
@click.option(
    "--megabytes-per-commit",
    type=click.IntRange(1),
    default=50,
    show_default=True,
    help="Most bytes of a commit.",
)
@click.option(
    "--annotation-licence",
    default="CC-BY-4.0",
    show_default=True,
    help="Licence of questions and annotations, as SPDX names it.",
)
@click.option("--allow-unknown-licence", is_flag=True, help="Publish pictures whose terms are not known.")
def publish(
    folder: Path, name: str, files_per_commit: int, megabytes_per_commit: int, **choices: Any
) -> None:
    """Make the dataset NAME (ORG/NAME) on the Hub hold exactly FOLDER, under the tag of its version.

    The folder and its card are checked first, and the plan is shown. A published version never changes: new
    content needs a new version. After a break the same command sends what is missing. The token is that of
    HF_TOKEN or `hf auth login`.
    """
    from dataset_builders.publishing.plan import BatchSize
    from dataset_builders.publishing.upload import Choices
    from dataset_builders.publishing.upload import publish as publish_folder

    if choices["create_pr"] and choices["revision"] != "main":
        raise click.UsageError("--create-pr starts at main; give it without --revision")
    batch = BatchSize(files_per_commit, megabytes_per_commit)
    done = publish_folder(folder, name, Choices(batch=batch, **choices), click.echo, _warn)
    if done is None:
        click.echo("nothing was sent")
        return
    where = done.tag or done.revision
    click.echo(f"{done.repo_id}: version {done.version} is at {where}, commit {done.commit}")


def _warn(line: str) -> None:
    click.echo(line, err=True)

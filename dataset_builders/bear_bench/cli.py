"""The commands that build BEAR-Bench: `lvqa build bear`, one command a stage.

A command takes its options, calls the `run` of its stage and prints the count that comes back:

    @bear.command(epilog="Example: lvqa build bear render work --dpi 144")
    @work_folder
    @click.option("--dpi", default=144, show_default=True)
    def render(work: Work, dpi: int) -> None:
        '''Draw every page.'''
        from dataset_builders.bear_bench.render import run

        show(run(work, dpi=dpi))
"""

from pathlib import Path
from typing import Any

import click

from dataset_builders.bear_bench.checks_cli import audit, compare, composition, quality
from dataset_builders.bear_bench.classify.cli import classify
from dataset_builders.bear_bench.stage_command import ocr_dpi, show, work_folder, workers_that
from dataset_builders.bear_bench.work import STAGES, Work


class _Stages(click.Group):
    """A group that lists its stages in their order, and then what else there is."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the stages, and the others as they were added."""
        stages = [stage for stage in STAGES if stage in self.commands]
        return [*stages, *(name for name in self.commands if name not in stages)]


@click.group(cls=_Stages)
def bear() -> None:
    """Build BEAR-Bench: from documents to pages with questions, one stage after the other.

    Every stage reads what those before it wrote in the folder WORK, and can be stopped and started again.
    """


for _command in (classify, quality, audit, compare, composition):
    bear.add_command(_command)


class _Sources(click.Group):
    """One command for each source of documents, with the fields of that source as its options."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the sources."""
        from dataset_builders.bear_bench.collect.source import DOCUMENT_SOURCES

        return DOCUMENT_SOURCES.names()

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of one source; None for an unknown name, which click then reports."""
        from dataset_builders.bear_bench.collect.source import DOCUMENT_SOURCES
        from dataset_builders.source_options import options_of, with_options

        if cmd_name not in DOCUMENT_SOURCES.names():
            return None
        kind = DOCUMENT_SOURCES.get(cmd_name)
        example = f"Example: lvqa build bear collect {cmd_name} work {kind.example}"

        @click.command(cmd_name, help=kind.__doc__, epilog=example)
        @work_folder
        def collect_source(work: Work, **options: Any) -> None:
            from dataset_builders.bear_bench.collect.run import run

            show(run(work, with_options(kind, options, f"collect {cmd_name}")))

        collect_source.params += options_of(kind)
        return collect_source


@bear.group(
    cls=_Sources,
    subcommand_metavar="SOURCE WORK [OPTIONS]",
    epilog='Example: lvqa build bear collect folder work --path pdfs --domain business --type "order"',
)
def collect() -> None:
    """Collect documents from a source, beside those that WORK has already; see docs/collecting.md."""


@bear.command(epilog="Example: lvqa build bear render work --dpi 150 --workers 4")
@work_folder
@click.option(
    "--dpi", type=click.IntRange(20, 1200), default=150, show_default=True, help="Pixels an inch of paper."
)
@workers_that("draw")
@click.option(
    "--max-megapixels",
    type=click.FloatRange(0, min_open=True),
    default=50.0,
    show_default=True,
    help="Larger pages are left out.",
)
def render(work: Work, dpi: int, workers: int | None, max_megapixels: float) -> None:
    """Draw every page of the licensed documents as a PNG."""
    from dataset_builders.bear_bench.render import run

    show(run(work, dpi, workers, round(max_megapixels * 1e6)))


@bear.command(epilog="Example: lvqa build bear density work --percentile 67")
@work_folder
@click.option(
    "--percentile",
    type=click.FloatRange(0, 100),
    default=67.0,
    show_default=True,
    help="Of the characters of a page, among the pages of its language, from which it is kept.",
)
@workers_that("read")
@ocr_dpi("Resolution for OCR, where the text layer of a page cannot be trusted.")
def density(work: Work, percentile: float, workers: int | None, ocr_dpi: int) -> None:
    """Read the classified pages, by OCR where needed, and keep those of each language with the most text."""
    from dataset_builders.bear_bench.density import run

    show(run(work, percentile, workers, ocr_dpi))


@bear.command(epilog="Example: lvqa build bear licence work --sidecar licences.csv")
@work_folder
@click.option(
    "--sidecar",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="A table of what people decided (file, licence, evidence, decided_by); WORK/licences.csv if there.",
)
@workers_that("read")
@ocr_dpi("Resolution for OCR; the density stage takes up what was read at the same.")
def licence(work: Work, sidecar: Path | None, workers: int | None, ocr_dpi: int) -> None:
    """Find the evidence that a document may be used: in its first and last pages, its source, or a table."""
    from dataset_builders.bear_bench.licence import run

    show(run(work, sidecar, workers, ocr_dpi))


@bear.command(epilog="Example: lvqa build bear sample work --per-language 1500")
@work_folder
@click.option(
    "--per-language",
    type=click.IntRange(1),
    default=1500,
    show_default=True,
    help="Most pages of a language.",
)
@click.option("--seed", default=42, show_default=True, help="Seed of the lot.")
def sample(work: Work, per_language: int, seed: int) -> None:
    """Draw the pages that get a question, by domain and content in each language."""
    from dataset_builders.bear_bench.sample import run

    show(run(work, per_language, seed))


@bear.command(epilog="Example: lvqa build bear finish work --out bear-bench --version 1.0.0")
@work_folder
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("bear-bench"),
    show_default=True,
    help="The folder to write; an earlier build of the same version there is replaced.",
)
@click.option("--version", default="1.0.0", show_default=True, help="Version of the dataset, by SemVer.")
@click.option("--replace", is_flag=True, help="Replace a build of another version too.")
def finish(work: Work, out: Path, version: str, replace: bool) -> None:
    """Write the dataset folder that load_dataset reads: pages with their questions, a file for each cell."""
    from dataset_builders.bear_bench.finish import run

    finished = run(work, out, version, replace)
    if finished.replaced:
        click.echo(finished.replaced, err=True)
    show(finished.count)
    click.echo(f"{finished.folder}: {finished.count.kept} pages, version {version}")


@bear.command(epilog="Example: lvqa build bear procedural work --pages 200 --seed 0")
@work_folder
@click.option("--pages", type=click.IntRange(1), default=200, show_default=True, help="Number of pages.")
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of all that is drawn."
)
@click.option(
    "--width",
    type=click.IntRange(160, 4960),
    default=1240,
    show_default=True,
    help="Width of an upright page in pixels; 1240 is 150 dots to the inch.",
)
@click.option(
    "--simple", is_flag=True, help="Large letters, short tables, and no text beside the question's."
)
@workers_that("draw")
def procedural(work: Work, workers: int | None, **choices: Any) -> None:
    """Typeset invented reports and papers with questions that are true by construction; finish comes next."""
    from dataset_builders.bear_bench.procedural import PageOptions, run

    show(run(work, PageOptions(**choices), workers))


_AFTER_COLLECTING = ("licence", "render", "classify", "density", "sample")


class _EveryStage(click.Command):
    """A command with the options of all stages, each once; one that is not given is left to its stage."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return WORK, the options of the stages in their order, and --help."""
        params = super().get_params(ctx)
        taken = {param.name for param in params}
        for stage in (*_AFTER_COLLECTING, "finish"):
            for param in bear.commands[stage].params:
                if param.name not in taken:
                    taken.add(param.name)
                    params.insert(-1, param)
        return params


@bear.command(
    "all", cls=_EveryStage, epilog="Example: lvqa build bear all work --classifier classifier.json --dpi 150"
)
@work_folder
@click.pass_context
def every_stage(ctx: click.Context, /, work: Work, **options: Any) -> None:
    """Take what was collected through every stage, as far as it goes without people.

    The dataset is written where WORK has questions (items.jsonl). An option that several stages have is given
    to each.
    """
    given = {
        name: value
        for name, value in options.items()
        if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
    }
    stages = [*_AFTER_COLLECTING, *(["finish"] if work.has("items") else [])]
    for stage in stages:
        command = bear.commands[stage]
        known = {param.name for param in command.params}
        ctx.invoke(command, work=work, **{name: value for name, value in given.items() if name in known})
    if "finish" not in stages:
        folder = work.folder
        click.echo(f"{folder}: next: lvqa annotate bear {folder}; then: lvqa build bear finish {folder}")

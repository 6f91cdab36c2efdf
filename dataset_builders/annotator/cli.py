"""The commands of annotation: `lvqa annotate`; see docs/annotation.md."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from dataset_builders.source_options import SourceCommand, read_source

if TYPE_CHECKING:
    from dataset_builders.annotator.agreement import Agreed
    from dataset_builders.annotator.export import Exported
    from dataset_builders.annotator.store import Store

Command = TypeVar("Command", bound=Callable[..., Any])

_SHOWN = 10
"""Names of a list of what was left out."""


class _Annotations(click.Group):
    """The commands of annotation; that of models is imported when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands in the order of work."""
        return ["layered-vqa", "bear", "errors", "draft", "agreement", "export"]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return one command; None for an unknown name, which click then reports."""
        if cmd_name != "draft":
            return super().get_command(ctx, cmd_name)
        from dataset_builders.annotator.draft_cli import draft

        return draft


@click.group(
    cls=_Annotations,
    epilog="Example: lvqa annotate layered-vqa work --source png-layers --root scenes; "
    "lvqa annotate export work --out questions.yaml",
)
def annotate() -> None:
    """Write and check questions in an app on this machine: one writes, another checks blind, both settle.

    Everything is kept in the folder WORK, from which any of these commands goes on.
    """


def _served(command: Command) -> Command:
    """Give a command the options of the app."""
    options = [
        click.option(
            "--adjudicate-by",
            type=click.Choice(["anyone", "third"]),
            help="Who decides where two differ: anyone (as at first), or only who was neither; kept in WORK.",
        ),
        click.option("--prepare", is_flag=True, help="Fill WORK and end, without the app."),
        click.option(
            "--port",
            default=0,
            show_default=True,
            type=click.IntRange(0, 65535),
            help="That of the last time, or a free one, where it is 0.",
        ),
        click.option(
            "--host", default="127.0.0.1", show_default=True, help="0.0.0.0 lets other machines in."
        ),
        click.option(
            "--name",
            "names",
            multiple=True,
            help="Another name by which the app may be reached, such as that of this machine.",
        ),
        click.option(
            "--open/--no-open", "show", default=True, show_default=True, help="Open the app in a browser."
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


_WORK = click.argument("work", metavar="WORK", type=click.Path(path_type=Path, file_okay=False))


@annotate.command(
    "layered-vqa",
    cls=SourceCommand,
    epilog="Example: lvqa annotate layered-vqa work --source png-layers --root scenes",
)
@_WORK
@click.option(
    "--source",
    default="png-layers",
    help="Where the scenes come from, the first time, and to add to them: one of `lvqa build layered-vqa`.",
)
@click.option(
    "--ask",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="Questions to annotate: a CSV with id, scene, category, question, answer, maybe answer_description.",
)
@click.option("--language", type=click.Choice(["en", "ru"]), help="Language of the questions; kept in WORK.")
@_served
@click.pass_context
def layered_vqa(
    ctx: click.Context, /, work: Path, source: str, ask: Path | None, language: str | None, **choices: Any
) -> None:
    """Write and check questions about scenes.

    The scenes of --source are drawn into WORK once. With --questions, the questions of that file are taken
    over too, each as finished by its author and to be checked; those of --ask have no evidence yet, and wait
    for an author or for `lvqa annotate draft`.
    """
    from dataset_builders.annotator.asked import add_asked
    from dataset_builders.annotator.scenes import draw
    from dataset_builders.annotator.store import Store

    serving = _serving(choices)
    if ctx.get_parameter_source("source") is ParameterSource.COMMANDLINE:
        chosen = read_source(source, choices)
        store = Store.create(work, "scenes")
        store.set_fact("source", {"name": source, **chosen.recorded_options()})
        drawn = draw(store, chosen)
        click.echo(f"{work}: {drawn.scenes} scenes; {drawn.questions} questions taken over", err=True)
    else:
        store = Store.open(work, "scenes")
    if ask is not None:
        click.echo(f"{ask}: {add_asked(store, ask)} questions to annotate", err=True)
    if language is not None:
        store.set_fact("language", language)
    _serve(store, serving)


@annotate.command(epilog="Example: lvqa annotate bear work")
@_WORK
@click.option(
    "--questions",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="Questions that are there already (JSON lines as of items.jsonl), to be checked.",
)
@_served
def bear(work: Path, questions: Path | None, **choices: Any) -> None:
    """Write and check questions about the pages that `lvqa build bear sample` has drawn in WORK."""
    from dataset_builders.annotator.pages import add_pages
    from dataset_builders.annotator.store import Store
    from dataset_builders.bear_bench.work import Work

    store = Store.create(work, "pages")
    added = add_pages(store, Work(work), questions)
    click.echo(f"{work}: {added.pages} pages; {added.questions} questions taken over", err=True)
    _serve(store, _serving(choices))


@annotate.command(epilog="Example: lvqa annotate errors work runs/MODEL --judge referee")
@_WORK
@click.argument("run", required=False, type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--judge", help="Whose rulings say which answers are wrong; needed with RUN.")
@click.option("--dataset", help="A folder, or ORG/NAME on the Hub; what the run names if not given.")
@_served
def errors(work: Path, run: Path | None, judge: str | None, dataset: str | None, **choices: Any) -> None:
    """Tag the wrong answers of RUN, a run over BEAR-Bench, with the types of their errors.

    RUN is needed the first time, and again where it has new answers.
    """
    from dataset_builders.annotator.errors import add_wrong_answers, open_run
    from dataset_builders.annotator.store import Store

    serving = _serving(choices)
    if run is None:
        store = Store.open(work, "errors")
    else:
        if judge is None:
            raise click.UsageError("--judge: needed with RUN")
        opened = open_run(run)
        store = Store.create(work, "errors", {"run": str(run.resolve())})
        found = add_wrong_answers(store, opened, judge, dataset)
        click.echo(f"{work}: {found} wrong answers by judge {judge}", err=True)
    _serve(store, serving)


@annotate.command(epilog="Example: lvqa annotate agreement work --json")
@_WORK
@click.option("--json", "as_json", is_flag=True, help="Everything as JSON.")
def agreement(work: Path, as_json: bool) -> None:
    """Print how far authors and checkers agree, as both left it before anybody decided between them."""
    from dataset_builders.annotator.agreement import measure
    from dataset_builders.annotator.agreement_text import as_data, show
    from dataset_builders.annotator.store import Store

    found: Agreed = measure(Store.open(work))
    if as_json:
        import json

        click.echo(json.dumps(as_data(found), indent=2, ensure_ascii=False))
    else:
        show(found)


@annotate.command(epilog="Example: lvqa annotate export work --out questions.yaml")
@_WORK
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The file to write: a question file (questions.yaml by default) for scenes; for errors, by default, "
    "error-tags.jsonl of the run. Questions about pages go to items.jsonl of WORK.",
)
@click.option("--replace", is_flag=True, help="Replace an items.jsonl of WORK that came from elsewhere.")
def export(work: Path, out: Path | None, replace: bool) -> None:
    """Write what is settled for the next command, and tell what is not."""
    from dataset_builders.annotator.export import export_items, export_questions
    from dataset_builders.annotator.store import Store

    store = Store.open(work)
    if store.mode == "pages":
        if out is not None:
            raise click.UsageError(f"--out: questions about pages go to {work / 'items.jsonl'}; leave it out")
        exported = export_items(store, replace)
    elif store.mode == "scenes":
        exported = export_questions(store, out or Path("questions.yaml"))
    else:
        exported = _export_errors(store, out)
    _tell(exported)


def _export_errors(store: "Store", out: Path | None) -> "Exported":
    from dataset_builders.annotator.export import export_tags
    from lvqa_eval.reports.bear.tags import ERROR_TAGS

    run = Path(store.fact("run"))
    if out is None and not run.is_dir():
        raise click.UsageError(f"--out: needed, since the run is no longer at {run}")
    return export_tags(store, out or run / ERROR_TAGS)


def _tell(exported: "Exported") -> None:
    for stage, names in exported.left_out.items():
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        click.echo(f"left out at {stage}: {len(names)}: {', '.join(names[:_SHOWN])}{more}", err=True)
    click.echo(f"{', '.join(map(str, exported.paths))}: {exported.kept} settled items")


def _serving(choices: dict[str, Any]) -> dict[str, Any]:
    """Take the options of the app out of `choices`."""
    return {name: choices.pop(name) for name in ("adjudicate_by", "prepare", "port", "host", "names", "show")}


def _serve(store: "Store", serving: dict[str, Any]) -> None:
    if (adjudicators := serving.pop("adjudicate_by")) is not None:
        store.set_fact("adjudicators", adjudicators)
    if serving.pop("prepare"):
        return
    from dataset_builders.annotator.server import serve

    serve(store, lambda url: click.echo(f"{url} (Ctrl-C ends it)"), **serving)

"""The commands that look after runs: `lvqa runs list`, `show`, `verify`, `repair`, and `lvqa export`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from lvqa_eval.errors import LvqaError

if TYPE_CHECKING:
    from lvqa_eval.runs.records import ConversationRecord
    from lvqa_eval.runs.store import RunStore

RUN = click.Path(path_type=Path, exists=True, file_okay=False)
SHOWN = 10
"""Problems of one file that are printed unless all are asked for."""


@click.group(epilog="Example: lvqa runs show runs/NAME")
def runs() -> None:
    """List, show, check and mend runs."""


@runs.command("list", epilog="Example: lvqa runs list runs --json")
@click.argument("folder", default=Path("runs"), type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="A JSON list with everything, for programs.")
def list_command(folder: Path, as_json: bool) -> None:
    """List the runs in FOLDER (runs/ if not given): what they are and how far they came."""
    from lvqa_eval.runs.overview import list_runs, overview_rows
    from lvqa_eval.runs.terminal import print_table

    found = list_runs(folder)
    if as_json:
        import json

        click.echo(json.dumps([run.as_json() for run in found], ensure_ascii=False, indent=2))
        return
    print_table(*overview_rows(found))
    for run in found:
        if run.fault:
            click.echo(f"{run.name}: {run.fault}")


@runs.command(
    epilog="Examples: lvqa runs show runs/NAME; lvqa runs show runs/NAME sharded-v q-0003 2 --thinking"
)
@click.argument("run_folder", metavar="RUN", type=RUN)
@click.argument("condition", required=False)
@click.argument("question", required=False)
@click.argument("number", metavar="[N]", default=1, type=click.IntRange(1))
@click.option("--thinking", is_flag=True, help="Show thinking whole.")
@click.option(
    "--save-images",
    "images",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Write the pictures of the conversation there, exactly as they were sent.",
)
@click.option("--dataset", help="Where the pictures come from; what the run names if not given.")
def show(
    run_folder: Path,
    condition: str | None,
    question: str | None,
    number: int,
    thinking: bool,
    images: Path | None,
    dataset: str | None,
) -> None:
    """Show RUN in figures, or one conversation: that of CONDITION and QUESTION, the N-th (first) of them."""
    from lvqa_eval.runs.store import RunStore

    store = RunStore.open(run_folder)
    if condition is None:
        if images is not None:
            raise LvqaError("--save-images: name a CONDITION and a QUESTION too")
        _show_run(store)
        return
    if question is None:
        raise LvqaError(f"QUESTION: missing; allowed: {_some(list(store.questions()))}")
    conversation = _conversation(store, condition, question, number)
    _show_conversation(store, conversation, thinking)
    if images is not None:
        from lvqa_eval.runs.sent_pictures import save_pictures

        paths = save_pictures(store, conversation, images, dataset)
        click.echo(f"{images}: {len(paths)} pictures", err=True)


@runs.command(epilog="Example: lvqa runs verify runs/NAME --complete")
@click.argument("run_folder", metavar="RUN", type=RUN)
@click.option("--complete", is_flag=True, help="Conversations that are still to be held are problems too.")
@click.option("--all", "everything", is_flag=True, help=f"Every problem, not the first {SHOWN} of each file.")
@click.pass_context
def verify(ctx: click.Context, run_folder: Path, complete: bool, everything: bool) -> None:
    """Check every file of RUN and name every problem; exits with 1 where there is one."""
    from lvqa_eval.runs.verify import verify as check

    found = check(run_folder)
    missing = found.missing()
    problems = [*found.problems, *([f"{run_folder}: {line}" for line in missing] if complete else [])]
    for line in problems if everything else _first_of_each_file(problems):
        click.echo(line)
    for note in found.notes:
        click.echo(f"note: {note}")
    if not complete:
        for line in missing:
            click.echo(f"note: {line}; the command that began the run holds the others")
    told = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
    held = (
        ""
        if found.plan is None
        else f"; {found.coverage.total()} of {found.plan.size} conversations are final"
    )
    click.echo(f"{run_folder}: {told if problems else 'no problems'}{held}")
    ctx.exit(1 if problems else 0)


@runs.command(epilog="Example: lvqa runs repair runs/NAME --dry-run")
@click.argument("run_folder", metavar="RUN", type=RUN)
@click.option("--dry-run", is_flag=True, help="Say what would be done, and do nothing.")
def repair(run_folder: Path, dry_run: bool) -> None:
    """Mend the files of RUN without loss: whatever leaves a file is kept beside it.

    A torn end is cut off, joined lines are split, damaged ones and repeats are taken out. Of several records
    of one conversation a final one stands before any other, and the last one before its equals.
    """
    from lvqa_eval.runs.repair import inspect
    from lvqa_eval.runs.repair import repair as mend

    mendings = inspect(run_folder) if dry_run else mend(run_folder)
    for mending in mendings:
        for line in mending.told():
            click.echo(line)
    count = sum(mending.needed for mending in mendings)
    files = "1 file" if count == 1 else f"{count} files"
    done = f"{files} to mend" if dry_run else f"{files} mended"
    click.echo(f"{run_folder}: {done if count else 'nothing to mend'}")


@click.command(epilog="Example: lvqa export runs/ONE runs/OTHER --out results")
@click.argument("run_folders", metavar="RUN...", nargs=-1, required=True, type=RUN)
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder to write; an earlier export there is replaced.",
)
@click.option("--allow-mixed", is_flag=True, help="Export runs over different datasets together.")
def export(run_folders: tuple[Path, ...], out: Path, allow_mixed: bool) -> None:
    """Write each RUN as typed Parquet: a folder that load_dataset reads and the Hub takes as it is."""
    from lvqa_eval.runs.export import export_runs

    written = export_runs(run_folders, out, allow_mixed)
    told = ", ".join(f"{count:,} {config}" for config, count in written.items())
    click.echo(f"{out}: {told}")


def _show_run(store: "RunStore") -> None:
    from lvqa_eval.runs.summary import condition_rows, count_conditions, facts, judge_rows, plan_of
    from lvqa_eval.runs.terminal import Labelled, print_labelled, print_table

    plan = plan_of(store)
    reading = store.read_conversations()
    print_labelled([Labelled(*pair) for pair in facts(store)])
    click.echo()
    print_table(*condition_rows(count_conditions(plan, reading.records.values()), plan.of_condition))
    judgements = {judge: store.read_judgement_statuses(judge).records.values() for judge in store.judges()}
    if judgements:
        click.echo()
        print_table(
            *judge_rows({judge: [one.status for one in found] for judge, found in judgements.items()})
        )


def _conversation(store: "RunStore", condition: str, question: str, number: int) -> "ConversationRecord":
    from lvqa_eval.runs.records import Key

    conversations = store.conversations()
    if (found := conversations.get(Key(condition, question, number))) is not None:
        return found
    conditions = list(dict.fromkeys(key.condition for key in conversations))
    if condition not in conditions:
        raise LvqaError(f"CONDITION: found {condition!r}, held: {_some(conditions)}")
    questions = [key.question_id for key in conversations if key.condition == condition]
    if question not in questions:
        raise LvqaError(f"QUESTION: found {question!r}, held under {condition}: {_some(questions)}")
    numbers = [str(key.run) for key in conversations if key[:2] == (condition, question)]
    raise LvqaError(f"N: found {number}, held: {_some(numbers)}")


def _show_conversation(store: "RunStore", conversation: "ConversationRecord", thinking: bool) -> None:
    from lvqa_eval.benchmarks import find_benchmark
    from lvqa_eval.runs.pictures import read_pictures
    from lvqa_eval.runs.questions import benchmark_of
    from lvqa_eval.runs.terminal import print_labelled
    from lvqa_eval.runs.transcript import Labels, transcript

    question = store.questions().get(conversation.question_id)
    if question is None:
        raise LvqaError(f"{store.folder}: question {conversation.question_id!r} is not in questions.jsonl")
    judged = {judge: store.judgements(judge).get(conversation.key) for judge in store.judges()}
    benchmark = find_benchmark(benchmark_of(store.identity.settings))
    labels = Labels.of(benchmark)
    if labels.changed(store.identity.settings.get("prompts")):
        click.echo("note: the run's labels of pictures had other words than this version's", err=True)
    judgements = {judge: one for judge, one in judged.items() if one is not None}
    pictures = read_pictures(store.folder)
    factor = benchmark.factor(conversation.condition)
    print_labelled(transcript(question, conversation, judgements, pictures, labels, thinking, factor))


def _some(names: list[str]) -> str:
    names = list(dict.fromkeys(names))
    return ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")


def _first_of_each_file(problems: list[str]) -> list[str]:
    by_file: dict[str, list[str]] = {}
    for problem in problems:
        by_file.setdefault(problem.partition(": ")[0], []).append(problem)
    lines = []
    for path, found in by_file.items():
        lines += found[:SHOWN]
        if len(found) > SHOWN:
            lines.append(f"{path}: {len(found) - SHOWN} more; --all shows them")
    return lines

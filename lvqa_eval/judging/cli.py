"""The commands that let judges rule: `lvqa judge`, `lvqa panel`, `lvqa fidelity`."""

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lvqa_eval.cli import RUN
from lvqa_eval.errors import LvqaError
from lvqa_eval.judging.model_options import asks_a_model, judge_options

if TYPE_CHECKING:
    from lvqa_eval.distributed.cluster import Cluster
    from lvqa_eval.judging.options import JudgeOptions

BOTH = ("final-turn", "post-hoc")


@click.command(
    epilog="Examples: lvqa judge runs/NAME --judge exact-match; "
    "lvqa judge runs/ONE runs/OTHER --judge Qwen/Qwen3-32B --judge org/judge@http://host:8000/v1 "
    "--protocol both"
)
@click.argument("run_folders", metavar="RUN...", nargs=-1, required=True, type=RUN)
@click.option(
    "--judge",
    "names",
    multiple=True,
    default=("exact-match",),
    show_default=True,
    metavar="JUDGE",
    help="A known judge; NAME@URL, a model and its running server (several URLs of one NAME share the work); "
    "or a model, ORG/NAME or a folder, for which `vllm serve` is started. May be given several times: one "
    "after another, they go over all runs.",
)
@click.option(
    "--protocol",
    type=click.Choice(["final-turn", "post-hoc", "both", "xml"]),
    help="What a model rules on: the last turn, every turn by itself, or the last reply as on a page "
    "(its verdict in XML). If not given, final-turn, and xml for runs of bear-bench.",
)
@click.option("--retest", is_flag=True, help="Judge a second time, as NAME.retest and with other seeds.")
@click.option("--temperature", default=0.0, show_default=True, type=click.FloatRange(0))
@click.option("--max-tokens", default=2048, show_default=True, type=click.IntRange(1), help="Of one verdict.")
@click.option(
    "--structured/--no-structured",
    default=True,
    show_default=True,
    help="Whether the server is asked to hold verdicts to a JSON schema.",
)
@click.option(
    "--ray",
    metavar="ADDRESS",
    help="Spread the work over a Ray cluster: auto or HOST:PORT, or local to start one here.",
)
@click.option(
    "--workers",
    type=click.IntRange(1),
    help="Workers on the cluster, each with a server of its own; as many as fit if not given.",
)
@asks_a_model
def judge(run_folders: tuple[Path, ...], names: tuple[str, ...], ray: str | None, **options: Any) -> None:
    """Judge every conversation of each RUN that a judge has not judged yet.

    One judge after another goes over all runs, question by question. The same command again finishes what is
    missing. A key for running servers is read from LVQA_API_KEY or OPENAI_API_KEY.
    """
    from lvqa_eval.judging.all_judges import Sat, judge_runs, sittings

    folders = list({folder.resolve(): folder for folder in run_folders}.values())
    protocol = options.pop("protocol") or _own_protocol(folders)
    chosen = judge_options(protocols=BOTH if protocol == "both" else (protocol,), **options)
    if chosen.workers is not None and ray is None:
        raise click.UsageError("--workers needs --ray; on one machine, --servers starts several")
    if chosen.servers > 1 and ray is not None:
        raise click.UsageError("--ray starts one server for each of its --workers; --servers is not for it")
    results: list[Sat] = []
    errors: list[str] = []
    try:
        with _cluster(ray, names, chosen) as cluster:
            judges = sittings(names, chosen, cluster)
            for one in judge_runs(folders, judges, chosen, lambda line: click.echo(line, err=True)):
                if isinstance(one, LvqaError):
                    errors.append(str(one))
                else:
                    results.append(one)
                    click.echo(str(one))
    except KeyboardInterrupt:
        raise LvqaError("interrupted: the same command goes on") from None
    failed, left = sum(one.failed for one in results), sum(one.left for one in results)
    if failed:
        errors.append(f"{failed} judgements failed in serving: the same command tries them again")
    if left:
        over = "" if errors else f": --max-cost {chosen.max_cost:g} is spent"
        errors.append(f"{left} judgements are left{over}")
    if errors:
        raise LvqaError("\n".join(errors))


def _cluster(
    ray: str | None, names: tuple[str, ...], chosen: "JudgeOptions"
) -> "AbstractContextManager[Cluster | None]":
    """Join the Ray cluster that is named, if any."""
    if ray is None:
        return nullcontext()
    from lvqa_eval.distributed import cluster

    return cluster.joined(ray, cpus=max(len(names), chosen.workers or 1))


def _own_protocol(folders: list[Path]) -> str:
    """Return how judges are asked about the benchmark of the runs, which must be one."""
    from lvqa_eval.benchmarks import find_benchmark
    from lvqa_eval.runs.questions import benchmark_of
    from lvqa_eval.runs.store import RunStore

    names = {benchmark_of(RunStore.open(one).identity.settings) for one in folders}
    protocols = sorted({find_benchmark(name).protocol for name in names})
    if len(protocols) > 1:
        raise click.UsageError(
            f"--protocol: needed, since the runs are of {' and '.join(sorted(names))}; "
            f"their own are {' and '.join(protocols)}"
        )
    return protocols[0]


@click.command(epilog="Example: lvqa panel runs/ONE runs/OTHER --out panel")
@click.argument("run_folders", metavar="RUN...", nargs=-1, required=True, type=RUN)
@click.option(
    "--judges",
    "named",
    help="The judges on the final turn with commas between, by model or as `lvqa runs show` names them; all "
    "models that have judged every RUN if not given.",
)
@click.option(
    "--panel",
    "size",
    type=click.IntRange(2),
    help="Judges of the panel, of which more than half must have a verdict; those there are if not given.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write panel.md and a CSV file for each table to this folder.",
)
@click.option("--draws", default=2000, show_default=True, type=click.IntRange(1), help="Bootstrap draws.")
@click.option("--seed", default=0, show_default=True, help="Seed of the bootstrap.")
def panel(
    run_folders: tuple[Path, ...],
    named: str | None,
    size: int | None,
    out: Path | None,
    draws: int,
    seed: int,
) -> None:
    """Form the consensus of the judges of each RUN, keep it, and compare judges and assistants.

    The consensus becomes the judge `consensus` of each RUN, for `lvqa report --judge consensus`; that of
    several post-hoc judges becomes `consensus.post-hoc`. The same command again brings both up to date.
    """
    from textwrap import fill

    from lvqa_eval.judging.panel_report import make_panel
    from lvqa_eval.reports.table import cells
    from lvqa_eval.runs.terminal import Column, Labelled, print_labelled, print_table

    folders = list({folder.resolve(): folder for folder in run_folders}.values())
    wanted = None if named is None else [name.strip() for name in named.split(",") if name.strip()]
    report = make_panel(folders, wanted, size, draws, seed)
    print_labelled([Labelled(*line) for line in (*report.header, *(("Note", note) for note in report.notes))])
    for table in report.tables:
        click.echo(f"\n{table.title}\n")
        heads = [Column(head.title, "left" if head.kind == "text" else "right") for head in table.heads]
        print_table(heads, cells(table))
        click.echo("\n" + "\n".join(fill(note, 100, subsequent_indent="  ") for note in table.notes))
    if out is not None:
        report.write(out)
        click.echo(f"\nwritten: {out}")


@click.command(epilog="Example: lvqa fidelity runs/NAME --judge Qwen/Qwen3-32B@http://host:8000/v1")
@click.argument("run_folder", metavar="RUN", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option(
    "--judge",
    "address",
    required=True,
    metavar="NAME@URL",
    help="The judge model and its running server. Its key is read from LVQA_API_KEY or OPENAI_API_KEY.",
)
@click.option("--max-tokens", default=1024, show_default=True, type=click.IntRange(1), help="Of one ruling.")
@click.option(
    "--structured/--no-structured",
    default=True,
    show_default=True,
    help="Whether the server is asked to hold rulings to a JSON schema.",
)
@click.option("--in-flight", default=64, show_default=True, type=click.IntRange(1), help="Rulings at once.")
@click.option("--deadline", default=600.0, show_default=True, help="Seconds for one request.")
def fidelity(
    run_folder: Path, address: str, max_tokens: int, structured: bool, in_flight: int, deadline: float
) -> None:
    """Measure how faithfully the simulated user of RUN told the shards, message by message."""
    import asyncio

    from lvqa_eval.judging.fidelity import FidelityJudge, measure_fidelity
    from lvqa_eval.judging.fidelity_summary import Fidelity, plain
    from lvqa_eval.runs.store import RunStore
    from lvqa_eval.serving.client import ChatClient
    from lvqa_eval.serving.endpoint import key_from_environment, named_endpoint
    from lvqa_eval.serving.request import Sampling

    model, base_url = named_endpoint(address)
    sampling = Sampling(temperature=0.0, max_tokens=max_tokens)
    judge = FidelityJudge(model, sampling, structured)
    key = key_from_environment()

    async def measure(store: RunStore) -> dict[str, Fidelity]:
        client = ChatClient(
            [base_url], model, sampling, api_key=key, deadline=deadline, concurrency=in_flight
        )
        async with client:
            return await measure_fidelity(store, client, judge, in_flight)

    click.echo(plain(asyncio.run(measure(RunStore.open(run_folder)))), nl=False)

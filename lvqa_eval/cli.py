"""The commands that run and report: `lvqa run`, `lvqa report`."""

import json
from pathlib import Path
from typing import Any

import click

from lvqa_eval.errors import LvqaError


class JsonObject(click.ParamType[dict[str, Any]]):
    """A JSON object on the command line."""

    name = "json"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, Any]:
        """Read the text; anything but an object is refused."""
        try:
            found = value if isinstance(value, dict) else json.loads(value)
        except ValueError as error:
            self.fail(f"found {value!r}: not JSON: {error}", param, ctx)
        if not isinstance(found, dict):
            self.fail(f"found {value!r}, allowed: a JSON object", param, ctx)
        return found


class FolderOrUrl(click.Path):
    """A folder as a path, or a URL as text."""

    name = "place"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Tell the two apart by "://"."""
        return value if "://" in str(value) else super().convert(value, param, ctx)


RUN = click.Path(path_type=Path, exists=True, file_okay=False)


@click.command(
    epilog="Examples: lvqa run --model Qwen/Qwen3-VL-4B-Instruct; "
    "lvqa run --model NAME --base-url http://host:8000/v1 --conditions full,sharded-v; "
    "lvqa run --benchmark bear-bench --model NAME --conditions default,cot --language ru"
)
@click.option("--model", required=True, help="A Hub id, a local folder, or the name that --base-url knows.")
@click.option(
    "--benchmark",
    default="layered-vqa",
    show_default=True,
    metavar="NAME",
    help="layered-vqa, or bear-bench (bear for short): pages of documents with a question each.",
)
@click.option(
    "--dataset", help="A folder, or ORG/NAME on the Hub; the folder of the benchmark's name if not given."
)
@click.option("--revision", help="Revision of a dataset on the Hub, like v1.0.0.")
@click.option("--model-revision", help="Revision of a model on the Hub.")
@click.option(
    "--base-url",
    "base_urls",
    multiple=True,
    help="A running server; may be given several times. Without it `vllm serve` is started. "
    "Its key is read from LVQA_API_KEY or OPENAI_API_KEY.",
)
@click.option(
    "--conditions",
    help="Names with commas between; if not given, all that the dataset has, on bear-bench `default` alone "
    "(others there: cot, downsample-1.5, -2, -3 and -4).",
)
@click.option("--language", metavar="en|ru", help="Only the questions of bear-bench in that language.")
@click.option("--domain", metavar="business|science", help="Only the questions of bear-bench in that domain.")
@click.option(
    "--runs", type=click.IntRange(1), help="Runs of each condition; 3 if not given, 1 on bear-bench."
)
@click.option("--limit", type=click.IntRange(1), help="Only the first so many questions.")
@click.option("--seed", default=0, show_default=True, help="Every request's seed is derived from it.")
@click.option("--temperature", type=click.FloatRange(0), help="1.0 if not given, 0.6 on bear-bench.")
@click.option("--top-p", type=click.FloatRange(0, 1, min_open=True), help="1.0 if not given.")
@click.option(
    "--max-tokens",
    type=click.IntRange(1),
    help="Of one reply, thinking included; 1024 if not given, 16384 on bear-bench.",
)
@click.option("--thinking", type=click.Choice(["on", "off"]), help="What the model does if not given.")
@click.option("--thinking-budget", type=click.IntRange(0), help="Tokens of thinking in one reply.")
@click.option(
    "--logprobs",
    type=click.IntRange(1, 100),
    help="Keep log-probabilities of every reply, with so many alternatives a token; detectors want 20.",
)
@click.option(
    "--extra-body",
    type=JsonObject(),
    default="{}",
    help='More fields of every request, such as \'{"provider": {"order": ["NAME"]}}\'.',
)
@click.option(
    "--user",
    type=click.Choice(["scripted", "llm"]),
    default="scripted",
    show_default=True,
    help="Who tells the pieces of a question: the schedule, or the model itself in its own words.",
)
@click.option(
    "--user-structured/--no-user-structured",
    default=True,
    show_default=True,
    help="Whether the server is asked to hold the words of `--user llm` to a JSON schema.",
)
@click.option(
    "--baseline",
    "baselines",
    multiple=True,
    metavar="NAME",
    help="Held beside the conditions; question-only is the question without any picture. "
    "It can be added to a run that is finished.",
)
@click.option(
    "--background",
    type=click.Choice(["checkerboard", "white", "grey", "black"]),
    help="What a layer is laid over before it is sent; what the dataset recommends if not given.",
)
@click.option("--max-pixels", type=click.IntRange(784), help="Scale pictures down that have more.")
@click.option(
    "--image-transport",
    type=click.Choice(["data", "file"]),
    default="data",
    show_default=True,
    help="Send pictures in requests, or their paths, which the server must be able to read.",
)
@click.option("--image-uuid", is_flag=True, help="Send each picture to each server once (vLLM alone).")
@click.option("--price-in", type=click.FloatRange(0), help="Price of a million prompt tokens.")
@click.option("--price-out", type=click.FloatRange(0), help="Price of a million tokens of replies.")
@click.option("--price-cached", type=click.FloatRange(0), help="Price of a million cached prompt tokens.")
@click.option("--max-cost", type=click.FloatRange(0, min_open=True), help="Begin nothing once this is spent.")
@click.option(
    "--out",
    type=FolderOrUrl(path_type=Path, file_okay=False),
    help="The run's folder; if not given, one under runs/ that the settings name. A URL (s3://, gs://, …) is "
    "kept up to date from a folder of this machine, and a run that it holds goes on.",
)
@click.option(
    "--in-flight",
    default=256,
    show_default=True,
    type=click.IntRange(1),
    help="Conversations at once at each server, at most; fewer where it shows that it is too many.",
)
@click.option("--deadline", default=600.0, show_default=True, help="Seconds for one request.")
@click.option(
    "--context", type=click.IntRange(1), help="Context of `vllm serve`; at most 65536 if not given."
)
@click.option(
    "--images-per-prompt",
    type=click.IntRange(1),
    help="Limit of `vllm serve`; what the conditions need if not given.",
)
@click.option(
    "--gpus", default=1, show_default=True, type=click.IntRange(1), help="GPUs of one `vllm serve`."
)
@click.option(
    "--servers",
    default=1,
    show_default=True,
    type=click.IntRange(1),
    help="How many of `vllm serve` to start, each with GPUs of its own.",
)
@click.option(
    "--ray",
    metavar="ADDRESS",
    help="Spread the run over a Ray cluster: auto or HOST:PORT, or local to start one here.",
)
@click.option(
    "--workers",
    type=click.IntRange(1),
    help="Workers on the cluster, each with a server of its own; as many as fit if not given.",
)
@click.option("--server-arg", "server_arguments", multiple=True, help="Goes to `vllm serve` as it is.")
@click.option("--plan", "plan_only", is_flag=True, help="Print what the run would send and need, then end.")
def run(conditions: str | None, max_cost: float | None, plan_only: bool, **options: Any) -> None:
    """Hold every conversation with a model, and keep it. The same command again finishes what is missing."""
    from lvqa_eval.evaluation import evaluate
    from lvqa_eval.reports.needs import print_plan
    from lvqa_eval.settings import Settings
    from lvqa_eval.tally import Prices

    prices = Prices(options.pop("price_in"), options.pop("price_out"), options.pop("price_cached"))
    if max_cost is not None and not prices.known:
        raise click.UsageError("--max-cost needs --price-in and --price-out")
    named = (
        None if conditions is None else tuple(name.strip() for name in conditions.split(",") if name.strip())
    )
    options |= _of_benchmark(options)
    if options["workers"] is not None and options["ray"] is None:
        raise click.UsageError("--workers needs --ray; on one machine, --servers starts several")
    if options["servers"] > 1 and options["ray"] is not None:
        raise click.UsageError("--ray starts one server for each of its --workers; --servers is not for it")
    if isinstance(options["out"], str):
        options["mirror"] = options.pop("out")
    settings = Settings(conditions=named, prices=prices, max_cost=max_cost, **options)
    if plan_only:
        print_plan(settings)
        return
    try:
        outcome = evaluate(settings, tell=lambda line: click.echo(line, err=True))
    except KeyboardInterrupt:
        raise LvqaError("interrupted: the same command goes on") from None
    held = f"; held now: {outcome.held}" if outcome.held.statuses else ""
    click.echo(f"{outcome.folder}: {outcome.done} of {outcome.planned} conversations{held}")
    missing = outcome.planned - outcome.done
    if missing and outcome.over_budget:
        raise LvqaError(f"{missing} conversations are left: --max-cost {max_cost:g} is spent")
    if missing:
        raise LvqaError(f"{missing} conversations failed in serving: the same command tries them again")
    click.echo(f"next: lvqa judge {outcome.folder} && lvqa report {outcome.folder}", err=True)


def _of_benchmark(options: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that a benchmark has defaults or names for; takes what is theirs from `options`."""
    from dataclasses import replace

    from lvqa_eval.benchmarks import find_benchmark
    from lvqa_eval.serving.request import body_fields

    benchmark = find_benchmark(options.pop("benchmark"))
    extra = body_fields(options.pop("thinking"), options.pop("thinking_budget"), options.pop("logprobs"))
    drawn = {name: options.pop(name) for name in ("temperature", "top_p", "max_tokens")}
    given = {name: value for name, value in drawn.items() if value is not None}
    split = {name: options.pop(name) for name in ("language", "domain")}
    return {
        "benchmark": benchmark,
        "dataset": options["dataset"] or benchmark.name,
        "runs": options["runs"] or benchmark.runs,
        "sampling": replace(benchmark.sampling, **given, extra=extra | options.pop("extra_body")),
        "split": {name: value for name, value in split.items() if value is not None},
    }


@click.command(
    epilog="Examples: lvqa report runs/NAME; "
    "lvqa report runs/ONE runs/OTHER --judge consensus --post-hoc ORG-JUDGE.post-hoc --out report"
)
@click.argument("run_folders", metavar="RUN...", nargs=-1, required=True, type=RUN)
@click.option("--judge", help="Whose verdicts; the judge that all runs would be reported by if not given.")
@click.option(
    "--post-hoc",
    metavar="NAME",
    help="Whose rulings turn by turn; their consensus, or the only judge that has such, if not given.",
)
@click.option(
    "--relational",
    metavar="LIST",
    help="Categories held relational, with commas between; spatial,counting,multi_hop if not given.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="The report's folder, which is replaced as a whole; RUN/report if not given, for one run.",
)
@click.option(
    "--ocr",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="How much text the images of other benchmarks hold, from `lvqa build bear compare`; for bear-bench.",
)
@click.option("--draws", default=2000, show_default=True, type=click.IntRange(1), help="Bootstrap draws.")
@click.option("--seed", default=0, show_default=True, help="Seed of the bootstrap.")
def report(run_folders: tuple[Path, ...], relational: str | None, out: Path | None, **options: Any) -> None:
    """Print the table of RUN, or that of several, and write every table and figure of the papers.

    A page shows them all; each table comes as CSV, Markdown and LaTeX, each figure as SVG and PNG. Several
    runs have to be about the same questions, judged in one way.
    """
    from lvqa_eval.reports.parts import make_report
    from lvqa_eval.reports.report import Choices
    from lvqa_eval.reports.terminal import print_exhibits, print_tables
    from lvqa_eval.reports.write import check_free, write_report

    if out is None and len({folder.resolve() for folder in run_folders}) > 1:
        raise click.UsageError("--out: where the report of several runs goes; it stands in no run's folder")
    place = out or run_folders[0] / "report"
    check_free(place)
    if relational is not None:
        options["relational"] = tuple(name.strip() for name in relational.split(",") if name.strip())
    found = make_report(run_folders, Choices(**options))
    print_tables(found)
    page = write_report(found, place)
    print_exhibits(found)
    click.echo(f"report: {page}")

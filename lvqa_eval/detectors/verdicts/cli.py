"""The command that asks a model whether responses are right, without the reference: `lvqa verdicts`."""

from pathlib import Path
from typing import Any

import click

from lvqa_eval.cli import RUN
from lvqa_eval.errors import LvqaError
from lvqa_eval.judging.model_options import asks_a_model, judge_options


@click.command(
    epilog="Examples: lvqa verdicts runs/NAME --judge org/model@http://host:8000/v1; "
    "lvqa verdicts runs/ONE runs/OTHER --judge Qwen/Qwen3-VL-8B-Instruct --condition full"
)
@click.argument("run_folders", metavar="RUN...", nargs=-1, required=True, type=RUN)
@click.option(
    "--judge",
    "words",
    multiple=True,
    required=True,
    metavar="JUDGE",
    help="NAME@URL, a model that sees pictures and its running server (several URLs of one NAME share the "
    "work); or a model, ORG/NAME or a folder, for which `vllm serve` is started.",
)
@click.option(
    "--condition",
    "conditions",
    multiple=True,
    metavar="NAME",
    help="May be given several times; full if not given, default for bear-bench.",
)
@click.option("--dataset", help="A folder, or ORG/NAME on the Hub; what each RUN names if not given.")
@click.option(
    "--logprobs",
    default=20,
    show_default=True,
    type=click.IntRange(0, 100),
    help="Alternatives to the token of the verdict, from which its probability is taken; 0 for none.",
)
@click.option("--max-tokens", default=2048, show_default=True, type=click.IntRange(1), help="Of one verdict.")
@asks_a_model
def verdicts(
    run_folders: tuple[Path, ...],
    words: tuple[str, ...],
    conditions: tuple[str, ...],
    dataset: str | None,
    logprobs: int,
    **options: Any,
) -> None:
    """Ask a model whether each response of RUN is CORRECT or INCORRECT: a detector of wrong answers.

    It sees what the assistant saw and the final reply, and not the reference, and is asked greedily. Verdicts
    are kept in RUN/verdicts, where `lvqa detect` finds them; the same command again finishes what is missing.
    A key for running servers is read from LVQA_API_KEY or OPENAI_API_KEY.
    """
    from lvqa_eval.detectors.verdicts.ask import VerdictModel
    from lvqa_eval.detectors.verdicts.files import VerdictFiles
    from lvqa_eval.detectors.verdicts.responses import Responses

    name, urls = _model(words)
    chosen = judge_options(temperature=0.0, structured=False, logprobs=logprobs or None, **options)
    folders = list({folder.resolve(): folder for folder in run_folders}.values())
    responses = Responses(folders, conditions, dataset)
    model = VerdictModel(name, urls, responses, chosen)
    errors: list[str] = []
    with VerdictFiles(responses, model.judge, chosen.prices, chosen.max_cost) as files:
        try:
            model.ask(files, lambda line: click.echo(line, err=True))
        except KeyboardInterrupt:
            raise LvqaError("interrupted: the same command goes on") from None
        except LvqaError as error:
            errors.append(str(error))
        results = list(files.results())
        if files.tally.statuses:
            click.echo(f"{model.judge}: {files.tally}", err=True)
    for result in results:
        click.echo(str(result))
    failed, left = sum(one.failed for one in results), sum(one.left for one in results)
    if failed:
        errors.append(f"{failed} verdicts failed in serving: the same command asks for them again")
    if left:
        over = "" if errors else f": --max-cost {chosen.max_cost:g} is spent"
        errors.append(f"{left} responses are left{over}")
    if errors:
        raise LvqaError("\n".join(errors))


def _model(words: tuple[str, ...]) -> tuple[str, list[str]]:
    """Return the one model that is named, and the URLs of its running servers."""
    from lvqa_eval.serving.endpoint import named_endpoint

    places = [named_endpoint(word) if "://" in word else (word, None) for word in words]
    names = {name for name, _ in places}
    if len(names) > 1:
        raise click.UsageError(f"--judge: found {', '.join(sorted(names))}, allowed: one model a command")
    name = names.pop()
    if all(url is None for _, url in places) and "/" not in name and not Path(name).is_dir():
        raise click.UsageError(
            f"--judge: found {name!r}, allowed: NAME@URL of a running server, or a model to start "
            "(ORG/NAME on the Hub, or a folder)"
        )
    return name, [url for _, url in places if url is not None]

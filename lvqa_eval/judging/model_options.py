"""The command-line options of everything that asks a judge model: the model, its servers, the cost."""

from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from lvqa_eval.cli import JsonObject

if TYPE_CHECKING:
    from lvqa_eval.judging.options import JudgeOptions

C = TypeVar("C", bound=Callable[..., Any])

_OPTIONS: Final = (
    click.option("--thinking", type=click.Choice(["on", "off"]), help="What the model does if not given."),
    click.option(
        "--extra-body",
        type=JsonObject(),
        default="{}",
        help='More fields of every request, such as \'{"provider": {"order": ["NAME"]}}\'.',
    ),
    click.option("--seed", default=0, show_default=True, help="Every request's seed is derived from it."),
    click.option("--price-in", type=click.FloatRange(0), help="Price of a million prompt tokens."),
    click.option("--price-out", type=click.FloatRange(0), help="Price of a million tokens of verdicts."),
    click.option(
        "--max-cost", type=click.FloatRange(0, min_open=True), help="Begin nothing once this is spent."
    ),
    click.option(
        "--in-flight",
        default=64,
        show_default=True,
        type=click.IntRange(1),
        help="Verdicts at once at each server.",
    ),
    click.option("--deadline", default=600.0, show_default=True, help="Seconds for one request."),
    click.option(
        "--context", type=click.IntRange(1), help="Context of `vllm serve`; at most 65536 if not given."
    ),
    click.option(
        "--gpus", default=1, show_default=True, type=click.IntRange(1), help="GPUs of one `vllm serve`."
    ),
    click.option(
        "--servers",
        default=1,
        show_default=True,
        type=click.IntRange(1),
        help="How many of `vllm serve` to start, each with GPUs of its own.",
    ),
    click.option("--server-arg", "server_arguments", multiple=True, help="Goes to `vllm serve` as it is."),
    click.option(
        "--log",
        type=click.Path(path_type=Path, dir_okay=False),
        help="Log of `vllm serve`; judge-NAME.log beside the first run if not given.",
    ),
)


def asks_a_model(command: C) -> C:
    """Give a command the options that `judge_options` reads, in the order of its help."""
    return reduce(lambda given, option: option(given), reversed(_OPTIONS), command)


def judge_options(*, temperature: float, max_tokens: int, **options: Any) -> "JudgeOptions":
    """Return the options of a command line; what is more than those of `asks_a_model` goes in by its name.

    Raises click.UsageError for a limit of the cost without prices.
    """
    from lvqa_eval.judging.options import JudgeOptions
    from lvqa_eval.serving.request import Sampling, body_fields
    from lvqa_eval.tally import Prices

    prices = Prices(options.pop("price_in"), options.pop("price_out"))
    if options["max_cost"] is not None and not prices.known:
        raise click.UsageError("--max-cost needs --price-in and --price-out")
    fields = body_fields(options.pop("thinking"), None, options.pop("logprobs", None))
    sampling = Sampling(temperature, 1.0, max_tokens, extra=fields | options.pop("extra_body"))
    return JudgeOptions(sampling=sampling, prices=prices, **options)

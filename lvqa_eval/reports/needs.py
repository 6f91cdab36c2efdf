"""What a run will need, as two tables: `lvqa run --plan`."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from textwrap import fill

import click

from lvqa_eval.forecast import Forecast, Need, forecast
from lvqa_eval.runs.store import MEDIA
from lvqa_eval.runs.terminal import Column, print_table
from lvqa_eval.serving.model import find_model
from lvqa_eval.serving.model_files import processor
from lvqa_eval.serving.preflight import Requirements, too_long
from lvqa_eval.settings import Settings
from lvqa_eval.tally import Prices, short
from lvqa_eval.tokens import BYTES_PER_TOKEN, Patches

TOTAL = "all"
WIDTH = 78
SENT = ("Conversations", "Requests", "Images", "Distinct", "Max images", "Bytes")
TOKENS = ("Prompt", "Replies", "Max tokens", "Max bytes")
COSTS = ("Cost from", "to")


def print_plan(settings: Settings) -> None:
    """Print what a run with these settings will need, and which conditions its context cannot hold.

    No server is asked and none is started; of the model only files at hand are read.
    """
    dataset = settings.open_dataset()
    plan = settings.plan(dataset)
    model = find_model(settings.model, settings.model_revision, fetch=False)
    found = forecast(settings, dataset, plan, model, (settings.out or Path("runs") / "NAME") / MEDIA)
    patches = Patches.of(processor(model.folder))
    rows = [*found.conditions.items(), (TOTAL, found.total)]
    print_table(_columns(SENT), [(name, *sent(need)) for name, need in rows])
    click.echo()
    head = (*TOKENS, *COSTS) if settings.prices.known else TOKENS
    print_table(_columns(head), [(name, *tokens(need, settings.prices)) for name, need in rows])
    told = [*notes(found, settings, patches), *misfits(found, settings, settings.context or model.context())]
    click.echo()
    click.echo("\n".join(fill(note, WIDTH, subsequent_indent="  ", break_on_hyphens=False) for note in told))


def sent(need: Need) -> tuple[str, ...]:
    """Return the texts under `SENT`."""
    counts = (need.conversations, need.requests, need.images, len(need.distinct))
    return (*(f"{count:,}" for count in counts), str(need.longest_images), short(need.sent_bytes))


def tokens(need: Need, prices: Prices) -> tuple[str, ...]:
    """Return the texts under `TOKENS`, and those under `COSTS` where prices are known."""
    sums = (need.prompt_tokens, need.reply_tokens_most)
    texts = tuple(map(short, (*sums, need.longest_tokens, need.longest_bytes)))
    if not prices.known:
        return texts
    least_cost = prices.cost(need.prompt_tokens, 0, 0)
    most_cost = prices.cost(need.prompt_tokens_most, need.reply_tokens_most, 0)
    return (*texts, f"{least_cost:.2f}", f"{most_cost:.2f}")


def notes(found: Forecast, settings: Settings, patches: Patches) -> Iterator[str]:
    """Yield what a reader has to know of the figures, one sentence or two each."""
    how = "as the model's processor cuts them" if patches.limits else "a guess, its processor is not at hand"
    yield (
        f"Prompt: its tokens, an estimate: one for {BYTES_PER_TOKEN} bytes of text, and one for "
        f"{patches.side} x {patches.side} pixels of a picture ({how}), without the words of earlier replies."
    )
    yield f"Replies: {settings.sampling.max_tokens:,} tokens for each request, the most there can be."
    yield "Bytes are exact but for the words of earlier replies."
    yield "Max: what one request has, at most; its tokens with every earlier reply at its longest."
    yield from _saved(found.total, settings)
    if settings.prices.known:
        yield "Cost: from replies of no words to replies at their longest, with nothing cached."
    if settings.user == "llm":
        yield "What the simulated user asks comes on top."


def misfits(found: Forecast, settings: Settings, context: int | None) -> Iterator[str]:
    """Yield a sentence for each condition whose longest conversation a context (in tokens) cannot hold."""
    for name, need in found.conditions.items():
        needed = Requirements(name, need.longest_images, need.longest_tokens)
        problem = too_long(needed, settings.sampling.max_tokens, context)
        if problem is not None:
            yield problem


def _columns(titles: Iterable[str]) -> list[Column]:
    return [Column("Condition"), *(Column(title, "right") for title in titles)]


def _saved(total: Need, settings: Settings) -> Iterator[str]:
    options = ["--image-transport file"] * (settings.image_transport == "file")
    options += ["--image-uuid"] * settings.image_uuid
    if options:
        share = 1 - total.sent_bytes / total.inline_bytes
        yield (
            f"{' and '.join(options)}: {short(total.sent_bytes)} bytes instead of "
            f"{short(total.inline_bytes)}, {share:.0%} less."
        )

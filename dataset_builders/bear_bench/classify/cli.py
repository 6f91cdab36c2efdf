"""The command of the stage: `lvqa build bear classify`."""

from pathlib import Path
from typing import Any, Literal

import click

from dataset_builders.bear_bench.records import LABELS
from dataset_builders.bear_bench.stage_command import show, work_folder
from dataset_builders.bear_bench.work import Work


@click.command(
    epilog="Examples: lvqa build bear classify work --silver http://127.0.0.1:8000/v1 --model org/model "
    "--encoder google/siglip-so400m-patch14-384; lvqa build bear classify work --labels labels.jsonl"
)
@work_folder
@click.option("--silver", "base_urls", multiple=True, metavar="URL", help="Ask a model here; repeatable.")
@click.option("--model", metavar="NAME", help="The model that is asked.")
@click.option("--silver-pages", default=3000, show_default=True, type=click.IntRange(1), help="Asked about.")
@click.option(
    "--structured/--no-structured", default=True, show_default=True, help="Hold replies to a schema."
)
@click.option("--thinking", type=click.Choice(["on", "off"]), help="Ask the model to think first, or not to.")
@click.option("--max-tokens", default=2048, show_default=True, type=click.IntRange(16), help="Of one reply.")
@click.option(
    "--max-pixels",
    default=2_000_000,
    show_default=True,
    type=click.IntRange(784),
    help="Larger pages are sent to the model smaller.",
)
@click.option("--in-flight", default=16, show_default=True, type=click.IntRange(1), help="Requests at once.")
@click.option(
    "--encoder",
    default="layout",
    show_default=True,
    metavar="NAME_OR_PATH",
    help="A SigLIP, as a folder or an id of the Hub; layout is a stand-in that needs no model.",
)
@click.option("--device", default="auto", show_default=True, type=click.Choice(["auto", "cpu", "cuda"]))
@click.option("--batch", default=32, show_default=True, type=click.IntRange(1), help="Pages encoded at once.")
@click.option(
    "--labels",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="Labels that were given to pages, as JSON lines with page_id and labels.",
)
@click.option(
    "--classifier",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="The classifier.json of an earlier run; nothing is learnt then.",
)
@click.option(
    "--keep",
    multiple=True,
    default=("diagrams", "equations", "code"),
    show_default=True,
    type=click.Choice(LABELS),
    help="A page with one of these is kept; repeatable.",
)
@click.option(
    "--threshold",
    default=0.5,
    show_default=True,
    type=click.FloatRange(0, 1),
    help="The least probability of a label.",
)
@click.option(
    "--seed", default=42, show_default=True, help="Seed of the silver sample and of what is held out."
)
def classify(
    work: Work, base_urls: tuple[str, ...], model: str | None, in_flight: int, **choices: Any
) -> None:
    """Label what every page contains, and keep those with diagrams, equations or code.

    A small classifier over an encoder's vectors learns from the silver labels of a strong model on a sample,
    or from a file of labels; a fifth of the documents is held out for its report. The key of the model's
    server is LVQA_API_KEY or OPENAI_API_KEY.
    """
    from dataset_builders.bear_bench.classify.run import ClassifyOptions, report_table, run
    from lvqa_eval.runs.terminal import Column, print_table

    if bool(base_urls) != (model is not None):
        raise click.UsageError("--silver and --model go together")
    if base_urls and choices["classifier"] is not None:
        raise click.UsageError("--silver makes labels to learn from, --classifier has learnt; give one")
    asked = {
        name: choices.pop(name)
        for name in ("silver_pages", "structured", "thinking", "max_tokens", "max_pixels")
    }
    if model is not None:
        _ask(work, base_urls, model, seed=choices["seed"], in_flight=in_flight, **asked)
    done = run(work, ClassifyOptions(**choices))
    show(done.count)
    if done.report is not None:
        found = done.report
        click.echo(
            f"\nlearnt from {found.pages} pages of {found.documents} documents, tested on "
            f"{found.held_out_pages} pages of {found.held_out_documents} others; shares in per cent"
        )
        heads, rows = report_table(found)
        print_table([Column(head, "right" if place else "left") for place, head in enumerate(heads)], rows)


def _ask(
    work: Work,
    base_urls: tuple[str, ...],
    model: str,
    silver_pages: int,
    max_tokens: int,
    thinking: Literal["on", "off"] | None,
    **choices: Any,
) -> None:
    """Have a model label a sample."""
    from dataset_builders.bear_bench.classify.silver import SilverOptions, run
    from lvqa_eval.serving.request import Sampling, body_fields

    sampling = Sampling(temperature=0.0, max_tokens=max_tokens, extra=body_fields(thinking, None, None))
    show(run(work, SilverOptions(base_urls, model, size=silver_pages, sampling=sampling, **choices)))

"""The command `lvqa annotate draft`: a model drafts the evidence of questions that wait for their author."""

from pathlib import Path
from typing import Any, Literal

import click


@click.command(epilog="Example: lvqa annotate draft work --model org/model --url http://127.0.0.1:8000/v1")
@click.argument("work", metavar="WORK", type=click.Path(path_type=Path, file_okay=False, exists=True))
@click.option("--model", required=True, metavar="NAME", help="The model that is asked.")
@click.option(
    "--url", "base_urls", required=True, multiple=True, metavar="URL", help="Where it is served; repeatable."
)
@click.option(
    "--prompts",
    "folder",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    metavar="FOLDER",
    help="Other prompts, by the names of the project's own files; what is not there is the project's.",
)
@click.option(
    "--concurrency",
    "in_flight",
    default=8,
    show_default=True,
    type=click.IntRange(1),
    help="Questions at once, at each URL.",
)
@click.option("--seed", default=0, show_default=True, help="Every request's seed is derived from it.")
@click.option(
    "--structured/--no-structured", default=True, show_default=True, help="Hold replies to a JSON schema."
)
@click.option("--thinking", type=click.Choice(["on", "off"]), help="Ask the model to think first, or not to.")
@click.option("--max-tokens", default=8192, show_default=True, type=click.IntRange(16), help="Of one reply.")
@click.option(
    "--max-pixels",
    default=1_000_000,
    show_default=True,
    type=click.IntRange(784),
    help="Larger pictures are sent to the model smaller.",
)
@click.option("--deadline", default=600.0, show_default=True, help="Seconds for one request.")
def draft(
    work: Path,
    folder: Path | None,
    thinking: Literal["on", "off"] | None,
    max_tokens: int,
    **choices: Any,
) -> None:
    """Have a model draft shards and evidence of the questions in WORK that their author has not finished.

    A question needs its text, its answer and its category. Three calls are made for each: the first splits
    the question into shards and sees nothing else, the second finds the evidence in the scene's layers, the
    third checks and mends it all. A reply that breaks a rule is sent back once; after that the draft is
    flagged for its author. A question that has a draft of the same model and prompts is left alone, unless it
    has changed since. The key of the model's server is LVQA_API_KEY or OPENAI_API_KEY.
    """
    from dataset_builders.annotator.model_drafts import DraftError, make_drafts
    from dataset_builders.layered_vqa.annotation.prompts import load_prompts
    from dataset_builders.layered_vqa.annotation.run import DraftOptions
    from lvqa_eval.serving.request import Sampling, body_fields

    sampling = Sampling(0.0, max_tokens=max_tokens, extra=body_fields(thinking, None, None))
    options = DraftOptions(prompts=load_prompts(folder), sampling=sampling, **choices)
    try:
        failed = make_drafts(work, options, click.echo)
    except KeyboardInterrupt:
        raise DraftError("interrupted: the same command goes on") from None
    if failed:
        raise DraftError(f"{failed} question(s) failed in serving: the same command tries them again")

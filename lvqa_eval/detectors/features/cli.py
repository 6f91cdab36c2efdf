"""The command that lets a local model read the answers of a run: `lvqa features`."""

import re
from pathlib import Path
from typing import Any

import click


class Share(click.ParamType[tuple[int, int]]):
    """One share of the work on the command line, as "2/8"."""

    name = "share"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """Read the two numbers; the first counts from 1 and is not above the second."""
        if isinstance(value, tuple):
            return value
        found = re.fullmatch(r"(\d+)/(\d+)", str(value))
        if found is None or not 1 <= int(found[1]) <= int(found[2]):
            self.fail(f"found {value!r}, allowed: i/n with i from 1 to n", param, ctx)
        return int(found[1]), int(found[2])


@click.command(
    epilog="Examples: lvqa features runs/NAME --model Qwen/Qwen3-VL-8B-Instruct; "
    "lvqa features runs/NAME --model models/mine --condition full --condition sharded-v"
)
@click.argument("run_folder", metavar="RUN", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--model", required=True, help="Who reads: a local folder or a Hub id of an image-text model.")
@click.option("--model-revision", help="Its revision on the Hub.")
@click.option(
    "--condition",
    "conditions",
    multiple=True,
    help="May be given several times; full if not given, default on bear-bench.",
)
@click.option("--name", help="Of the folder in RUN/features; the model's name if not given.")
@click.option("--dataset", help="Where the pictures come from; what the run names if not given.")
@click.option(
    "--device",
    type=click.Choice(["auto", "cpu", "cuda"]),
    default="auto",
    show_default=True,
    help="auto is the GPU where there is one.",
)
@click.option(
    "--dtype",
    type=click.Choice(["auto", "float32", "bfloat16", "float16"]),
    default="auto",
    show_default=True,
    help="Precision of the weights; auto is bfloat16 on a GPU, float32 elsewhere.",
)
@click.option(
    "--batch-tokens",
    type=click.IntRange(1),
    default=8192,
    show_default=True,
    help="Read so many tokens at once, padding included; halved where the memory does not take them.",
)
@click.option(
    "--part",
    "share",
    type=Share(),
    default="1/1",
    show_default=True,
    metavar="i/n",
    help="Read the i-th of n shares; several processes write to one folder.",
)
def features(run_folder: Path, **chosen: Any) -> None:
    """Let a local model read each answer of RUN once, with the conversation before it.

    Writes what detectors read to RUN/features: log-probabilities and entropies of the tokens, hidden states,
    and how like the answer each patch of the pictures is. Begun again, it reads what is missing.
    """
    from lvqa_eval.detectors.features.extract import Settings, extract
    from lvqa_eval.runs.store import RunStore

    outcome = extract(RunStore.open(run_folder), Settings(**chosen), lambda line: click.echo(line, err=True))
    told = "".join(f"; {count} left out: {reason}" for reason, count in sorted(outcome.left_out.items()))
    done = outcome.answers - sum(outcome.left_out.values())
    click.echo(f"{outcome.folder}: {done} of {outcome.answers} answers have features{told}")

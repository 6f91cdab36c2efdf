"""The commands that let models judge: `lvqa fidelity`."""

from pathlib import Path

import click


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
    import os

    from lvqa_eval.judging.fidelity import FidelityJudge, measure_fidelity
    from lvqa_eval.judging.fidelity_summary import Fidelity, plain
    from lvqa_eval.runs.store import RunStore
    from lvqa_eval.serving.client import ChatClient
    from lvqa_eval.serving.endpoint import named_endpoint
    from lvqa_eval.serving.request import Sampling

    model, base_url = named_endpoint(address)
    sampling = Sampling(temperature=0.0, max_tokens=max_tokens)
    judge = FidelityJudge(model, sampling, structured)
    key = os.environ.get("LVQA_API_KEY") or os.environ.get("OPENAI_API_KEY")

    async def measure(store: RunStore) -> dict[str, Fidelity]:
        client = ChatClient(
            [base_url], model, sampling, api_key=key, deadline=deadline, concurrency=in_flight
        )
        async with client:
            return await measure_fidelity(store, client, judge, in_flight)

    click.echo(plain(asyncio.run(measure(RunStore.open(run_folder)))), nl=False)

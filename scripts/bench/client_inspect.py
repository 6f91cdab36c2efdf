"""Measures inspect_ai on the workload of scripts/bench/client.py; runs in an environment that has inspect_ai.

    client_inspect.py WORKLOAD.json BASE_URL FEW MANY IN_FLIGHT

Prints the marginal CPU seconds of a conversation: what MANY cost more than FEW, a conversation.
"""

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, ContentImage, ContentText, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

GOES = 3


def content(said: dict[str, Any]) -> Any:
    """Return the content of a message as inspect_ai has it."""
    if isinstance(said["content"], str):
        return said["content"]
    return [
        ContentText(text=part["text"])
        if part["type"] == "text"
        else ContentImage(image=part["image_url"]["url"])
        for part in said["content"]
    ]


@solver
def turns() -> Solver:
    """Deliver the scheduled turns, one after the other."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        for said in state.metadata["talk"]:
            if said["role"] == "system":
                state.messages.append(ChatMessageSystem(content=said["content"]))
            else:
                state.messages.append(ChatMessageUser(content=content(said)))
                state = await generate(state)
        return state

    return solve


def seconds(talks: list[Any], count: int, model: Any, in_flight: int) -> float:
    """Return the CPU seconds of holding `count` conversations."""
    samples = [
        Sample(input="-", id=number, metadata={"talk": talks[number % len(talks)]}) for number in range(count)
    ]
    with tempfile.TemporaryDirectory() as logs:
        start = time.process_time()
        (log,) = eval(
            Task(MemoryDataset(samples), solver=[start_empty(), turns()]),
            model=model,
            max_connections=in_flight,
            max_samples=in_flight,
            log_dir=logs,
            display="none",
        )
        assert log.status == "success", log.error and log.error.message
        return time.process_time() - start


@solver
def start_empty() -> Solver:
    """Take away the sample's own input: the talk brings all messages."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.messages.clear()
        return state

    return solve


def main() -> None:
    """Print the marginal seconds."""
    file, url, few, many, in_flight = sys.argv[1:]
    talks = json.loads(Path(file).read_bytes())
    model = get_model("openai/mock", base_url=url, api_key="none", responses_api=False)
    seconds(talks, int(few), model, int(in_flight))
    least = [
        min(seconds(talks, int(count), model, int(in_flight)) for _ in range(GOES)) for count in (few, many)
    ]
    print((least[1] - least[0]) / (int(many) - int(few)))


if __name__ == "__main__":
    main()

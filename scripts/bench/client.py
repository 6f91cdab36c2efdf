"""What a conversation costs the client, without the model: CPU, latency kept, memory, log.

100 scenes of 5 layers, 640 x 480, about 90 KB a PNG. Beside it aiohttp alone (ready bodies, no schedule, no
retry, no record), the openai SDK with data URLs made once, and inspect_ai, which --venv holds or gets (`none`
leaves it out). The server is scripts/bench/mock_server.py, or a C program that takes the same arguments
(--mock), or one that runs already (--base-url; no latency then).
Run it: .venv/bin/python scripts/bench/client.py
"""

import argparse
import asyncio
import json
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dataset_folder
from client_measures import CASE, INSTRUCTION, JUDGE

from dataset_builders.layered_vqa.build import build
from dataset_builders.layered_vqa.conditions import ConditionOptions
from lvqa_eval.dataset import open_dataset
from lvqa_eval.parts import make_client, make_setting
from lvqa_eval.plan import make_plan
from lvqa_eval.serving.request import whole
from lvqa_eval.settings import Settings
from lvqa_eval.simulation.replies import Reply
from lvqa_eval.statuses import Status

HERE = Path(__file__).parent
SCENES = 100
LATENCY_MS = 200
CPU_GOALS = {"concat-v": 1.0, "sharded-v": 3.0, JUDGE: 0.25}
"""Milliseconds of CPU a conversation."""
EFFICIENCY_GOALS = {64: 0.9, 256: 0.7}
"""Share of in flight / latency, by the number in flight."""
PEAK_GOAL, LOG_GOAL = 250e6, 5e3
IN_FLIGHT = 32
CONVERSATIONS = {"concat-v": 300, "sharded-v": 100, JUDGE: 2000}
ROUNDS = {"ours": 30, "aiohttp": 30, "sdk": 6}
"""Conversations of a go at a latency, as multiples of those in flight."""
FEW, MANY = 10, 60


@dataclass
class Asked:
    """Keeps the messages of the last request, and answers it."""

    messages: Any = ()

    async def complete(self, messages: Any, **_: Any) -> Reply:
        self.messages = messages
        return Reply(Status.OK, "The second square lies further to the left.")


def make_workload(folder: Path) -> float:
    """Write the dataset and, for the other clients, what they send; returns the bytes of a picture sent."""
    path = folder / "layered-vqa"
    dataset_folder.PATCH = 164  # layers are sent without alpha, which makes them smaller than they are stored
    build(dataset_folder.BenchSource(scenes=SCENES, questions=SCENES), path, "1.0.0", ConditionOptions())
    settings = Settings(model="mock", dataset=str(path), base_urls=("http://127.0.0.1:1",))
    dataset = open_dataset(str(path))
    setting = make_setting(settings, dataset, make_client(settings, "mock", settings.base_urls, ()))

    async def talk(row: Any) -> list[Any]:
        asked = Asked()
        await setting.converse(row, 1, asked)
        said = [json.loads(whole(message)) for message in asked.messages]
        return [message for message in said if message["role"] != "assistant"]

    async def talks(condition: str) -> list[Any]:
        plan = make_plan(settings.benchmark, dataset, [condition], 1)
        return [await talk(work.row) for work in plan.work()]

    sizes = []
    for condition in ("concat-v", "sharded-v"):
        found = asyncio.run(talks(condition))
        (folder / f"{condition}.json").write_text(json.dumps(found))
        parts = [part for one in found for said in one for part in said["content"] if isinstance(part, dict)]
        sizes += [len(part["image_url"]["url"]) * 3 / 4 for part in parts if part["type"] == "image_url"]
    judge = [{"role": "system", "content": INSTRUCTION}, {"role": "user", "content": CASE}]
    (folder / f"{JUDGE}.json").write_text(json.dumps([judge]))
    return sum(sizes) / len(sizes)


@contextmanager
def server(mock: Path | None, folder: Path) -> Iterator[str]:
    """Run the mock server; gives its base URL."""
    command = [sys.executable, str(HERE / "mock_server.py")]
    if mock is not None:
        command = [str(folder / "mock")]
        subprocess.run(["cc", "-O2", "-o", command[0], str(mock)], check=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen([*command, str(port), "0"])
    try:
        for _ in range(200):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait()


def set_latency(base_url: str, milliseconds: int) -> None:
    """Have the mock server wait so long before each answer."""
    urllib.request.urlopen(base_url.removesuffix("/v1") + f"/ctl?lat={milliseconds}").read()


def measure(client: str, workload: str, folder: Path, url: str, *numbers: int) -> dict[str, float]:
    """Measure in a process of its own; the numbers are in flight, conversations, goes."""
    script = str(HERE / "client_measures.py")
    words = [sys.executable, script, client, workload, str(folder), url, *map(str, numbers)]
    return json.loads(subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout)


def inspect_ai(venv: Path, workload: str, folder: Path, url: str) -> float:
    """Return the marginal CPU seconds of a conversation; makes the environment where it is missing."""
    python = venv / "bin" / "python"
    if not python.exists():
        uv = str(Path(sys.executable).with_name("uv"))
        subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, str(venv)], check=True)
        packages = ["inspect-ai", "openai"]
        subprocess.run([uv, "pip", "install", "--quiet", "--python", str(python), *packages], check=True)
    words = [str(python), str(HERE / "client_inspect.py"), str(folder / f"{workload}.json"), url]
    words += map(str, (FEW, MANY, IN_FLIGHT))
    return float(subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout)


def cpu_lines(folder: Path, url: str, venv: Path | None, goes: int) -> Iterator[str]:
    """Measure CPU, memory and log of each workload."""
    yield "| CPU ms a conversation | ours | goal | aiohttp alone | openai SDK | inspect_ai, marginal |"
    yield "|---|---|---|---|---|---|"
    peaks, logs, first = [], [], 0.0
    for workload, goal in CPU_GOALS.items():
        count = CONVERSATIONS[workload]
        found = measure("ours", workload, folder, url, IN_FLIGHT, count, goes)
        peaks.append(found["peak"])
        if workload != JUDGE:
            logs.append(found["log"])
            first = max(first, (found["first_cpu"] - found["cpu"]) * count / SCENES)
        cells = [workload, f"{found['cpu'] * 1000:.2f}", f"{goal:g}"]
        others = [measure("aiohttp", workload, folder, url, IN_FLIGHT, count, goes)["cpu"]]
        others += [measure("sdk", workload, folder, url, IN_FLIGHT, min(count, 300), min(goes, 5))["cpu"]]
        others += [] if venv is None else [inspect_ai(venv, workload, folder, url)]
        ratios = [other / found["cpu"] for other in others]
        cells += [
            f"{other * 1000:.3g} ({ratio:.{0 if ratio > 3 else 2}f} x)"
            for other, ratio in zip(others, ratios, strict=True)
        ]
        yield f"| {' | '.join(cells + ['-'] * (venv is None))} |"
    yield ""
    yield "| what | found | goal |\n|---|---|---|"
    yield f"| first use of a scene's 5 pictures (read, flatten, encode), CPU | {first * 1000:.0f} ms | - |"
    yield f"| peak memory, {IN_FLIGHT} in flight | {max(peaks) / 1e6:.0f} MB | {PEAK_GOAL / 1e6:.0f} MB |"
    yield f"| log a conversation | {max(logs) / 1e3:.1f} KB | {LOG_GOAL / 1e3:.0f} KB |"


def latency_lines(folder: Path, url: str, goes: int) -> Iterator[str]:
    """Measure how much of in flight / latency is reached."""
    yield f"| of the ceiling at {LATENCY_MS} ms, concat-v | ours | goal | aiohttp alone | openai SDK |"
    yield "|---|---|---|---|---|"
    set_latency(url, LATENCY_MS)
    peak = 0.0
    for in_flight, goal in EFFICIENCY_GOALS.items():
        cells = []
        for client, rounds in ROUNDS.items():
            found = measure(client, "concat-v", folder, url, in_flight, in_flight * rounds, goes)
            cells.append(f"{LATENCY_MS / 1000 / in_flight / found['wall']:.0%}")
            peak = max(peak, found["peak"]) if client == "ours" else peak
        cells.insert(1, f"{goal:.0%}")
        yield f"| {in_flight} in flight | {' | '.join(cells)} |"
    yield ""
    yield f"Peak memory of ours, {max(EFFICIENCY_GOALS)} in flight: {peak / 1e6:.0f} MB."


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mock", type=Path, help="source of a C server: PORT LATENCY_MS, /ctl?lat=MS")
    parser.add_argument("--base-url", help="a server that runs already")
    parser.add_argument("--venv", default="build/bench-venv", help="environment of inspect_ai, or none")
    parser.add_argument("--goes", type=int, default=5)
    chosen = parser.parse_args()
    venv = None if chosen.venv == "none" else Path(chosen.venv)
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        print(f"pictures of {make_workload(folder) / 1000:.0f} KB\n", flush=True)
        if chosen.base_url:
            print(*cpu_lines(folder, chosen.base_url, venv, chosen.goes), sep="\n")
            return
        with server(chosen.mock, folder) as url:
            for line in cpu_lines(folder, url, venv, chosen.goes):
                print(line, flush=True)
            print()
            for line in latency_lines(folder, url, min(chosen.goes, 3)):
                print(line, flush=True)


if __name__ == "__main__":
    main()

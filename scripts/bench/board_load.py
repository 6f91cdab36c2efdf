"""How fast the leaderboard answers 32 clients on a board of 200 models by 60 columns, while runs come in.

First every kind of request alone, from one client and from all at once, beside a plain Gradio table of 50 by
40; then in a browser; then all kinds together for some minutes, with think times, while runs are handed in.
Times are of the client, who waits; both share the machine. What a client's first call costs, which opens a
session of Gradio, stands apart. Run it: .venv/bin/python scripts/bench/board_load.py
"""

import argparse
import asyncio
import contextlib
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import quantiles
from typing import Any

import aiohttp
import orjson

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from leaderboard.board.columns import LAYERED
from leaderboard.store.folder import BoardFolder
from leaderboard.submissions.accept import accept
from tests.support.boards import submission
from tests.support.large_board import large_board
from tests.support.submitted import MadeUp

ORDERS = ("delivered", "full", "joint", "ungrounded", "grounding_f1", "retained_scene")
THINK = (0.2, 1.0)
"""Seconds between two requests of a client in the long run."""

EVERY = 20.0
"""Seconds between two submissions."""

PLAIN = """
import gradio as gr
data = [[row * column / 7 for column in range(40)] for row in range(50)]
with gr.Blocks(analytics_enabled=False) as demo:
    table, q = gr.Dataframe(data), gr.Textbox("", label="q")
    gr.Button().click(lambda q: data, q, table, api_name="layered", concurrency_limit=None)
demo.launch(quiet=False)
"""
"""What the goals are the figures of."""

GOALS = {"config": "178 ms", "named call": "608 ms", "named call, searched": "608 ms", "filter": "300 ms"}


class Client:
    """One visitor: every method is one request, and raises where the answer is not what it must be."""

    def __init__(self, session: aiohttp.ClientSession, number: int, call: int, fields: list[str]) -> None:
        self.session, self.number = session, number
        self._call, self._fields = call, fields
        self._random = random.Random(number)

    async def _get(self, path: str) -> bytes:
        async with self.session.get(path) as answer:
            answer.raise_for_status()
            return await answer.read()

    async def config(self) -> None:
        assert b"components" in await self._get("/config")

    async def document(self) -> None:
        assert b"gradio" in await self._get(self._random.choice(("/", "/bear", "/detectors", "/history")))

    async def first_view(self) -> None:
        page = self._random.choice(("layered", "bear", "detectors", "judges", "history", "about"))
        assert b"shown" in await self._get(f"/views/{page}?lang={self._random.choice(('en', 'ru'))}")

    async def filter(self) -> None:
        searched = f"model-{self._random.randrange(1000):03}"[: self._random.randrange(5, 10)]
        order = self._random.choice(ORDERS)
        told = f"lang=en&q={searched}&order={order}&changed=q,order"
        assert b"lv-rank" in await self._get(f"/views/layered?{told}")

    async def download(self) -> None:
        assert b"model" in await self._get(f"/downloads/layered.csv?q=model-{self._random.randrange(10)}")

    async def named_call(self, searched: str = "") -> None:
        session = f"client-{self.number}"
        told = [searched if name == "q" else "" for name in self._fields]
        asked = {"data": told, "fn_index": self._call, "session_hash": session}
        async with self.session.post("/gradio_api/queue/join", json=asked) as answer:
            answer.raise_for_status()
        found = await self._get(f"/gradio_api/queue/data?session_hash={session}")
        assert b'"success":true' in found

    async def searched_call(self) -> None:
        await self.named_call(f"model-{self._random.randrange(100):02}")


KINDS: dict[str, Callable[[Client], Awaitable[None]]] = {
    "config": Client.config,
    "page": Client.document,
    "first view": Client.first_view,
    "filter": Client.filter,
    "download": Client.download,
    "named call": Client.named_call,
    "named call, searched": Client.searched_call,
}
SHARES = (1, 3, 3, 10, 1, 1, 1)
"""Of each kind in the long run."""


class Log:
    """How long each request took, by kind, in seconds, and what went wrong."""

    def __init__(self) -> None:
        self.took: dict[str, list[float]] = {name: [] for name in KINDS}
        self.errors: list[str] = []

    async def ask(self, name: str, client: Client) -> None:
        begun = time.perf_counter()
        try:
            await KINDS[name](client)
        except Exception as error:
            self.errors.append(f"{name}: {type(error).__name__}: {error}"[:200])
        else:
            self.took[name].append(time.perf_counter() - begun)

    def line(self, name: str) -> str:
        took = [1000 * one for one in self.took[name]] or [float("nan")] * 2
        cut = quantiles(took, n=100, method="inclusive") if len(took) > 1 else took * 99
        return f"{len(took)} | {cut[49]:.0f} | {cut[94]:.0f} | {max(took):.0f}"


@contextlib.contextmanager
def served(program: str, *arguments: str) -> Iterator[tuple[str, int]]:
    """Serve pages from a process of its own; yields their address and the process."""
    command = [sys.executable, "-u", "-c", program, *arguments]
    environment = os.environ | {"GRADIO_ANALYTICS_ENABLED": "False"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True) as process:
        try:
            assert process.stdout is not None
            begun = time.perf_counter()
            words = (word for line in process.stdout for word in line.split())
            url = next(word for word in words if word.startswith("http://"))
            print(f"The address was told after {time.perf_counter() - begun:.1f} s.\n")
            yield url.rstrip("/"), process.pid
        finally:
            process.terminate()


def memory(pid: int) -> float:
    """Return the resident memory of a process in MB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def spent(pid: int) -> float:
    """Return the CPU seconds of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextlib.asynccontextmanager
async def clients(url: str, count: int) -> Any:
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(url, connector=connector) as session:
        async with session.get("/config") as answer:
            config = orjson.loads(await answer.read())
        told = next(one for one in config["dependencies"] if one.get("api_name") == "layered")
        labels = {one["id"]: one["props"].get("label") for one in config["components"]}
        fields = [labels[one] for one in told["inputs"]]
        yield [Client(session, number, told["id"], fields) for number in range(count)]


async def alone(url: str, pid: int, count: int, seconds: float, kinds: Sequence[str], what: str = "") -> None:
    """Print the lines of every kind alone."""
    async with clients(url, count) as all_clients:
        for name in kinds:
            first = Log()
            for client in all_clients if name == "named call" else all_clients[:1]:
                await first.ask(name, client)
            if name == "named call":
                print(f"| {what}a client's first {name} | 1 | {first.line(name)} | - | - |", flush=True)
            for some in (all_clients[:1], all_clients):
                log, before, end = Log(), spent(pid), time.perf_counter() + seconds

                async def loop(client: Client, name: str = name, log: Log = log, end: float = end) -> None:
                    while time.perf_counter() < end:
                        await log.ask(name, client)

                await asyncio.gather(*map(loop, some))
                cpu = 1000 * (spent(pid) - before) / max(len(log.took[name]), 1)
                goal = GOALS.get(name, "-") if len(some) > 1 and not what else "-"
                print(f"| {what}{name} | {len(some)} | {log.line(name)} | {cpu:.1f} | {goal} |", flush=True)
                assert not log.errors, log.errors[:3]


async def together(
    url: str, pid: int, count: int, minutes: float, board: BoardFolder, files: list[Path]
) -> None:
    """Print the table of all kinds together while runs come in."""
    log, begun = Log(), time.perf_counter()
    end = begun + 60 * minutes
    kept, taken = [memory(pid)], 0

    async def visit(client: Client) -> None:
        chooser = random.Random(-client.number)
        while time.perf_counter() < end:
            await asyncio.sleep(chooser.uniform(*THINK))
            await log.ask(chooser.choices(tuple(KINDS), SHARES)[0], client)

    async def submit() -> None:
        nonlocal taken
        for file in files:
            await asyncio.sleep(EVERY)
            if time.perf_counter() > end:
                return
            await asyncio.to_thread(accept, board, file, None, datetime.now(UTC))
            taken += 1

    async def watch() -> None:
        while time.perf_counter() < end:
            await asyncio.sleep(15)
            kept.append(memory(pid))

    cpu = spent(pid)
    async with clients(url, count) as all_clients:
        await asyncio.gather(*map(visit, all_clients), submit(), watch())
    print(f"\n{count} clients, {minutes:g} minutes, {taken} runs handed in meanwhile:\n")
    print("| request | requests | p50 ms | p95 ms | max ms |\n|---|---|---|---|---|")
    for name in KINDS:
        print(f"| {name} | {log.line(name)} |")
    print(f"\nErrors: {len(log.errors)}. {log.errors[:3] or ''}")
    print(f"The server took {100 * (spent(pid) - cpu) / (60 * minutes):.0f} % of a core.")
    print("Its memory in MB, every 15 s:", " ".join(f"{one:.0f}" for one in kept))


def in_a_browser(url: str) -> None:
    """Print how long a visitor waits for the page, and for a search, in a browser on this machine."""
    from playwright.sync_api import sync_playwright

    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        print("\nNo browser is installed.")
        return
    seen: dict[str, list[float]] = {"page visible": [], "search shown": []}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        for number in range(6):
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            begun = time.perf_counter()
            page.goto(url)
            page.wait_for_selector(".lv-rank tbody tr")
            seen["page visible"].append(time.perf_counter() - begun)
            field = page.get_by_label("Search")
            begun = time.perf_counter()
            field.fill(f"model-{number:02}")
            page.wait_for_function("document.querySelectorAll('.lv-rank .lv-name').length <= 20")
            seen["search shown"].append(time.perf_counter() - begun)
            page.close()
        browser.close()
    print("\n| in a browser | least s | median s | goal |\n|---|---|---|---|")
    for (name, took), goal in zip(seen.items(), ("3 s", "0.3 s"), strict=True):
        print(f"| {name} | {min(took):.2f} | {sorted(took)[len(took) // 2]:.2f} | {goal} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--seconds", type=float, default=6.0, help="of each kind alone")
    parser.add_argument("--models", type=int, default=200)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        board = large_board(folder, asked.models, asked.models // 4)
        count = int(60 * asked.minutes / EVERY)
        files = [
            submission(folder / f"run-{number}", folder / "layered-vqa", MadeUp(f"lab/new-{number}", 0.5))
            for number in range(count)
        ]
        print(f"{asked.models} models, {len(LAYERED)} columns at most.")
        heads = (
            "| request | clients | requests | p50 ms | p95 ms | max ms | server's CPU ms each | goal, p95 |"
        )
        with served(PLAIN) as (url, pid):
            print(heads + "\n|---|---|---|---|---|---|---|---|")
            told = asked.clients, asked.seconds, ("config", "named call"), "plain table: "
            asyncio.run(alone(url, pid, *told))
        program = "from lvqa_eval.main import main; main()"
        with served(program, "leaderboard", str(board.folder), "--no-open") as (url, pid):
            print(heads + "\n|---|---|---|---|---|---|---|---|")
            asyncio.run(alone(url, pid, asked.clients, asked.seconds, tuple(KINDS)))
            in_a_browser(url)
            asyncio.run(together(url, pid, asked.clients, asked.minutes, board, files))


if __name__ == "__main__":
    main()

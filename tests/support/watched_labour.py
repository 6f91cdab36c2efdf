"""What workers of a test do: as in a run, but impatient, their process ids on file, a stand-in for vLLM."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from lvqa_eval.distributed.conversations import ConversationLabour
from lvqa_eval.serving.client import ChatClient

ROOT = Path(__file__).resolve().parents[2]

# Read by Python when it starts: the process that supervises a server then finds the stand-in.
CUSTOMIZE = """\
import os, sys
if sys.argv[0] == "-m":
    import lvqa_eval.serving.server as server
    server.vllm_executable = lambda: os.environ["STAND_IN"]
    server.has_gpu = lambda: False
"""
STAND_IN = f"""\
#!{sys.executable}
import asyncio, os, sys
sys.path.insert(0, {str(ROOT)!r})
from tests.support.steady_server import Steady
with open(os.environ["STAND_IN"] + ".pids", "a") as file:
    print(os.getpid(), file=file)
asyncio.run(Steady(pause=0.02).serve(int(sys.argv[sys.argv.index("--port") + 1])))
"""


def write_stand_in(folder: Path) -> Path:
    """Write the stand-in and what makes Python find it; returns its path."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(CUSTOMIZE)
    script = folder / "vllm"
    script.write_text(STAND_IN)
    script.chmod(0o755)
    return script


@dataclass
class WatchedLabour(ConversationLabour):
    """Writes the process id of each life beside the run's folder."""

    async def start(self, demand, note):
        with (self.folder.parent / f"worker-{self.number}.pids").open("a") as file:
            print(os.getpid(), file=file)
        ChatClient.__init__.__kwdefaults__ |= {"patience": 0.3, "backoff": 0.05}
        stand_in = self.folder.parent / "bin"
        if stand_in.is_dir():
            os.environ |= {"PYTHONPATH": str(stand_in), "STAND_IN": str(stand_in / "vllm")}
        return await super().start(demand, note)


def pids(path: Path) -> list[int]:
    """Return the process ids on file, oldest first."""
    return [int(line) for line in path.read_text().split()] if path.exists() else []

"""A supervised `vllm serve` behind a process of its own.

Ray kills the direct children of a worker with it. The guard of a server must outlive its parent to end the
server, so between worker and guard stands this process, which may be killed or left alone at any moment.
"""

import _thread
import asyncio
import json
import signal
import sys
import threading
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from lvqa_eval.serving.server import ServerOptions, ServerStartError, VllmServer

_POLL = 0.5
_STOP_PATIENCE = 35.0  # above the server's own
_LINE = 2**20


class ServerProcess:
    """A `vllm serve` that ends with `stop`, with this process, and when its own process is killed."""

    def __init__(self, options: ServerOptions, log: Path, media: Path | None = None) -> None:
        self._options, self._log, self._media = options, log, media
        self._process: asyncio.subprocess.Process | None = None
        self._watch: asyncio.Task[None] | None = None
        self._ended: str | None = None

    async def start(self) -> str:
        """Start the server and return its base URL; raises ServerStartError."""
        media = None if self._media is None else str(self._media)
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "lvqa_eval.distributed.server_process"),
            json.dumps({"options": asdict(self._options), "log": str(self._log), "media": media}),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            start_new_session=True,
            limit=_LINE,
        )
        told = await self._read()
        if "base_url" not in told:
            raise ServerStartError(told["ended"])
        self._watch = asyncio.create_task(self._wait_for_end())
        return told["base_url"]

    def ended(self) -> str | None:
        """Return how the server ended by itself, with the end of its log; None while it runs."""
        return self._ended

    async def stop(self) -> None:
        """End the server and all its processes."""
        if self._watch is not None:
            self._watch.cancel()
        if self._process is None:
            return
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), _STOP_PATIENCE)
        except TimeoutError:
            self._process.kill()
            await self._process.wait()
        self._process = None

    async def _wait_for_end(self) -> None:
        self._ended = (await self._read())["ended"]

    async def _read(self) -> dict[str, str]:
        assert self._process is not None
        assert self._process.stdout is not None
        line = await self._process.stdout.readline()
        if not line:
            return {"ended": f"vllm serve {self._options.model}: its supervisor was killed; log: {self._log}"}
        told: dict[str, str] = json.loads(line)
        return told


def _supervise(options: ServerOptions, log: Path, media: Path | None) -> None:
    """Serve until standard input is closed or the server ends; tell on standard output, a line each."""
    over = threading.Event()

    def wait_for_parent() -> None:
        sys.stdin.buffer.read()
        over.set()
        # While the server starts, only an interrupt ends the wait for it; Ray's processes block the signal.
        _thread.interrupt_main()

    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=wait_for_parent, daemon=True).start()
    try:
        with VllmServer(options, log, media=media) as server:
            _tell(base_url=server.base_url)
            while (end := server.ended()) is None and not over.wait(_POLL):
                pass
        if end is not None:
            _tell(ended=end)
    except ServerStartError as error:
        _tell(ended=str(error))


def _tell(**words: str) -> None:
    with suppress(BrokenPipeError):
        print(json.dumps(words), flush=True)


if __name__ == "__main__":
    asked = json.loads(sys.argv[1])
    options = ServerOptions(**asked["options"] | {"extra": tuple(asked["options"]["extra"])})
    with suppress(KeyboardInterrupt):
        _supervise(options, Path(asked["log"]), Path(asked["media"]) if asked["media"] else None)

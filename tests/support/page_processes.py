"""Commands that serve pages with Gradio, each in a process of its own.

Loading Gradio takes seconds of CPU; one process does it once, and every page is a fork of that one.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_PROGRAM = """
import json, os, signal, sys
import uvicorn, fastapi
from lvqa_eval.gradio_loading import load_gradio
from lvqa_eval.main import main

load_gradio()

signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for line in sys.stdin:
    asked = json.loads(line)
    pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        written = os.open(asked["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0), os.dup2(written, 1), os.dup2(written, 2)
        code = 1
        try:
            main(asked["arguments"])
        except SystemExit as end:
            code = end.code
        finally:
            sys.stdout.flush()
            os._exit(code or 0)
    print(pid, flush=True)
"""


@dataclass(frozen=True)
class PageProcess:
    """One command that serves a page: its process, and the file that holds what it printed."""

    pid: int
    log: Path

    def url(self, patience=60.0):
        """Wait until it says where the page is; an AssertionError with what it printed if it ends first."""
        return self._wait(
            lambda: next((word for word in self.log.read_text().split() if "://" in word), None), patience
        )

    def ended(self, patience=30.0):
        """Wait until it has ended; returns what it printed."""
        self._wait(lambda: not self.alive, patience)
        return self.log.read_text()

    @property
    def alive(self):
        """Whether the process is there."""
        return Path(f"/proc/{self.pid}").exists()

    def end(self, number=signal.SIGINT):
        """Send it a signal and wait for its end."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, number)
        return self.ended()

    def _wait(self, found, patience):
        end = time.monotonic() + patience
        while time.monotonic() < end:
            alive = self.alive
            if result := self.log.exists() and found():
                return result
            assert alive, self.log.read_text() if self.log.exists() else "it did not begin"
            time.sleep(0.03)
        raise AssertionError(f"nothing in {patience} seconds; it printed: {self.log.read_text()}")


class PageProcesses:
    """Starts `lvqa` commands in forks of one process that has Gradio loaded."""

    def __init__(self, process: subprocess.Popen, folder: Path) -> None:
        self._process = process
        self._folder = folder
        self._count = 0

    def start(self, *arguments):
        """Start `lvqa` with these arguments."""
        self._count += 1
        log = self._folder / f"{self._count}.log"
        asked = {"arguments": [str(one) for one in arguments], "log": str(log)}
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        return PageProcess(int(self._process.stdout.readline()), log)

    @contextlib.contextmanager
    def serving(self, *arguments) -> Iterator[PageProcess]:
        """Start `lvqa` with these arguments, and end it at the end if it is there still."""
        started = self.start(*arguments)
        try:
            yield started
        finally:
            if started.alive:
                started.end()


@contextlib.contextmanager
def page_processes(folder: Path) -> Iterator[PageProcesses]:
    """Give what starts pages; what they print is kept in `folder`."""
    with subprocess.Popen(
        [sys.executable, "-c", _PROGRAM],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield PageProcesses(process, folder)
        finally:
            process.stdin.close()
            process.wait(10)

"""Runs a command and ends it, with all its processes, when the process that asked for it is gone.

`python guard.py PARENT_PID COMMAND...`: a file of its own that imports the standard library alone, so that it
is up at once and outlives whatever happens to its parent. A death signal set by the kernel (PR_SET_PDEATHSIG)
would not do: it comes when the parent's *thread* ends, and it does not reach the children of the command.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from types import FrameType

_GRACE = 8.0
_POLL = 0.1


def main(parent: int, command: list[str]) -> int:
    """Run the command in a process group of its own; return its exit code, as a shell would.

    The group is ended when the command exits, when SIGTERM comes, or when `parent` is no longer our parent.
    """
    asked = False

    def ask(_signal: int, _frame: FrameType | None) -> None:
        nonlocal asked
        asked = True

    signal.signal(signal.SIGTERM, ask)
    signal.signal(signal.SIGINT, ask)
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, process_group=0)
    while child.poll() is None and not asked and os.getppid() == parent:
        time.sleep(_POLL)
    _end(child)
    return child.returncode if child.returncode >= 0 else 128 - child.returncode


def _end(child: subprocess.Popen[bytes]) -> None:
    """Ask the command to end in order, give it time, then kill what is left of its group."""
    child.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(_GRACE)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))

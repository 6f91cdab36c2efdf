"""Starts `vllm serve` for a run, waits until it answers, and ends it with the run, however the run ends."""

import contextlib
import http.client
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO

from lvqa_eval.errors import LvqaError

_HOST = "127.0.0.1"
_TAIL = 30
_CAUSES = 5
_NAMES_ERROR = re.compile(r"(?:^|[\s.])\w*(?:Error|Exception): ")
_STOP_PATIENCE = 30.0  # above the guard's own grace


class ServerStartError(LvqaError, RuntimeError):
    """`vllm serve` is not installed, died while it started, or did not answer in time."""


@dataclass(frozen=True)
class ServerOptions:
    """What to serve and how.

    `model` is a Hub id or a local folder; `served_name` the name that requests use, `model` if None.
    `gpus` is the tensor-parallel size. `extra` goes to `vllm serve` last and so overrides everything.
    """

    model: str
    images_per_prompt: int
    served_name: str | None = None
    max_model_len: int | None = None
    seed: int = 0
    dtype: str = "auto"
    gpus: int = 1
    extra: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the model in requests."""
        return self.served_name or self.model

    def arguments(self, *, gpu: bool) -> list[str]:
        """Return the arguments of `vllm serve` but for the address; `gpu`: the machine has one."""
        limits = json.dumps({"image": self.images_per_prompt, "video": 0})
        length = [] if self.max_model_len is None else ["--max-model-len", str(self.max_model_len)]
        shared = ["--served-model-name", self.name, *length, "--limit-mm-per-prompt", limits]
        shared += ["--enable-prompt-tokens-details", "--seed", str(self.seed)]
        devices = ["--dtype", self.dtype, "--tensor-parallel-size", str(self.gpus)] if gpu else _CPU_ARGUMENTS
        return [self.model, *shared, *devices, *self.extra]


_CPU_ARGUMENTS = [
    *("--dtype", "float32", "--enforce-eager"),
    *("--max-num-seqs", "32", "--max-num-batched-tokens", "8192"),
]
_CPU_ENVIRONMENT = {"VLLM_CPU_KVCACHE_SPACE": "1"}  # GiB; the environment's own value wins


class VllmServer:
    """A `vllm serve` that lives as long as the `with` block, and no longer than this process.

    The log of the server is appended to `log`; it may read pictures below `media` by their path; `devices`
    are the GPUs that it sees, all if None. Raises ServerStartError with the last lines of the log where the
    server dies while it starts, and where it does not answer within `patience` seconds.
    """

    def __init__(
        self,
        options: ServerOptions,
        log: Path,
        *,
        patience: float = 3600.0,
        media: Path | None = None,
        devices: str | None = None,
        port: int | None = None,
    ) -> None:
        self.options = options
        self.log = log
        self._gpu = has_gpu()
        self.arguments = options.arguments(gpu=self._gpu)
        self._patience = patience
        self._media, self._devices = media, devices
        self._port = free_ports(1)[0] if port is None else port
        self._guard: subprocess.Popen[bytes] | None = None

    @property
    def base_url(self) -> str:
        """The base URL for a client."""
        return f"http://{_HOST}:{self._port}/v1"

    def __enter__(self) -> "VllmServer":
        self.start()
        try:
            self.wait()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Start the server without waiting for it; `stop` must follow."""
        place = ["--host", _HOST, "--port", str(self._port)]
        if self._media is not None:
            place += ["--allowed-local-media-path", str(self._media.resolve())]
        command = [vllm_executable(), "serve", *self.arguments, *place]
        environment = _environment(self.options.model, gpu=self._gpu)
        if self._devices is not None:
            environment["CUDA_VISIBLE_DEVICES"] = self._devices
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as log:
            self._guard = _guarded(command, environment, log)

    def stop(self) -> None:
        """End the server and all its processes; does nothing where it has ended."""
        if self._guard is None:
            return
        self._guard.terminate()
        try:
            self._guard.wait(_STOP_PATIENCE)
        except subprocess.TimeoutExpired:
            self._guard.kill()
            self._guard.wait()
        self._guard = None

    def ended(self) -> str | None:
        """Return how the server ended by itself, with the end of its log; None while it runs."""
        if self._guard is None or (code := self._guard.poll()) is None:
            return None
        return (
            f"vllm serve {self.options.model}: ended with exit code {code}; "
            f"the end of {self.log}:\n{self.last_lines()}"
        )

    def last_lines(self) -> str:
        """Return the end of the server's log, after the errors that it names before its end.

        The end alone often says no more than that some process of the server failed.
        """
        with contextlib.suppress(FileNotFoundError):
            lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
            causes = [line for line in lines[:-_TAIL] if _NAMES_ERROR.search(line)]
            return "\n".join([*dict.fromkeys(causes[-_CAUSES:]), *lines[-_TAIL:]])
        return ""

    def wait(self) -> None:
        """Return once the server answers; raises ServerStartError where it will not."""
        assert self._guard is not None
        start = time.monotonic()
        with _progress(f"starting vllm serve {self.options.model}"):
            while not _healthy(self._port):
                waited = time.monotonic() - start
                if (code := self._guard.poll()) is not None:
                    raise ServerStartError(
                        f"vllm serve {self.options.model}: ended with exit code {code} while it started; "
                        f"the end of {self.log}:\n{self.last_lines()}"
                    )
                if waited > self._patience:
                    raise ServerStartError(
                        f"vllm serve {self.options.model}: no answer within {self._patience:g} s; "
                        f"the end of {self.log}:\n{self.last_lines()}"
                    )
                time.sleep(0.25)


def has_gpu() -> bool:
    """Tell whether the machine has a GPU: NVIDIA's own tool lists one, or ROCm's device is there."""
    if Path("/dev/kfd").exists():
        return True
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return False
    listed = subprocess.run([tool, "-L"], capture_output=True, text=True, check=False)
    return listed.returncode == 0 and "GPU" in listed.stdout


def vllm_executable() -> str:
    """Return the path of the `vllm` command beside this Python, else on PATH."""
    beside = Path(sys.executable).with_name("vllm")
    found = str(beside) if beside.exists() else shutil.which("vllm")
    if found is None:
        raise ServerStartError(
            "vllm: not found beside this Python nor on PATH; install it with `pip install 'lvqa[vllm]'` "
            "(without a GPU: scripts/vllm_cpu/README.md), or use a running server with --base-url"
        )
    return found


def _guarded(command: list[str], environment: dict[str, str], log: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start the command under the guard, in its own session, so that Ctrl-C reaches this process alone."""
    guard = str(Path(__file__).with_name("guard.py"))
    return subprocess.Popen(
        [sys.executable, "-IS", guard, str(os.getpid()), *command],
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT,
        env=environment,
        start_new_session=True,
    )


def _environment(model: str, *, gpu: bool) -> dict[str, str]:
    """Return the server's environment: no telemetry, no key, and no network where the model is a folder."""
    environment = {} if gpu else dict(_CPU_ENVIRONMENT)
    environment |= os.environ
    environment.pop("VLLM_API_KEY", None)  # it would lock our own server; only this machine reaches it
    environment["VLLM_NO_USAGE_STATS"] = "1"
    # Kernels are built at start-up with tools that lie beside this Python.
    environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), environment.get("PATH", "")])
    if Path(model).is_dir():
        environment["HF_HUB_OFFLINE"] = "1"
    return environment


def free_ports(count: int) -> list[int]:
    """Return so many different ports that nobody listens at."""
    with contextlib.ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind((_HOST, 0))
        return [int(probe.getsockname()[1]) for probe in probes]


def _healthy(port: int) -> bool:
    connection = http.client.HTTPConnection(_HOST, port, timeout=5)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


@contextlib.contextmanager
def _progress(what: str) -> Iterator[None]:
    """Show that something is under way, on stderr and only to a person."""
    from rich.console import Console

    console = Console(stderr=True)
    with console.status(what) if console.is_terminal else contextlib.nullcontext():
        yield

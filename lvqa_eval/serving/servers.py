"""Several independent servers of one model on one machine: how dense models use more GPUs than one needs."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from lvqa_eval.serving.server import ServerOptions, ServerStartError, VllmServer, free_ports, has_gpu


@contextlib.contextmanager
def serving(
    options: ServerOptions, logs: list[Path], *, media: Path | None = None, patience: float = 3600.0
) -> Iterator[list[VllmServer]]:
    """Run one server for each log, all started at once, each on GPUs of its own; end them with the block.

    Raises ServerStartError where one does not start.
    """
    devices = shares(os.environ.get("CUDA_VISIBLE_DEVICES"), options.gpus, len(logs)) if has_gpu() else []
    servers = [
        VllmServer(options, log, patience=patience, media=media, devices=seen, port=port)
        for log, port, seen in zip(logs, free_ports(len(logs)), devices or [None] * len(logs), strict=True)
    ]
    with contextlib.ExitStack() as stack:
        for server in servers:
            stack.callback(server.stop)
            server.start()
        for server in servers:
            server.wait()
        yield servers


def shares(visible: str | None, gpus: int, servers: int) -> list[str | None]:
    """Return the GPUs of each server, `gpus` apiece, in the form of CUDA_VISIBLE_DEVICES (`visible`).

    One server alone sees what this process sees. Raises ServerStartError where `visible` names too few.
    """
    if servers == 1:
        return [None]
    names = visible.split(",") if visible else [str(number) for number in range(gpus * servers)]
    if len(names) < gpus * servers:
        raise ServerStartError(
            f"CUDA_VISIBLE_DEVICES: found {visible!r}, {servers} servers of {gpus} need {gpus * servers} GPUs"
        )
    return [",".join(names[start : start + gpus]) for start in range(0, gpus * servers, gpus)]

"""Ray itself: joining a cluster, what it has room for, and the hand of a worker that is a Ray actor."""

import asyncio
import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

from lvqa_eval.distributed.crew import HandLostError
from lvqa_eval.distributed.schedule import Unit
from lvqa_eval.distributed.worker import Event, Labour, Refused, Started, Worker
from lvqa_eval.errors import LvqaError

Item = TypeVar("Item")

LOCAL = "local"
_PLACEMENT = 600.0
_KNOCK = 10.0
_OBJECTS = 128 * 2**20  # of a local Ray, whose default is a third of the memory


class ClusterError(LvqaError, RuntimeError):
    """Ray is not installed, does not answer, or has too little room."""


class Cluster:
    """A Ray that this process has joined."""

    def __init__(self, ray: Any) -> None:
        self._ray = ray
        self._nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]

    @property
    def nodes(self) -> int:
        """The number of machines."""
        return len(self._nodes)

    @property
    def has_gpus(self) -> bool:
        """Whether any machine has a GPU that Ray knows of."""
        return any(node.get("GPU", 0) > 0 for node in self._nodes)

    def places(self, cpus: int, gpus: int) -> int:
        """Return how many workers of so many CPUs and GPUs the machines hold, each on one machine."""
        return sum(
            min(int(node.get(kind, 0) // count) for kind, count in (("CPU", cpus), ("GPU", gpus)) if count)
            for node in self._nodes
        )

    def hand(self, labour: Labour[Item], *, cpus: int, gpus: int) -> "RayHand[Item]":
        """Start a worker somewhere in the cluster."""
        actor = self._ray.remote(Worker).options(
            num_cpus=cpus, num_gpus=gpus, max_restarts=0, scheduling_strategy="SPREAD"
        )
        return RayHand(self._ray, actor.remote(labour))


def crew_size(cluster: Cluster, wanted: int | None, *, cpus: int, gpus: int) -> int:
    """Return how many workers to start: `wanted`, or as many as fit. Raises ClusterError without room."""
    places = cluster.places(cpus, gpus)
    size = wanted or (places if gpus else min(places, cluster.nodes))
    if size > places or size == 0:
        each = f"{gpus} GPUs on one machine" if gpus else "a CPU"
        raise ClusterError(
            f"--ray: the cluster has room for {places} workers of {each}, needed: {size or 1}; "
            "start Ray on more machines, or name fewer --workers"
        )
    return size


@contextmanager
def joined(address: str, cpus: int) -> Iterator[Cluster]:
    """Join the Ray at `address` (as ray.init takes it) for the `with` block.

    `local` starts one that has room for workers of `cpus` in all. A Ray that this process has joined already
    is used as it is. Raises ClusterError in one line.
    """
    ray = _ray()
    if ray.is_initialized():
        yield Cluster(ray)
        return
    _knock(address)
    own = {
        "num_cpus": max(cpus, os.cpu_count() or 1),
        "include_dashboard": False,
        "object_store_memory": _OBJECTS,
    }
    try:
        ray.init(
            address=address,
            log_to_driver=False,
            logging_level=logging.CRITICAL,
            **(own if address == LOCAL else {}),
        )
    except Exception as error:  # Ray has no common base for what goes wrong here
        token = "" if "RAY_AUTH_MODE" in os.environ else "; does it ask for a token (RAY_AUTH_MODE=token)?"
        raise ClusterError(f"--ray {address}: cannot be joined: {_line(error)}{token}") from error
    try:
        yield Cluster(ray)
    finally:
        ray.shutdown()


class RayHand(Generic[Item]):
    """The hand of a worker that is a Ray actor; it ends with this process."""

    def __init__(self, ray: Any, actor: Any) -> None:
        self._ray, self._actor = ray, actor
        self._placed = False

    async def start(self, demand: Any) -> Started | Refused:
        """Wait until the worker has its place, then make it ready."""
        try:
            await asyncio.wait_for(self._answer(self._actor.host.remote()), _PLACEMENT)
        except TimeoutError:
            told = f"no machine had room for it within {_PLACEMENT:g} s"
            raise HandLostError(told) from None
        self._placed = True
        answer: Started | Refused = await self._answer(self._actor.start.remote(demand))
        return answer

    def give(self, unit: Unit[Item]) -> None:
        """Send a unit; that it did not arrive shows where events are awaited."""
        self._actor.give.remote(unit)

    async def events(self) -> list[Event]:
        """Wait for what happens next."""
        events: list[Event] = await self._answer(self._actor.events.remote())
        return events

    def drain(self) -> None:
        """Have the worker begin nothing more."""
        self._actor.drain.remote()

    async def stop(self) -> None:
        """End what the worker does, its server included; one that waits for a place has nothing to end."""
        if self._placed:
            await self._answer(self._actor.stop.remote())

    def kill(self) -> None:
        """End the worker's process."""
        self._ray.kill(self._actor)

    async def _answer(self, reference: Any) -> Any:
        try:
            return await reference
        except self._ray.exceptions.RayTaskError:
            raise  # a fault of ours, with the worker's own traceback
        except self._ray.exceptions.RayError as error:
            raise HandLostError(_line(error)) from error


def _knock(address: str) -> None:
    """See that something answers at HOST:PORT or ray://HOST:PORT; Ray itself would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        try:
            socket.create_connection((host, int(port)), _KNOCK).close()
        except OSError as error:
            raise ClusterError(f"--ray {address}: nothing answers there: {error}") from error


def _ray() -> Any:
    # Read when Ray is imported, here and in the processes that it starts.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        import ray
    except ImportError:
        raise ClusterError("--ray: Ray is not installed; `pip install 'lvqa[ray]'` installs it") from None
    return ray


def _line(error: Exception) -> str:
    """Return the telling line of what Ray says."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    missing = [line for line in lines if line.startswith("ModuleNotFoundError")]
    if missing:
        return f"{missing[-1]}: every node needs the same lvqa installed"
    if not lines:
        return type(error).__name__
    return " ".join(lines[:2]) if lines[0].endswith(":") else lines[0]

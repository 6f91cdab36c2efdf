"""The workers of one run on a Ray cluster, as an evaluation needs them."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from lvqa_eval.distributed.cluster import Cluster, ClusterError, crew_size
from lvqa_eval.distributed.conversations import ConversationLabour, Demand, units
from lvqa_eval.distributed.crew import PAUSES, Crew, Hand, RefusedError, Taking
from lvqa_eval.parts import api_key
from lvqa_eval.plan import Work
from lvqa_eval.scheduled import ScheduledDataset
from lvqa_eval.serving.model import Model
from lvqa_eval.serving.preflight import PreflightError, Requirements, ServerRecord
from lvqa_eval.serving.server import ServerOptions
from lvqa_eval.settings import Settings

_CPUS = 1


class RayWorkforce:
    """One worker for each base URL, else `settings.workers` with a server each, else as many as fit.

    Raises ClusterError where the cluster has too little room.
    """

    def __init__(
        self,
        cluster: Cluster,
        settings: Settings,
        dataset: ScheduledDataset,
        model: Model,
        server: ServerOptions | None,
        folder: Path,
        tell: Callable[[str], None],
    ) -> None:
        self._settings = settings
        gpus = settings.gpus if server is not None and cluster.has_gpus else 0
        self._size = _size(cluster, settings, gpus)
        everywhere = _found_everywhere(settings, dataset, model)
        own = None if server is None else replace(server, model=everywhere.model)
        folder.mkdir(parents=True, exist_ok=True)

        def hire(number: int) -> Hand[Work]:
            urls = everywhere.base_urls[number - 1 : number]
            labour = ConversationLabour(
                replace(everywhere, base_urls=urls),
                model.served_name,
                dataset.manifest_sha256,
                own,
                gpus > 0,
                folder.resolve(),
                number,
            )
            return cluster.hand(labour, cpus=_CPUS, gpus=gpus)

        tell(f"starting {self._size} workers on {cluster.nodes} machines")
        self._crew = Crew(hire, self._size, settings.in_flight, tell, PAUSES)

    async def check(self, needed: Sequence[Requirements]) -> ServerRecord:
        """Make every worker ready; raises PreflightError where one cannot serve, or where they differ."""
        try:
            record: ServerRecord = await self._crew.start(Demand(tuple(needed), api_key(self._settings)))
        except RefusedError as error:
            raise PreflightError(error.problems) from None
        return record

    async def hold(self, work: Sequence[tuple[int, Work]], taking: Taking) -> None:
        """Have the workers hold `work`."""
        await self._crew.work(units(work, self._size), taking)

    async def stop(self) -> None:
        """End the workers and their servers."""
        await self._crew.stop()


def _size(cluster: Cluster, settings: Settings, gpus: int) -> int:
    servers = len(settings.base_urls)
    if servers and settings.workers not in (None, servers):
        allowed = f"one for each --base-url, {servers}"
        raise ClusterError(f"--workers: found {settings.workers}, allowed: {allowed}")
    return crew_size(cluster, servers or settings.workers, cpus=_CPUS, gpus=gpus)


def _found_everywhere(settings: Settings, dataset: ScheduledDataset, model: Model) -> Settings:
    """Return the settings with dataset and model named as every machine finds them."""
    folder = Path(settings.dataset).is_dir()
    return replace(
        settings,
        dataset=str(Path(settings.dataset).resolve()) if folder else settings.dataset,
        revision=None if folder else dataset.revision,
        model=str(Path(settings.model).resolve()) if Path(settings.model).is_dir() else settings.model,
        model_revision=model.revision,
    )

"""What a worker of a run does: it has one server, and holds conversations as a run on one machine does."""

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from itertools import groupby
from pathlib import Path

from lvqa_eval.distributed.schedule import Unit
from lvqa_eval.distributed.server_process import ServerProcess
from lvqa_eval.distributed.worker import Give, LabourLostError, Note
from lvqa_eval.errors import LvqaError
from lvqa_eval.parts import make_client, make_setting
from lvqa_eval.plan import Work
from lvqa_eval.run import hold
from lvqa_eval.runs.records import ConversationRecord
from lvqa_eval.runs.store import MEDIA, SERVER_LOG
from lvqa_eval.scheduled import ScheduledDataset
from lvqa_eval.serving.client import ChatClient, ServerGoneError
from lvqa_eval.serving.preflight import Requirements, ServerRecord, preflight
from lvqa_eval.serving.server import ServerOptions, ServerStartError, has_gpu
from lvqa_eval.settings import Settings
from lvqa_eval.simulation.conversation import Setting
from lvqa_eval.statuses import FINAL

UNIT = 64
"""The most conversations of a unit, unless one question alone has more."""

_UNITS_A_WORKER = 8  # at least, where the work allows: the last ones even out what workers took


class WorkerError(LvqaError, RuntimeError):
    """A worker's machine lacks what the run needs."""


@dataclass(frozen=True)
class Demand:
    """What the servers must be able to do; the key of others' servers travels here and is kept nowhere."""

    requirements: tuple[Requirements, ...]
    api_key: str | None = field(default=None, repr=False)


@dataclass
class ConversationLabour:
    """Holds conversations at the one server of `settings`, or at one that is started with `server`.

    `settings` names dataset and model so that every machine finds them: by absolute path, or on the Hub by
    revision; `manifest_sha256` is the dataset's. What the server writes and reads goes to the run's `folder`
    where that is reachable, else to a folder of the machine's own; `number` tells this worker's from others'.
    """

    settings: Settings
    served_name: str
    manifest_sha256: str
    server: ServerOptions | None
    gpu: bool
    folder: Path
    number: int
    lvqa: str = field(default_factory=lambda: version("lvqa"))

    def __post_init__(self) -> None:
        self._process: ServerProcess | None = None
        self._opened = AsyncExitStack()
        self._base_url: str | None = None
        self._at_work: tuple[Setting, ChatClient] | None = None

    async def start(self, demand: Demand, note: Note) -> ServerRecord:
        """Open the dataset, start the server if it is ours, and check what it can do."""
        if self._at_work is None:
            dataset = self._dataset()
            media = self._place(MEDIA) if self.settings.image_transport == "file" else None
            if demand.api_key is not None:
                os.environ["LVQA_API_KEY"] = demand.api_key
            url = self._base_url = self._base_url or await self._served(media)
            settings = replace(self.settings, base_urls=(url,) if self.server is None else ())
            ended = () if self._process is None else (self._process.ended,)
            client = await self._opened.enter_async_context(
                make_client(settings, self.served_name, (url,), ended)
            )
            self._at_work = make_setting(settings, dataset, client, record=note, media=media), client
        assert self._base_url is not None
        return await preflight(
            (self._base_url,),
            self.served_name,
            self.settings.sampling,
            demand.requirements,
            api_key=demand.api_key,
        )

    async def work(self, items: Iterator[tuple[int, Work]], give: Give) -> None:
        """Hold each conversation; a failure in serving is not settled."""
        assert self._at_work is not None
        setting, client = self._at_work
        places = {}

        def numbered() -> Iterator[tuple[int, Work]]:
            for place, work in items:
                places[work.key] = place
                yield place, work

        def keep(record: ConversationRecord) -> None:
            give(places[record.key], record, settled=record.status in FINAL)

        try:
            await hold(numbered(), setting, client, keep, in_flight=self.settings.in_flight)
        except ServerGoneError as error:
            raise LabourLostError(str(error)) from error

    async def stop(self) -> None:
        """Close the client and end the server."""
        await self._opened.aclose()
        if self._process is not None:
            await self._process.stop()

    def _dataset(self) -> ScheduledDataset:
        """Open the dataset; one line tells what this machine lacks."""
        if version("lvqa") != self.lvqa:
            raise WorkerError(f"lvqa: found {version('lvqa')} there, needed {self.lvqa} as on the driver")
        for kind, place in (("dataset", self.settings.dataset), ("model", self.settings.model)):
            if Path(place).is_absolute() and not Path(place).is_dir():
                raise WorkerError(f"{kind}: no folder {place} there; every machine needs it at this path")
        dataset = self.settings.open_dataset()
        if dataset.manifest_sha256 != self.manifest_sha256:
            raise WorkerError(
                f"dataset: {self.settings.dataset} is another one there: its manifest has the hash "
                f"{dataset.manifest_sha256[:8]}, that of the driver's {self.manifest_sha256[:8]}"
            )
        return dataset

    async def _served(self, media: Path | None) -> str:
        if self.server is None:
            return self.settings.base_urls[0]
        if has_gpu() != self.gpu:
            found, needed = ("one", "none") if self.gpu is False else ("none", "one")
            raise WorkerError(f"GPU: found {found} there, needed {needed} as Ray counts them")
        self._process = ServerProcess(self.server, self._place(SERVER_LOG), media)
        try:
            return await self._process.start()
        except ServerStartError as error:
            await self._process.stop()
            raise LabourLostError(str(error)) from error

    def _place(self, name: str) -> Path:
        """Return where this worker's own file or folder of that name goes."""
        folder = self.folder if self.folder.is_dir() else Path(tempfile.mkdtemp(prefix="lvqa-"))
        return (folder / name).with_stem(f"{Path(name).stem}-{self.number}")


def units(work: Sequence[tuple[int, Work]], workers: int) -> list[Unit[Work]]:
    """Pack conversations, numbered by their place in the plan, into units: whole questions of one scene."""
    most = max(1, min(UNIT, len(work) // (_UNITS_A_WORKER * workers)))
    found: list[Unit[Work]] = []
    for scene, of_scene in groupby(work, key=lambda one: one[1].row.scene_id):
        items: dict[int, Work] = {}
        for _, of_question in groupby(of_scene, key=lambda one: one[1].row.question_id):
            question = dict(of_question)
            if items and len(items) + len(question) > most:
                found.append(Unit(len(found), scene, items))
                items = {}
            items |= question
        found.append(Unit(len(found), scene, items))
    return found

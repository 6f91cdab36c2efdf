"""What a worker of a cluster does for a judge model: it has one server, and rules as one machine does."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from lvqa_eval.distributed.conversations import WorkerError
from lvqa_eval.distributed.server_process import ServerProcess
from lvqa_eval.distributed.worker import Give, LabourLostError, Note
from lvqa_eval.judging.llm_judge import JudgeSettings, LlmJudge
from lvqa_eval.judging.server_check import check_servers
from lvqa_eval.pool import for_each
from lvqa_eval.runs.records import ConversationRecord, JudgementRecord, Question
from lvqa_eval.serving.client import ChatClient, ServerGoneError
from lvqa_eval.serving.preflight import ServerRecord
from lvqa_eval.serving.request import Route
from lvqa_eval.serving.server import ServerOptions, ServerStartError, has_gpu
from lvqa_eval.statuses import JudgeStatus


class Brief(NamedTuple):
    """One conversation of the run number `run`, to be ruled on by the protocol number `protocol`."""

    protocol: int
    run: int
    question: Question
    conversation: ConversationRecord


class Ruled(NamedTuple):
    """What came of a `Brief`."""

    protocol: int
    run: int
    record: JudgementRecord


@dataclass(frozen=True)
class ApiKey:
    """The key of others' servers, which travels here and is kept nowhere."""

    word: str | None = field(default=None, repr=False)


@dataclass
class JudgeLabour:
    """Rules at the server `base_url` or, where that is None, at one that is started with `server`.

    `settings` has one judge a protocol. The log of a server goes to the folder of `log` where that is
    reachable, else to one of the machine's own.
    """

    settings: tuple[JudgeSettings, ...]
    base_url: str | None
    server: ServerOptions | None
    gpu: bool
    log: Path
    in_flight: int
    deadline: float
    lvqa: str = field(default_factory=lambda: version("lvqa"))

    def __post_init__(self) -> None:
        self._process: ServerProcess | None = None
        self._opened = AsyncExitStack()

    async def start(self, demand: ApiKey, note: Note) -> ServerRecord:
        """Start the server if it is ours, and check that it can judge."""
        if version("lvqa") != self.lvqa:
            raise WorkerError(f"lvqa: found {version('lvqa')} there, needed {self.lvqa} as on the driver")
        url = self.base_url or await self._served()
        record = await check_servers([url], self.settings, demand.word, self.deadline)
        ended: tuple[Callable[[], str | None], ...] = ()
        if self._process is not None:
            ended = (self._process.ended,)
        first = self.settings[0]
        client = ChatClient(
            [url],
            first.model,
            first.sampling,
            api_key=demand.word,
            deadline=self.deadline,
            concurrency=self.in_flight,
            ended=ended,
            jitter_seed=first.seed,
        )
        await self._opened.enter_async_context(client)
        self._judges = [LlmJudge(client, settings) for settings in self.settings]
        return record

    async def work(self, items: Iterator[tuple[int, Brief]], give: Give) -> None:
        """Rule on each conversation; a failure in serving is not settled."""

        async def rule(one: tuple[int, Brief]) -> None:
            place, (protocol, run, question, conversation) = one
            record = await self._judges[protocol].judge(question, conversation, Route(0, place))
            give(
                place, Ruled(protocol, run, record), settled=record.status is not JudgeStatus.TRANSPORT_ERROR
            )

        try:
            await for_each(items, rule, self.in_flight)
        except ServerGoneError as error:
            raise LabourLostError(str(error)) from error

    async def stop(self) -> None:
        """Close the client and end the server."""
        await self._opened.aclose()
        if self._process is not None:
            await self._process.stop()

    async def _served(self) -> str:
        assert self.server is not None
        self._check_machine(self.server.model)
        reachable = self.log.parent.is_dir()
        log = self.log if reachable else Path(tempfile.mkdtemp(prefix="lvqa-")) / self.log.name
        self._process = ServerProcess(self.server, log)
        try:
            return await self._process.start()
        except ServerStartError as error:
            await self._process.stop()
            raise LabourLostError(str(error)) from error

    def _check_machine(self, model: str) -> None:
        """Raise WorkerError in one line for what this machine lacks."""
        if Path(model).is_absolute() and not Path(model).is_dir():
            raise WorkerError(f"model: no folder {model} there; every machine needs it at this path")
        if has_gpu() != self.gpu:
            found, needed = ("none", "one") if self.gpu else ("one", "none")
            raise WorkerError(f"GPU: found {found} there, needed {needed} as Ray counts them")

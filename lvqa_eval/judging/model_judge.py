"""One judge model from its name to its verdicts: its identity, its servers, what they are checked for."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lvqa_eval.files import file_name
from lvqa_eval.judging.cases import Cases
from lvqa_eval.judging.llm_judge import JudgeSettings, LlmJudge
from lvqa_eval.judging.run import judge_cases
from lvqa_eval.judging.server_check import check_servers
from lvqa_eval.judging.tally import Account
from lvqa_eval.serving.client import ChatClient
from lvqa_eval.serving.endpoint import key_from_environment, providers
from lvqa_eval.serving.model import Model, find_model
from lvqa_eval.serving.preflight import ServerRecord
from lvqa_eval.serving.request import Sampling
from lvqa_eval.serving.server import ServerOptions, has_gpu
from lvqa_eval.serving.servers import serving
from lvqa_eval.tally import Prices

if TYPE_CHECKING:
    from lvqa_eval.distributed.cluster import Cluster

Tell = Callable[[str], None]
Ended = Callable[[], str | None]

SERVER = "server"
"""The part of a judge's identity that is known once its server answers."""


@dataclass(frozen=True)
class JudgeOptions:
    """What `lvqa judge` lets one choose; its help says what each is."""

    protocols: tuple[str, ...] = ("final-turn",)
    sampling: Sampling = field(default_factory=lambda: Sampling(temperature=0.0, max_tokens=2048))
    structured: bool = True
    seed: int = 0
    retest: bool = False
    in_flight: int = 64
    deadline: float = 600.0
    prices: Prices = field(default_factory=Prices)
    max_cost: float | None = None
    context: int | None = None
    gpus: int = 1
    servers: int = 1
    server_arguments: tuple[str, ...] = ()
    log: Path | None = None
    workers: int | None = None


class ModelJudge:
    """The judge model `name`, behind running servers or, without `base_urls`, behind ones of our own.

    On a `cluster` each server has a worker that asks it.
    """

    def __init__(
        self, name: str, base_urls: Sequence[str], options: JudgeOptions, cluster: "Cluster | None" = None
    ) -> None:
        self._options, self._base_urls, self._cluster = options, tuple(base_urls), cluster
        self._model = find_model(name, None, fetch=not base_urls)
        self._server = None if base_urls else _server(self._model, options)
        self.settings = tuple(
            JudgeSettings(
                self._model.served_name,
                protocol,
                options.sampling,
                options.structured,
                options.seed,
                options.retest,
            )
            for protocol in options.protocols
        )
        self._gpu = has_gpu() if cluster is None else cluster.has_gpus
        # The first argument is the model, which may be a path of this machine and is named above.
        arguments = None if self._server is None else self._server.arguments(gpu=self._gpu)[1:]
        self._known: dict[str, Any] = {
            "model": self._model.identity(),
            "providers": providers(base_urls),
            "vllm_serve": arguments,
        }

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the judges that the model is: one for each protocol."""
        return tuple(settings.name for settings in self.settings)

    def check(self, cases: Cases) -> None:
        """Raise IdentityChangedError where a run was judged with other settings; no server is needed."""
        for settings in self.settings:
            cases.check_begun(settings.name, {**settings.identity(), **self._known}, later=(SERVER,))

    def judge(self, cases: Cases, account: Account, tell: Tell) -> None:
        """Let the model rule on what is left, protocol by protocol; its servers live no longer than that.

        Raises an LvqaError where a server does not start, does not fit or is gone; what came before is kept.
        """
        if not any(cases.left(name) for name in self.names):
            return
        if self._cluster is not None:
            asyncio.run(self._judge_on(self._cluster, cases, account, tell))
            return
        with self._served(cases, tell) as (urls, ended):
            asyncio.run(self._judge_at(urls, ended, cases, account))

    @contextmanager
    def _served(self, cases: Cases, tell: Tell) -> Iterator[tuple[tuple[str, ...], tuple[Ended, ...]]]:
        if self._server is None:
            yield self._base_urls, ()
            return
        first = self._log(cases)
        others = (first.with_stem(f"{first.stem}-{number}") for number in range(2, self._options.servers + 1))
        logs = [first, *others]
        tell(f"starting vllm serve {self._model.name}; log: {', '.join(map(str, logs))}")
        with serving(self._server, logs) as started:
            yield tuple(one.base_url for one in started), tuple(one.ended for one in started)

    async def _judge_at(
        self, urls: tuple[str, ...], ended: tuple[Ended, ...], cases: Cases, account: Account
    ) -> None:
        """Rule from this process."""
        options = self._options
        record = await check_servers(urls, self.settings, self._api_key(), options.deadline)
        client = ChatClient(
            urls,
            self._model.served_name,
            options.sampling,
            api_key=self._api_key(),
            deadline=options.deadline,
            concurrency=options.in_flight,
            ended=ended,
            jitter_seed=options.seed,
        )
        async with client:
            for settings in self.settings:
                judge = LlmJudge(client, settings, about=self._about(record), endpoints=client.endpoints)
                await judge_cases(cases, judge, options.in_flight, account)

    async def _judge_on(self, cluster: "Cluster", cases: Cases, account: Account, tell: Tell) -> None:
        """Have workers rule."""
        from lvqa_eval.judging.labour import JudgeLabour
        from lvqa_eval.judging.spread import Spread, judge_on

        options = self._options
        log, gpus = self._log(cases), options.gpus if self._server is not None and self._gpu else 0
        labour = JudgeLabour(
            self.settings, None, self._server, self._gpu, log, options.in_flight, options.deadline
        )

        def begin(record: ServerRecord) -> None:
            for settings in self.settings:
                for store in cases.stores:
                    store.start_judge(settings.name, {**settings.identity(), **self._about(record)})

        spread = Spread(cluster, labour, self._base_urls, options.workers, gpus)
        await judge_on(spread, cases, account, self._api_key(), begin, tell)

    def _about(self, record: ServerRecord) -> dict[str, Any]:
        """Return what a verdict depends on besides the settings; nothing of pictures, which no judge sees."""
        server = {"max_model_len": record.max_model_len, "version": record.server_version}
        return {**self._known, SERVER: server}

    def _api_key(self) -> str | None:
        """Return the key for others' servers; our own are locked to their machine and need none."""
        if self._server is not None:
            return None
        return key_from_environment()

    def _log(self, cases: Cases) -> Path:
        beside = cases.stores[0].folder.resolve().parent
        return self._options.log or beside / f"judge-{file_name(self._model.served_name)}.log"


def _server(model: Model, options: JudgeOptions) -> ServerOptions:
    revision = ("--revision", model.revision) if model.revision else ()
    return ServerOptions(
        model=model.name,
        served_name=model.served_name,
        images_per_prompt=0,
        max_model_len=options.context or model.context(),
        seed=options.seed,
        gpus=options.gpus,
        extra=(*revision, *options.server_arguments),
    )

"""One judge model from its name to its verdicts: its identity, and who asks its servers."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lvqa_eval.judging.cases import Cases
from lvqa_eval.judging.llm_judge import JudgeSettings, LlmJudge
from lvqa_eval.judging.model_servers import SERVER, Ended, ModelServers, Tell
from lvqa_eval.judging.options import JudgeOptions
from lvqa_eval.judging.run import judge_cases
from lvqa_eval.judging.server_check import check_servers
from lvqa_eval.judging.tally import Account
from lvqa_eval.serving.preflight import ServerRecord

if TYPE_CHECKING:
    from lvqa_eval.distributed.cluster import Cluster


class ModelJudge:
    """The judge model `name`, behind running servers or, without `base_urls`, behind ones of our own.

    On a `cluster` each server has a worker that asks it.
    """

    def __init__(
        self, name: str, base_urls: Sequence[str], options: JudgeOptions, cluster: "Cluster | None" = None
    ) -> None:
        self._options, self._cluster = options, cluster
        gpu = None if cluster is None else cluster.has_gpus
        self._servers = ModelServers(name, base_urls, options, gpu=gpu)
        self.settings = tuple(
            JudgeSettings(
                self._servers.model.served_name,
                protocol,
                options.sampling,
                options.structured,
                options.seed,
                options.retest,
            )
            for protocol in options.protocols
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the judges that the model is: one for each protocol."""
        return tuple(settings.name for settings in self.settings)

    def check(self, cases: Cases) -> None:
        """Raise IdentityChangedError where a run was judged with other settings; no server is needed."""
        for settings in self.settings:
            cases.check_begun(settings.name, {**settings.identity(), **self._servers.known}, later=(SERVER,))

    def judge(self, cases: Cases, account: Account, tell: Tell) -> None:
        """Let the model rule on what is left, protocol by protocol; its servers live no longer than that.

        Raises an LvqaError where a server does not start, does not fit or is gone; what came before is kept.
        """
        if not any(cases.left(name) for name in self.names):
            return
        if self._cluster is not None:
            asyncio.run(self._judge_on(self._cluster, cases, account, tell))
            return
        log = self._servers.log(cases.stores[0].folder)
        with self._servers.served(log, tell) as (urls, ended):
            asyncio.run(self._judge_at(urls, ended, cases, account))

    async def _judge_at(
        self, urls: tuple[str, ...], ended: tuple[Ended, ...], cases: Cases, account: Account
    ) -> None:
        """Rule from this process."""
        servers, options = self._servers, self._options
        record = await check_servers(urls, self.settings, servers.api_key, options.deadline)
        async with servers.client(urls, ended) as client:
            for settings in self.settings:
                # Nothing of pictures is recorded, which no judge sees.
                about = servers.about(record)
                judge = LlmJudge(client, settings, about=about, endpoints=client.endpoints)
                await judge_cases(cases, judge, options.in_flight, account)

    async def _judge_on(self, cluster: "Cluster", cases: Cases, account: Account, tell: Tell) -> None:
        """Have workers rule."""
        from lvqa_eval.judging.labour import JudgeLabour
        from lvqa_eval.judging.spread import Spread, judge_on

        options, servers = self._options, self._servers
        log = servers.log(cases.stores[0].folder)
        gpus = options.gpus if servers.started is not None and servers.gpu else 0
        labour = JudgeLabour(
            self.settings, None, servers.started, servers.gpu, log, options.in_flight, options.deadline
        )

        def begin(record: ServerRecord) -> None:
            for settings in self.settings:
                for store in cases.stores:
                    store.start_judge(settings.name, {**settings.identity(), **servers.about(record)})

        spread = Spread(cluster, labour, servers.base_urls, options.workers, gpus)
        await judge_on(spread, cases, account, servers.api_key, begin, tell)

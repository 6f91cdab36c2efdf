"""Ask a judge model for the verdicts that are missing: its servers, their check, and the requests."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile
from typing import Any

from lvqa_eval.detectors.verdicts.files import VerdictFiles
from lvqa_eval.detectors.verdicts.judge import VerdictJudge, VerdictSettings
from lvqa_eval.detectors.verdicts.responses import Responses
from lvqa_eval.judging.cases import Case, routed
from lvqa_eval.judging.model_servers import SERVER, Ended, ModelServers, Tell
from lvqa_eval.judging.options import JudgeOptions
from lvqa_eval.pool import for_each
from lvqa_eval.progress import progress
from lvqa_eval.runs.store import RunStore
from lvqa_eval.serving.client import ChatClient
from lvqa_eval.serving.preflight import PreflightError, Requirements, ServerRecord, preflight
from lvqa_eval.serving.request import Route

_CANARY = 16  # tokens


class VerdictModel:
    """The model `name` as the judge of `responses`, at `base_urls` or, without any, at servers of our own."""

    def __init__(
        self, name: str, base_urls: Sequence[str], responses: Responses, options: JudgeOptions
    ) -> None:
        self._responses, self._options = responses, options
        pictures = max(responses.most_pictures.values(), default=0)
        self._servers = ModelServers(name, base_urls, options, images=pictures)
        self._settings = VerdictSettings(self._servers.model.served_name, options.sampling, options.seed)

    @property
    def judge(self) -> str:
        """The name of its files in a run's folder."""
        return self._settings.name

    def ask(self, files: VerdictFiles, tell: Tell) -> None:
        """Ask for every verdict that is missing, question by question; each is kept at once.

        Raises IdentityChangedError before any where a run was asked about otherwise; an LvqaError where a
        server does not start, does not fit or is gone, and SentPictureError: what came before is kept.
        """
        files.check(partial(self._identity, about=self._servers.known), later=(SERVER,))
        left = files.left()
        if not left:
            return
        log = self._servers.log(self._responses.runs[0].folder)
        with self._servers.served(log, tell) as (urls, ended):
            asyncio.run(self._ask_at(urls, ended, left, files))

    def _identity(self, run: RunStore, about: Mapping[str, Any]) -> Mapping[str, Any]:
        return {**self._settings.identity(self._responses.sent[run.folder]), **about}

    async def _ask_at(
        self, urls: tuple[str, ...], ended: tuple[Ended, ...], left: list[list[Case]], files: VerdictFiles
    ) -> None:
        record = await self._checked(urls)
        files.start(partial(self._identity, about=self._servers.about(record)))
        async with self._servers.client(urls, ended) as client:
            await self._ask(client, left, files)

    async def _ask(self, client: ChatClient, left: list[list[Case]], files: VerdictFiles) -> None:
        judge, loads = VerdictJudge(client, self._settings), [0] * client.endpoints
        with progress(f"verdicts: {self.judge}", sum(map(len, left))) as advance:

            async def check(one: tuple[Route, Case]) -> None:
                route, (run, _, conversation) = one
                sent = await self._responses.sent[run.folder].messages(conversation)
                record = await judge.verdict(conversation, sent, route)
                loads[route.endpoint] -= 1
                files.add(run, record)
                advance(str(files.tally))

            begun = takewhile(lambda _: files.goes_on(), routed(left, loads))
            await for_each(begun, check, self._options.in_flight * client.endpoints)

    async def _checked(self, urls: tuple[str, ...]) -> ServerRecord:
        """Check every server with a request as those to come, pictures and log-probabilities included."""
        options, model = self._options, self._servers.model.served_name
        sampling = replace(options.sampling, max_tokens=min(_CANARY, options.sampling.max_tokens))
        needed = [Requirements(name, images) for name, images in self._responses.most_pictures.items()]
        try:
            return await preflight(
                urls, model, sampling, needed, api_key=self._servers.api_key, deadline=options.deadline
            )
        except PreflightError as error:
            if "logprob" not in str(error):
                raise
            mend = "log-probabilities: ask for fewer alternatives, or for none: --logprobs 0"
            raise PreflightError([*error.problems, mend]) from None

"""Checks a running server against what the chosen conditions need, before the first question is asked."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import aiohttp
import orjson

from lvqa_eval.errors import LvqaError
from lvqa_eval.serving.client import ChatClient
from lvqa_eval.serving.endpoint import Endpoint, headers, redacted
from lvqa_eval.serving.probes import image_order, message, picture, text
from lvqa_eval.serving.request import Message, Sampling, whole
from lvqa_eval.simulation.replies import Reply, error_message
from lvqa_eval.statuses import EXCLUDED

ORDER_KEPT = "kept"
ORDER_UNKNOWN = "not checkable"
ORDER_UNUSED = "not needed"
_LIMIT = re.compile(r"at most (\d+) image", re.IGNORECASE)


@dataclass(frozen=True)
class Requirements:
    """What the longest conversation of one condition needs.

    `prompt_tokens` is the caller's estimate, pictures included, None where there is none.
    """

    condition: str
    images_per_prompt: int
    prompt_tokens: int | None = None


def too_long(needed: Requirements, reply: int, context: int | None) -> str | None:
    """Say that a condition does not fit a context (in tokens, None where unknown), and the mend."""
    if context is None or needed.prompt_tokens is None or needed.prompt_tokens + reply <= context:
        return None
    total = needed.prompt_tokens + reply
    smaller = ", make its pictures smaller (--max-pixels)" if needed.images_per_prompt else ""
    return (
        f"context: the server takes {context} tokens, {needed.condition} needs about {total} "
        f"({needed.prompt_tokens} and a reply of {reply}): start it with --max-model-len {total} "
        f"(--context {total} where `vllm serve` is started for you){smaller}, or leave the condition out"
    )


@dataclass(frozen=True)
class ServerRecord:
    """What the server is, for the identity of a run; None where it does not say.

    `image_order` is "kept"; "not checkable" where the server cannot show its prompt; "not needed" where no
    prompt has two pictures. `images_per_prompt` is the number that a request was seen to carry.
    """

    model: str
    max_model_len: int | None
    server_version: str | None
    image_order: str
    images_per_prompt: int


class PreflightError(LvqaError, RuntimeError):
    """The server cannot serve the run; one line for each reason, with its mend."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


async def preflight(
    base_urls: Sequence[str],
    model: str,
    sampling: Sampling,
    requirements: Sequence[Requirements],
    *,
    api_key: str | None = None,
    deadline: float = 300.0,
) -> ServerRecord:
    """Check every endpoint; raises PreflightError with all problems, also where the endpoints differ.

    `deadline` is that of each request in seconds; the first one to a fresh server can take long.
    """
    timeout = aiohttp.ClientTimeout(total=deadline)
    async with aiohttp.ClientSession(headers=headers(api_key), timeout=timeout) as session:
        checks = [
            _Check(session, Endpoint.parse(url), model, sampling, api_key, deadline) for url in base_urls
        ]
        records = await asyncio.gather(*[check.record(requirements) for check in checks])
    problems = [
        f"{check.endpoint}: {problem}" if len(checks) > 1 else problem
        for check in checks
        for problem in check.problems
    ]
    if not problems and len(set(records)) > 1:
        found = "; ".join(
            f"{check.endpoint}: {record}" for check, record in zip(checks, records, strict=True)
        )
        problems = [f"endpoints: they differ, and one run needs equal servers: {found}"]
    if problems:
        raise PreflightError(problems)
    return records[0]


@dataclass(frozen=True)
class _Answer:
    """A server's answer: the HTTP status, 0 where none came, and the decoded body or words in its place."""

    status: int
    body: Any

    @property
    def object(self) -> dict[str, Any]:
        return self.body if self.status == 200 and isinstance(self.body, dict) else {}

    @property
    def words(self) -> str:
        said = error_message(self.body) or str(self.body)
        return f"HTTP {self.status}: {said}" if self.status else said


class _Check:
    """The checks of one endpoint, with the problems found so far."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        endpoint: Endpoint,
        model: str,
        sampling: Sampling,
        api_key: str | None,
        deadline: float,
    ) -> None:
        self.endpoint, self.problems = endpoint, list[str]()
        self._session, self._model, self._sampling = session, model, sampling
        self._api_key, self._deadline = api_key, deadline

    async def record(self, requirements: Sequence[Requirements]) -> ServerRecord:
        """Run every check that can still tell something."""
        images = max((needed.images_per_prompt for needed in requirements), default=0)
        card = await self._card()
        length = card.get("max_model_len") if card is not None else None
        order, version = ORDER_UNUSED, None
        if card is not None:
            self._check_length(length, requirements)
            if await self._canary():
                await self._check_images(images, requirements)
                order = await self._order() if images > 1 else ORDER_UNUSED
            version = (await self._get(f"{self.endpoint.root}/version")).object.get("version")
        return ServerRecord(self._model, length, version, order, images)

    async def _card(self) -> dict[str, Any] | None:
        """Return the server's entry for the model, None with a problem where it has none."""
        answer = await self._get(f"{self.endpoint.api}/models")
        cards = answer.object.get("data")
        if not isinstance(cards, list):
            self._problem(
                f"server: {self.endpoint}/models answers {answer.words}: check the address, and the key"
            )
            return None
        found = {str(card.get("id")): card for card in cards if isinstance(card, dict)}
        if self._model in found:
            return found[self._model]
        names = ", ".join(sorted(found)[:10]) + (" …" if len(found) > 10 else "")
        self._problem(
            f"model: found {names or 'none'} at {self.endpoint}, not {self._model!r}: name one of them"
        )
        return None

    def _check_length(self, length: int | None, requirements: Sequence[Requirements]) -> None:
        for needed in requirements:
            problem = too_long(needed, self._sampling.max_tokens, length)
            if problem is not None:
                self._problem(problem)

    async def _canary(self) -> bool:
        """Ask for one word with the run's own sampling."""
        reply = await self._chat(message("user", text("Say yes.")), self._sampling)
        if reply.status in EXCLUDED:
            self._problem(
                f"chat: a plain request fails: {reply.error}: check the key, the model and the sampling"
            )
        return reply.status not in EXCLUDED

    async def _check_images(self, images: int, requirements: Sequence[Requirements]) -> None:
        """Send as many pictures as the greediest condition does; the server's refusal names its limit."""
        if images == 0:
            return
        parts = [part for number in range(images) for part in (text(f"{number + 1}:"), picture(56, number))]
        reply = await self._chat(message("user", *parts), Sampling(max_tokens=1))
        if reply.status not in EXCLUDED:
            return
        limit = _LIMIT.search(reply.error or "")
        if limit is None:
            self._problem(f"images per prompt: a request with {images} fails: {reply.error}")
            return
        takes = int(limit.group(1))
        for needed in requirements:
            if needed.images_per_prompt > takes:
                flag = f"--limit-mm-per-prompt '{{\"image\": {needed.images_per_prompt}}}'"
                self._problem(
                    f"images per prompt: the server takes {takes}, {needed.condition} needs "
                    f"{needed.images_per_prompt}: start it with {flag} or leave the condition out"
                )

    async def _order(self) -> str:
        """Have the server show a prompt of two labels and two pictures, the second the larger."""
        labels = ("FIRSTLABEL", "SECONDLABEL")
        bare = await self._prompt(message("user", text(labels[0]), text(labels[1])))
        parts = (text(labels[0]), picture(56, 0), text(labels[1]), picture(112, 1))
        shown = await self._prompt(message("user", *parts))
        found = image_order(bare, shown, labels) if bare and shown else None
        if found is not None and found != ORDER_KEPT:
            self._problem(
                f"image order: {found}, so that labels lose their pictures: start the server with a chat "
                "template that keeps them in place (--chat-template)"
            )
        return found or ORDER_UNKNOWN

    async def _prompt(self, request: Message) -> str | None:
        """Return the prompt as the server's tokens, None where it cannot show them."""
        body = orjson.dumps({"model": self._model, "return_token_strs": True})[:-1]
        body += b',"messages":[' + whole(request) + b"]}"
        tokens = (await self._post(f"{self.endpoint.root}/tokenize", body)).object.get("token_strs")
        return "".join(map(str, tokens)) if isinstance(tokens, list) else None

    async def _chat(self, request: Message, sampling: Sampling) -> Reply:
        """Send one message as the run will send its own."""
        client = ChatClient(
            [str(self.endpoint)],
            self._model,
            sampling,
            api_key=self._api_key,
            deadline=self._deadline,
            attempts=3,
        )
        async with client:
            return await client.complete([request], seed=0)

    async def _get(self, url: str) -> _Answer:
        return await self._ask("GET", url, None)

    async def _post(self, url: str, body: bytes) -> _Answer:
        return await self._ask("POST", url, body)

    async def _ask(self, method: str, url: str, body: bytes | None) -> _Answer:
        try:
            async with self._session.request(method, url, data=body) as response:
                raw = await response.read()
        except (aiohttp.ClientError, TimeoutError, ConnectionError) as error:
            return _Answer(0, f"{type(error).__name__}: {error}")
        try:
            return _Answer(response.status, orjson.loads(raw))
        except orjson.JSONDecodeError:
            return _Answer(response.status, raw.decode("utf-8", "replace"))

    def _problem(self, words: str) -> None:
        self.problems.append(redacted(words, self._api_key))

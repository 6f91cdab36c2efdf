"""Drafts of many questions from one model behind an OpenAI-compatible endpoint."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from dataset_builders.layered_vqa.annotation.drafting import Drafter
from dataset_builders.layered_vqa.annotation.prompts import Prompts
from dataset_builders.layered_vqa.annotation.records import Asked, ModelDraft
from dataset_builders.layered_vqa.annotation.replies import ShardReply, schema_of
from lvqa_eval.images import PictureStore, Rendering
from lvqa_eval.images.store import Find
from lvqa_eval.pool import for_each
from lvqa_eval.progress import progress
from lvqa_eval.serving.client import ChatClient
from lvqa_eval.serving.endpoint import key_from_environment
from lvqa_eval.serving.preflight import Requirements, preflight
from lvqa_eval.serving.request import Route, Sampling
from lvqa_eval.serving.structured import held_to


@dataclass(frozen=True)
class DraftOptions:
    """Who is asked, and how.

    With `structured` the server is asked to hold replies to a JSON schema. A picture of more than
    `max_pixels` pixels is sent smaller. `in_flight` is the number of questions at once at each server;
    `deadline` that of one request in seconds.
    """

    base_urls: tuple[str, ...]
    model: str
    prompts: Prompts
    sampling: Sampling = field(default_factory=lambda: Sampling(temperature=0.0, max_tokens=8192))
    structured: bool = True
    max_pixels: int | None = 1_000_000
    seed: int = 0
    in_flight: int = 8
    deadline: float = 600.0


def draft_all(
    asked: Sequence[Asked], options: DraftOptions, find: Find, keep: Callable[[Asked, ModelDraft], None]
) -> None:
    """Have every question drafted; `keep` is given each draft as soon as it is there, in this thread.

    `find` gives the files of the scenes' pictures. Raises PreflightError for a server that cannot serve,
    ServerGoneError where it ends, PictureError for a picture that cannot be used: what was kept before stays.
    """
    if asked:
        asyncio.run(_draft_all(asked, options, find, keep))


async def _draft_all(
    asked: Sequence[Asked], options: DraftOptions, find: Find, keep: Callable[[Asked, ModelDraft], None]
) -> None:
    key = key_from_environment()
    needed = [Requirements("a scene with its layers", 1 + max(one.depth for one in asked))]
    # A server without structured output is found by the first request.
    drawn = options.sampling
    drawn = held_to(drawn, "shard", schema_of(ShardReply)) if options.structured else drawn
    await preflight(options.base_urls, options.model, drawn, needed, api_key=key, deadline=options.deadline)
    client = ChatClient(
        options.base_urls,
        options.model,
        options.sampling,
        api_key=key,
        deadline=options.deadline,
        concurrency=options.in_flight,
        jitter_seed=options.seed,
    )
    drafter = Drafter(
        options.model,
        client,
        options.prompts,
        PictureStore(Rendering(max_pixels=options.max_pixels)),
        sampling=options.sampling,
        structured=options.structured,
        seed=options.seed,
    )
    with progress("drafts", len(asked)) as advance:

        async def draft(numbered: tuple[int, Asked]) -> None:
            number, one = numbered
            keep(one, await drafter.draft(one, find, Route(number % client.endpoints, number)))
            advance()

        async with client:
            await for_each(enumerate(asked), draft, options.in_flight * client.endpoints)

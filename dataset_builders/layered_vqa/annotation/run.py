"""Drafts of many questions from one model behind an OpenAI-compatible endpoint."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from dataset_builders.layered_vqa.annotation.drafting import Drafter
from dataset_builders.layered_vqa.annotation.prompts import Prompts
from dataset_builders.layered_vqa.annotation.records import Asked, ModelDraft
from dataset_builders.layered_vqa.annotation.replies import ShardReply, schema_of
from lvqa_eval.images import PictureStore, Rendering
from lvqa_eval.images.store import Find
from lvqa_eval.serving.asking import ask_each
from lvqa_eval.serving.client import ChatClient
from lvqa_eval.serving.preflight import Requirements
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
    if not asked:
        return
    needed = Requirements("a scene with its layers", 1 + max(one.depth for one in asked))
    # A server without structured output is found by the first request.
    checked = held_to(options.sampling, "shard", schema_of(ShardReply)) if options.structured else None

    def asker(client: ChatClient) -> Callable[[Asked, Route], Awaitable[None]]:
        drafter = Drafter(
            options.model,
            client,
            options.prompts,
            PictureStore(Rendering(max_pixels=options.max_pixels)),
            sampling=options.sampling,
            structured=options.structured,
            seed=options.seed,
        )

        async def draft(one: Asked, route: Route) -> None:
            keep(one, await drafter.draft(one, find, route))

        return draft

    asyncio.run(ask_each(asked, asker, options, options.sampling, needed, "drafts", checked))

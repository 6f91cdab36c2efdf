"""The parts of an evaluation, made from its settings: the client, the user, and what conversations share."""

import os
from collections.abc import Callable, Sequence

from lvqa_eval.dataset import Dataset
from lvqa_eval.images import PictureStore
from lvqa_eval.serving.client import ChatClient
from lvqa_eval.settings import Settings
from lvqa_eval.simulation.conversation import Setting
from lvqa_eval.simulation.users import ScriptedUser


def api_key(settings: Settings) -> str | None:
    """Return the key for others' servers; our own are locked to their machine and need none."""
    if not settings.base_urls:
        return None
    return os.environ.get("LVQA_API_KEY") or os.environ.get("OPENAI_API_KEY")


def make_client(
    settings: Settings,
    served_name: str,
    base_urls: tuple[str, ...],
    ended: Sequence[Callable[[], str | None]],
) -> ChatClient:
    """Return the client of a run; `ended` tell with which words each server of our own has ended."""
    return ChatClient(
        base_urls,
        served_name,
        settings.sampling,
        api_key=api_key(settings),
        deadline=settings.deadline,
        concurrency=settings.in_flight,
        jitter_seed=settings.seed,
    )


def make_setting(settings: Settings, dataset: Dataset, client: ChatClient) -> Setting:
    """Return what all conversations of a run share."""
    return Setting(
        benchmark=settings.benchmark,
        dataset=dataset,
        pictures=PictureStore(settings.background_for(dataset)),
        user=ScriptedUser(),
        prompts=settings.benchmark.prompts(),
        seed=settings.seed,
        endpoints=client.endpoints,
    )

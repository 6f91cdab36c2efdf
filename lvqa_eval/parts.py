"""The parts of an evaluation, made from its settings: the client, the user, and what conversations share."""

from collections.abc import Callable, Sequence
from pathlib import Path

from lvqa_eval.images import PictureStore
from lvqa_eval.runs.pictures import PictureRecord
from lvqa_eval.scheduled import ScheduledDataset
from lvqa_eval.serving.client import ChatClient
from lvqa_eval.serving.endpoint import key_from_environment
from lvqa_eval.settings import Settings
from lvqa_eval.simulation.conversation import Setting
from lvqa_eval.simulation.llm_user import LlmUser
from lvqa_eval.simulation.users import ScriptedUser, User


def api_key(settings: Settings) -> str | None:
    """Return the key for others' servers; our own are locked to their machine and need none."""
    if not settings.base_urls:
        return None
    return key_from_environment()


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
        ended=ended,
        jitter_seed=settings.seed,
    )


def make_setting(
    settings: Settings,
    dataset: ScheduledDataset,
    client: ChatClient,
    record: Callable[[PictureRecord], None] | None = None,
    media: Path | None = None,
) -> Setting:
    """Return what all conversations of a run share.

    `record` is told of each picture; in `media` they lie where servers read them by their path.
    """
    return Setting(
        benchmark=settings.benchmark,
        dataset=dataset,
        pictures=PictureStore(
            settings.rendering(dataset), uuid=settings.image_uuid, files=media, record=record
        ),
        user=_user(settings, client),
        prompts=settings.benchmark.prompts(),
        seed=settings.seed,
        endpoints=client.endpoints,
    )


def _user(settings: Settings, client: ChatClient) -> User:
    if settings.user == "scripted":
        return ScriptedUser()
    sampling, structured = settings.user_sampling, settings.user_structured
    return LlmUser(client, client.model, sampling, seed=settings.seed, structured=structured)

"""Whoever holds the conversations of a run, and the nearest of them: this process."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Protocol

from lvqa_eval.parts import api_key, make_client, make_setting
from lvqa_eval.plan import Work
from lvqa_eval.run import hold
from lvqa_eval.runs.pictures import PictureRecord
from lvqa_eval.runs.records import ConversationRecord
from lvqa_eval.scheduled import ScheduledDataset
from lvqa_eval.serving.preflight import Requirements, ServerRecord, preflight
from lvqa_eval.settings import Settings


class Taking(Protocol):
    """What becomes of conversations and pictures, and whether more conversations are wanted."""

    def keep(self, result: ConversationRecord) -> None:
        """Take a conversation."""

    def note(self, note: PictureRecord) -> None:
        """Take a picture that was sent."""

    def goes_on(self) -> bool:
        """Tell whether another conversation may begin; those in flight are always held to their end."""


class Workforce(Protocol):
    """Whoever holds the conversations of a run: this process, or the workers of a cluster."""

    async def check(self, needed: Sequence[Requirements]) -> ServerRecord:
        """Return what the servers are; raises PreflightError where they differ or cannot do that."""

    async def hold(self, work: Sequence[tuple[int, Work]], taking: Taking) -> None:
        """Hold every conversation of `work`, which gives each its place in the plan."""

    async def stop(self) -> None:
        """End what was started for the conversations."""


@dataclass(frozen=True)
class Here:
    """This process, with one server or several; `ended` tell with which words a server of ours has ended."""

    settings: Settings
    dataset: ScheduledDataset
    served_name: str
    base_urls: tuple[str, ...]
    ended: Sequence[Callable[[], str | None]] = ()
    media: Path | None = None

    async def check(self, needed: Sequence[Requirements]) -> ServerRecord:
        """Check every server."""
        sampling, key = self.settings.sampling, api_key(self.settings)
        return await preflight(self.base_urls, self.served_name, sampling, needed, api_key=key)

    async def hold(self, work: Sequence[tuple[int, Work]], taking: Taking) -> None:
        """Hold conversations, many in flight at each server."""
        client = make_client(self.settings, self.served_name, self.base_urls, self.ended)
        setting = make_setting(self.settings, self.dataset, client, taking.note, self.media)
        wanted = takewhile(lambda _: taking.goes_on(), work)
        in_flight = self.settings.in_flight * len(self.base_urls)
        async with client:
            await hold(wanted, setting, client, taking.keep, in_flight=in_flight)

    async def stop(self) -> None:
        """Do nothing: servers end with the block that started them."""

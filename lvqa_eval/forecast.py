"""What a run will need, before anything runs: conversations, requests, pictures, tokens and bytes.

Messages and pictures are those of the run itself, so bytes are exact but for the replies in the history,
which are taken to have no words. Tokens are an estimate (see `tokens`).
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from lvqa_eval.images import Picture, PictureStore
from lvqa_eval.images.picture import image_part, reference_part
from lvqa_eval.plan import Plan, Work
from lvqa_eval.progress import progress
from lvqa_eval.runs.records import Key
from lvqa_eval.scheduled import ScheduledDataset, ScheduledRow
from lvqa_eval.serving.model import Model
from lvqa_eval.serving.request import RequestBody, whole
from lvqa_eval.settings import Settings
from lvqa_eval.simulation.conversation import request_seed
from lvqa_eval.simulation.messages import text_message, turn_pictures, user_message


@dataclass(frozen=True)
class Request:
    """One request: its pictures by hash, the tokens of its prompt, and its bytes as they go over the line.

    `inline_bytes` are those with every picture inside. `reply_tokens` are those of earlier replies at most.
    """

    pictures: tuple[str, ...]
    prompt_tokens: int
    reply_tokens: int
    sent_bytes: int
    inline_bytes: int


@dataclass
class Need:
    """What a condition, or a whole run, needs.

    `images` counts each time one is sent, `distinct` holds the hashes. `prompt_tokens` is for replies of no
    words, `prompt_tokens_most` for replies at their longest, `reply_tokens_most` for those alone. The last
    three are the most that one request has, its tokens with earlier replies at their longest.
    """

    conversations: int = 0
    requests: int = 0
    images: int = 0
    distinct: set[str] = field(default_factory=set)
    prompt_tokens: int = 0
    prompt_tokens_most: int = 0
    reply_tokens_most: int = 0
    sent_bytes: int = 0
    inline_bytes: int = 0
    longest_images: int = 0
    longest_tokens: int = 0
    longest_bytes: int = 0

    def add(self, requests: Sequence[Request], max_tokens: int) -> None:
        """Count one conversation."""
        self.conversations += 1
        for one in requests:
            most = one.prompt_tokens + one.reply_tokens
            self.requests += 1
            self.images += len(one.pictures)
            self.distinct.update(one.pictures)
            self.prompt_tokens += one.prompt_tokens
            self.prompt_tokens_most += most
            self.reply_tokens_most += max_tokens
            self.sent_bytes += one.sent_bytes
            self.inline_bytes += one.inline_bytes
            self.longest_images = max(self.longest_images, len(one.pictures))
            self.longest_tokens = max(self.longest_tokens, most)
            self.longest_bytes = max(self.longest_bytes, one.sent_bytes)


@dataclass(frozen=True)
class Forecast:
    """What each condition of a plan needs, in their order, and the whole run."""

    conditions: Mapping[str, Need]
    total: Need


def forecast(
    settings: Settings, dataset: ScheduledDataset, plan: Plan, model: Model, folder: Path
) -> Forecast:
    """Return what `plan` needs; every picture is rendered once, with a progress bar.

    `folder` is where pictures would lie whose paths are sent. Nothing is written, nothing is asked.
    """
    return asyncio.run(_forecast(settings, dataset, plan, model, folder))


async def _forecast(
    settings: Settings, dataset: ScheduledDataset, plan: Plan, model: Model, folder: Path
) -> Forecast:
    conditions, total = {name: Need() for name in plan.rows}, Need()
    with progress("pictures", _count_pictures(settings, plan)) as advance:
        store = PictureStore(settings.rendering(dataset), record=lambda _: advance())
        writer = _Writer(settings, dataset, model, store, folder)
        for work in plan.work():
            requests = await writer.requests(work)
            for need in (conditions[work.row.condition], total):
                need.add(requests, settings.sampling.max_tokens)
    return Forecast(conditions, total)


def _count_pictures(settings: Settings, plan: Plan) -> int:
    """Return how many different pictures the plan sends, as far as their names tell."""
    found = {
        key._replace(factor=settings.benchmark.factor(row.condition))
        for rows in plan.rows.values()
        for row in rows
        for turn in range(len(row.turns))
        for key in row.pictures(turn)
    }
    return len(found)


class _Part(NamedTuple):
    """The bytes of a picture's part of a message: inline, as first sent to a server, and as sent again."""

    inline: int
    first: int
    again: int


class _Message(NamedTuple):
    """A user message: its bytes without pictures, and its pictures."""

    text_bytes: int
    pictures: tuple[str, ...]


class _Writer:
    """Writes the requests of conversations, in the order of the plan, and keeps their sizes alone."""

    def __init__(
        self, settings: Settings, dataset: ScheduledDataset, model: Model, store: PictureStore, folder: Path
    ) -> None:
        self._settings, self._dataset, self._store, self._folder = settings, dataset, store, folder
        self._body = RequestBody(model.served_name, settings.sampling)
        self._prompts = settings.benchmark.prompts()
        self._tokens = settings.prompt_tokens(dataset, model)
        self._parts: dict[str, _Part] = {}
        # What each server has been sent, as far as it is told to keep pictures.
        servers = len(settings.base_urls) or settings.servers
        self._held: list[set[str]] = [set() for _ in range(servers)]
        self._row: tuple[ScheduledRow, list[_Message]] | None = None

    async def requests(self, work: Work) -> list[Request]:
        """Return the requests of one conversation."""
        row, key = work.row, work.key
        held = self._held[request_seed(0, key, 0) % len(self._held)]
        # Every message but the first has a comma before it.
        size = len(self._system(row)) or -1
        pictures: list[str] = []
        requests = []
        for turn, (message, tokens) in enumerate(
            zip(await self._messages(row), self._tokens.of_turns(row), strict=True)
        ):
            reply = _EMPTY_REPLY if turn else 0
            size += reply + message.text_bytes + 1
            pictures += message.pictures
            frame = size + self._frame(key, turn)
            inline = frame + sum(self._parts[name].inline for name in pictures)
            sent = frame + sum(
                self._parts[name].again if name in held else self._parts[name].first for name in pictures
            )
            held.update(pictures)
            replies = turn * self._settings.sampling.max_tokens
            requests.append(Request(tuple(pictures), tokens, replies, sent, inline))
        return requests

    def _frame(self, key: Key, turn: int) -> int:
        """Return the bytes around the messages of a request."""
        seed = request_seed(self._settings.seed, key, turn + 1)
        return sum(map(len, self._body.fragments([], seed)))

    def _system(self, row: ScheduledRow) -> bytes:
        contract = self._settings.benchmark.contract(row)
        return b"" if contract is None else whole(text_message("system", self._prompts[contract].text))

    async def _messages(self, row: ScheduledRow) -> list[_Message]:
        # The runs of one row follow each other in the plan.
        if self._row is None or self._row[0] is not row:
            self._row = row, [await self._message(row, turn) for turn in range(len(row.turns))]
        return self._row[1]

    async def _message(self, row: ScheduledRow, turn: int) -> _Message:
        benchmark = self._settings.benchmark
        labels = (self._prompts[name] for name in benchmark.labels)
        factor = benchmark.factor(row.condition)
        shown = await turn_pictures(self._dataset, row, turn, self._store, *labels, factor=factor)
        for _, picture in shown:
            self._parts.setdefault(picture.sha256, self._part(picture))
        message = user_message(shown, row.turns[turn].text)
        text = sum(len(piece) for piece in message if isinstance(piece, bytes))
        return _Message(text, tuple(picture.sha256 for _, picture in shown))

    def _part(self, picture: Picture) -> _Part:
        """Return the sizes of a picture, which the store has made to go inline."""
        url = len(picture.part) - len(image_part(b""))
        if self._settings.image_transport == "file":
            url = len((self._folder / f"{picture.sha256}.png").resolve().as_uri())
        uuid = picture.sha256 if self._settings.image_uuid else None
        first = len(image_part(b"", uuid)) + url
        return _Part(len(picture.part), first, first if uuid is None else len(reference_part(uuid)))


_EMPTY_REPLY = len(whole(text_message("assistant", ""))) + 1
"""The bytes of a reply without words in the history, and of the comma before it."""

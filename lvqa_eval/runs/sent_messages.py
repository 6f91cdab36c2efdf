"""The conversations of a run as they were sent, their pictures rendered again from its dataset.

The dataset is opened once for all of them. What is rendered is checked against the run's `pictures.jsonl`.
"""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import orjson

from lvqa_eval.baselines import BASELINES, baseline_rows
from lvqa_eval.benchmarks import Benchmark, find_benchmark
from lvqa_eval.errors import LvqaError
from lvqa_eval.images import Picture, PictureKey, PictureStore, Rendering
from lvqa_eval.prompts import Prompt
from lvqa_eval.runs.pictures import PictureRecord, read_pictures
from lvqa_eval.runs.questions import benchmark_of
from lvqa_eval.runs.records import ConversationRecord
from lvqa_eval.runs.store import IDENTITY, RunStore
from lvqa_eval.scheduled import ScheduledDataset, ScheduledRow


class SentPictureError(LvqaError, ValueError):
    """A dataset or a picture that is not the one of the run."""


@dataclass(frozen=True)
class SentMessage:
    """One message as it was sent: the pictures in order, each after its label if it has one, then `text`."""

    role: Literal["system", "user", "assistant"]
    text: str
    pictures: tuple[tuple[str | None, Picture], ...] = ()


class SentConversations:
    """Gives the conversations of the run `store` as they were sent; one event loop uses it.

    `dataset` is a folder or a name on the Hub, by default what the run's settings name. Raises DatasetError
    where it cannot be opened, SentPictureError where it is another version than the run's.
    """

    def __init__(self, store: RunStore, dataset: str | None = None) -> None:
        self.benchmark = find_benchmark(benchmark_of(store.identity.settings))
        self.dataset = _open(store, self.benchmark, dataset)
        self.rendering = _rendering(store)
        self._settings = store.identity.settings
        self._sent = read_pictures(store.folder)
        self._pictures = PictureStore(self.rendering, record=self._check)
        self._rows: dict[str, dict[str, ScheduledRow]] = {}

    @cached_property
    def prompts(self) -> Mapping[str, Prompt]:
        """The contracts and labels that conversations are sent with, in this version's words."""
        return self.benchmark.prompts()

    @cached_property
    def changed_prompts(self) -> tuple[str, ...]:
        """The names of those `prompts` that had other words when the run was made, sorted."""
        known: dict[str, Any] = {}
        for part in ("prompts", "baselines"):
            found = self._settings.get(part)
            known |= found if isinstance(found, Mapping) else {}
        return tuple(
            sorted(name for name, one in self.prompts.items() if known.get(name, one.sha256) != one.sha256)
        )

    async def messages(self, conversation: ConversationRecord) -> list[SentMessage]:
        """Return what stood before the last reply: the contract if there is one, then turn by turn.

        Thinking was never sent back, and a reply that failed stands as the text it had. Raises
        SentPictureError, where the dataset or a picture is not as it was.
        """
        keys = self.pictures(conversation)
        contract = self.benchmark.contract(self._row(conversation))
        messages = [] if contract is None else [SentMessage("system", self.prompts[contract].text)]
        last = len(conversation.turns)
        for number, turn in enumerate(conversation.turns, start=1):
            shown = [key for sent_in, key in keys if sent_in == number]
            pictures = [
                (self._label(position, key), await self.picture(key))
                for position, key in enumerate(shown, start=1)
            ]
            messages.append(SentMessage("user", turn.user, tuple(pictures)))
            if number < last:
                messages.append(SentMessage("assistant", turn.reply or ""))
        return messages

    def pictures(self, conversation: ConversationRecord) -> list[tuple[int, PictureKey]]:
        """Return turn (from 1) and name of every picture of a conversation, in the order of sending."""
        sent = [
            (number, layer)
            for number, turn in enumerate(conversation.turns, start=1)
            for layer in ([None] if turn.composite else []) + list(turn.layers)
        ]
        if not sent:
            return []
        row = self._row(conversation)
        factor = self.benchmark.factor(conversation.condition)
        scheduled = {key.layer: key for turn in range(len(row.turns)) for key in row.pictures(turn)}
        if strange := [str(layer) for _, layer in sent if layer not in scheduled]:
            found = f"layers: found {', '.join(strange)} sent, which the row does not send"
            raise SentPictureError(f"{self._told(conversation)} {found}")
        return [(turn, scheduled[layer]._replace(factor=factor)) for turn, layer in sent]

    async def picture(self, key: PictureKey) -> Picture:
        """Return a picture as it was sent; SentPictureError where the run sent other pixels."""
        return await self._pictures.picture(key, self.dataset.picture)

    def _row(self, conversation: ConversationRecord) -> ScheduledRow:
        condition = conversation.condition
        if condition not in self._rows:
            baseline = condition in BASELINES.names()
            rows: Sequence[ScheduledRow] = (
                baseline_rows(self.dataset, condition, self.benchmark.conditions[0])
                if baseline
                else self.dataset.rows(condition)
            )
            self._rows[condition] = {row.question_id: row for row in rows}
        row = self._rows[condition].get(conversation.question_id)
        if row is None:
            raise SentPictureError(f"{self._told(conversation)} found no such row")
        return row

    def _label(self, position: int, key: PictureKey) -> str | None:
        if not self.benchmark.labels:
            return None
        label = self.prompts[self.benchmark.labels[key.layer is None]]
        return label.fill(position=position, layer=key.layer)

    def _told(self, conversation: ConversationRecord) -> str:
        return f"{self.dataset.folder}: {conversation.condition}, question {conversation.question_id}:"

    def _check(self, drawn: PictureRecord) -> None:
        """Compare pixels: another build of the encoder may write the same ones as other bytes."""
        sent = self._sent.get(drawn.name)
        if sent is not None and sent.looks != drawn.looks:
            raise SentPictureError(
                f"{drawn.name}: found pixels {drawn.pixels_sha256[:16]}, "
                f"the run sent {sent.pixels_sha256[:16]}"
            )


def png_of(picture: Picture) -> bytes:
    """Return the PNG file that a picture of `SentConversations` is sent as."""
    url = orjson.loads(picture.part)["image_url"]["url"]
    return base64.b64decode(url.partition(",")[2])


def _open(store: RunStore, benchmark: Benchmark, name: str | None) -> ScheduledDataset:
    recorded = store.identity.settings.get("dataset")
    recorded = recorded if isinstance(recorded, Mapping) else {}
    opened = benchmark.open(name or str(recorded.get("name", "")), recorded.get("revision"))
    expected = recorded.get("manifest_sha256")
    if opened.manifest_sha256 != expected:
        raise SentPictureError(
            f"{opened.folder}: manifest.json: found sha256 {opened.manifest_sha256[:16]}, the run's dataset "
            f"has {str(expected)[:16]} (version {recorded.get('version')}); name that one with --dataset"
        )
    return opened


def _rendering(store: RunStore) -> Rendering:
    settings: Any = store.identity.settings.get("images")
    if not isinstance(settings, Mapping) or "background" not in settings:
        raise SentPictureError(f"{store.folder / IDENTITY}: images: found {settings!r}, needed the rendering")
    return Rendering(**{key: settings[key] for key in Rendering.__dataclass_fields__ if key in settings})

"""The pictures of one conversation, rendered again from the dataset exactly as they were sent."""

import asyncio
import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from lvqa_eval.benchmarks import Benchmark, find_benchmark
from lvqa_eval.errors import LvqaError
from lvqa_eval.files import write_whole
from lvqa_eval.images import PictureKey, PictureStore, Rendering
from lvqa_eval.runs.pictures import Name, PictureRecord, read_pictures
from lvqa_eval.runs.questions import benchmark_of
from lvqa_eval.runs.records import ConversationRecord
from lvqa_eval.runs.store import IDENTITY, RunStore
from lvqa_eval.scheduled import ScheduledDataset


class SentPictureError(LvqaError, ValueError):
    """A dataset or a picture that is not the one of the run."""


def save_pictures(
    store: RunStore, conversation: ConversationRecord, out: Path, dataset: str | None = None
) -> list[Path]:
    """Write every picture of `conversation` to `out` as PNG and return the paths, in the order of sending.

    `dataset` is a folder or a name on the Hub, by default what the run's settings name. Raises
    SentPictureError where it is another version than the run's, or where a picture differs from what
    `pictures.jsonl` says was sent; nothing is written then.
    """
    benchmark = find_benchmark(benchmark_of(store.identity.settings))
    opened = _open(store, benchmark, dataset)
    sent = _sent(opened, benchmark, conversation)
    drawn = asyncio.run(_render(opened, _rendering(store), list(dict.fromkeys(key for _, key in sent))))
    _check(read_pictures(store.folder), [record for _, record in drawn.values()])
    out.mkdir(parents=True, exist_ok=True)
    paths = []
    for place, (turn, key) in enumerate(sent, start=1):
        part = benchmark.whole if key.layer is None else f"layer-{key.layer}"
        paths.append(out / f"{place:02}-turn-{turn:02}-{part}.png")
        write_whole(paths[-1], drawn[key][0])
    return paths


def _sent(
    dataset: ScheduledDataset, benchmark: Benchmark, conversation: ConversationRecord
) -> list[tuple[int, PictureKey]]:
    """Return turn (from 1) and name of every picture of a conversation, in the order of sending."""
    sent = [
        (number, layer)
        for number, turn in enumerate(conversation.turns, start=1)
        for layer in ([None] if turn.composite else []) + list(turn.layers)
    ]
    if not sent:
        return []
    told = f"{dataset.folder}: {conversation.condition}, question {conversation.question_id}:"
    rows = dataset.rows(conversation.condition)
    row = next((row for row in rows if row.question_id == conversation.question_id), None)
    if row is None:
        raise SentPictureError(f"{told} found no such row")
    factor = benchmark.factor(conversation.condition)
    scheduled = {key.layer: key for turn in range(len(row.turns)) for key in row.pictures(turn)}
    if strange := [str(layer) for _, layer in sent if layer not in scheduled]:
        raise SentPictureError(f"{told} layers: found {', '.join(strange)} sent, which the row does not send")
    return [(turn, scheduled[layer]._replace(factor=factor)) for turn, layer in sent]


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


async def _render(
    dataset: ScheduledDataset, rendering: Rendering, keys: list[PictureKey]
) -> dict[PictureKey, tuple[bytes, PictureRecord]]:
    """Return the PNG and the record of each picture."""
    records: list[PictureRecord] = []
    pictures = PictureStore(rendering, record=records.append)
    drawn = {}
    for key in keys:
        picture = await pictures.picture(key, dataset.picture)
        url = orjson.loads(picture.part)["image_url"]["url"]
        drawn[key] = (base64.b64decode(url.partition(",")[2]), records[-1])
    return drawn


def _check(sent: Mapping[Name, PictureRecord], drawn: list[PictureRecord]) -> None:
    """Compare pixels: another build of the encoder may write the same ones as other bytes."""
    found = [
        f"{one.name}: found pixels {one.pixels_sha256[:16]}, the run sent {sent[one.name].pixels_sha256[:16]}"
        for one in drawn
        if one.name in sent and sent[one.name].looks != one.looks
    ]
    if found:
        raise SentPictureError("\n".join(found))

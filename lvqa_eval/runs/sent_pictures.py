"""The pictures of one conversation, rendered again from the dataset exactly as they were sent."""

import asyncio
import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from lvqa_eval.dataset import Dataset, SceneRow, open_dataset
from lvqa_eval.errors import LvqaError
from lvqa_eval.files import write_whole
from lvqa_eval.images import PictureKey, PictureStore, Rendering
from lvqa_eval.runs.pictures import Name, PictureRecord, read_pictures
from lvqa_eval.runs.records import ConversationRecord, QuestionRecord
from lvqa_eval.runs.store import IDENTITY, RunStore


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
    opened = _open(store, dataset)
    scene_id = store.questions_of(QuestionRecord)[conversation.question_id].scene_id
    scene = next((row for row in opened.scenes() if row.scene_id == scene_id), None)
    if scene is None:
        raise SentPictureError(f"{opened.folder}: scene: found none of the id {scene_id!r}")
    sent = [
        (number, layer)
        for number, turn in enumerate(conversation.turns, start=1)
        for layer in ([None] if turn.composite else []) + list(turn.layers)
    ]
    rendering = _rendering(store)
    drawn = asyncio.run(_render(opened, scene, rendering, sorted({layer for _, layer in sent}, key=_order)))
    _check(read_pictures(store.folder), [record for _, record in drawn.values()])
    out.mkdir(parents=True, exist_ok=True)
    paths = []
    for place, (turn, layer) in enumerate(sent, start=1):
        part = "composite" if layer is None else f"layer-{layer}"
        paths.append(out / f"{place:02}-turn-{turn:02}-{part}.png")
        write_whole(paths[-1], drawn[layer][0])
    return paths


def _open(store: RunStore, name: str | None) -> Dataset:
    recorded = store.identity.settings.get("dataset")
    recorded = recorded if isinstance(recorded, Mapping) else {}
    opened = open_dataset(name or str(recorded.get("name", "")), recorded.get("revision"))
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
    dataset: Dataset, scene: SceneRow, rendering: Rendering, layers: list[int | None]
) -> dict[int | None, tuple[bytes, PictureRecord]]:
    """Return the PNG and the record of each picture of a scene."""
    records: list[PictureRecord] = []
    pictures = PictureStore(rendering, record=records.append)
    drawn = {}
    for layer in layers:
        name = scene.composite_file_name if layer is None else scene.layers_file_names[layer]
        picture = await pictures.picture(PictureKey(scene.scene_id, layer, name), dataset.picture)
        url = orjson.loads(picture.part)["image_url"]["url"]
        drawn[layer] = (base64.b64decode(url.partition(",")[2]), records[-1])
    return drawn


def _check(sent: Mapping[Name, PictureRecord], drawn: list[PictureRecord]) -> None:
    """Compare pixels: another build of the encoder may write the same ones as other bytes."""
    found = [
        f"scene {one.scene_id}, {'composite' if one.layer is None else f'layer {one.layer}'}: found pixels "
        f"{one.pixels_sha256[:16]}, the run sent {sent[one.name].pixels_sha256[:16]}"
        for one in drawn
        if one.name in sent and sent[one.name].looks != one.looks
    ]
    if found:
        raise SentPictureError("\n".join(found))


def _order(layer: int | None) -> int:
    return -1 if layer is None else layer

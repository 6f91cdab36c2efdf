"""The pictures of one conversation as files, rendered again from the dataset exactly as they were sent."""

import asyncio
from pathlib import Path

from lvqa_eval.files import write_whole
from lvqa_eval.images import PictureKey
from lvqa_eval.runs.records import ConversationRecord
from lvqa_eval.runs.sent_messages import SentConversations, SentPictureError, png_of
from lvqa_eval.runs.store import RunStore

__all__ = ["SentPictureError", "save_pictures"]


def save_pictures(
    store: RunStore, conversation: ConversationRecord, out: Path, dataset: str | None = None
) -> list[Path]:
    """Write every picture of `conversation` to `out` as PNG and return the paths, in the order of sending.

    `dataset` is a folder or a name on the Hub, by default what the run's settings name. Raises
    SentPictureError where it is another version than the run's, or where a picture differs from what
    `pictures.jsonl` says was sent; nothing is written then.
    """
    opened = SentConversations(store, dataset)
    sent = opened.pictures(conversation)
    drawn = asyncio.run(_drawn(opened, list(dict.fromkeys(key for _, key in sent))))
    out.mkdir(parents=True, exist_ok=True)
    paths = []
    for place, (turn, key) in enumerate(sent, start=1):
        part = opened.benchmark.whole if key.layer is None else f"layer-{key.layer}"
        paths.append(out / f"{place:02}-turn-{turn:02}-{part}.png")
        write_whole(paths[-1], drawn[key])
    return paths


async def _drawn(opened: SentConversations, keys: list[PictureKey]) -> dict[PictureKey, bytes]:
    """Return the PNG of each picture; SentPictureError names all that are not as they were."""
    drawn, found = {}, []
    for key in keys:
        try:
            drawn[key] = png_of(await opened.picture(key))
        except SentPictureError as error:
            found.append(str(error))
    if found:
        raise SentPictureError("\n".join(found))
    return drawn

"""The pictures that conversations were sent, as files of one folder, named by their content."""

import asyncio
import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Final

from leaderboard.html.exchange import Picture
from lvqa_eval.images import PictureKey, PictureStore, Rendering
from lvqa_eval.runs.pictures import Name, PictureRecord
from lvqa_eval.runs.sent_messages import SentPictureError
from lvqa_eval.scheduled import ScheduledDataset

BUDGET: Final = 512 * 2**20
"""Bytes of pictures in the folder; those of one scene are some ten million at most."""

ROUTE: Final = "pictures"
"""Where a page loads them from: pictures/SHA256.png."""

_FILE = re.compile(r"[0-9a-f]{64}\.png")


_Source = tuple[str, Rendering]
"""The hash of a dataset's manifest, and how its pictures are rendered."""


@dataclass(frozen=True)
class Origin:
    """Where pictures come from: a dataset, how a run renders what is in it, and what it says it `sent`."""

    dataset: ScheduledDataset
    rendering: Rendering
    sent: Mapping[Name, PictureRecord]

    @property
    def source(self) -> _Source:
        """What is rendered alike."""
        return self.dataset.manifest_sha256, self.rendering


class PictureFolder:
    """Renders each picture once, as the run rendered it that sent it, and keeps the files.

    Above `budget` bytes those go that were not asked for the longest; what has gone is made again when it is
    asked for. Many threads may ask; one process uses a folder.
    """

    def __init__(self, folder: Path, budget: int = BUDGET) -> None:
        self.folder = folder.resolve()
        self.folder.mkdir(parents=True, exist_ok=True)
        self._budget = budget
        self._files = OrderedDict(_standing(self.folder))
        self._mutex = Lock()
        self._made: dict[tuple[_Source, Name], PictureRecord] = {}
        self._shown: dict[str, tuple[Origin, PictureKey]] = {}
        # A store belongs to one event loop at a time, so all rendering is asked for in one thread.
        self._asking = ThreadPoolExecutor(1, thread_name_prefix="pictures-of-pages")
        self._stores: dict[_Source, PictureStore] = {}

    @property
    def size(self) -> int:
        """The bytes of all pictures in the folder."""
        with self._mutex:
            return sum(self._files.values())

    def pictures(self, keys: Sequence[PictureKey], origin: Origin) -> list[Picture]:
        """Return pictures as a page loads them.

        SentPictureError where the run sent other pixels under one of the names.
        """
        names = [(origin.source, _name(key)) for key in keys]
        if not all(name in self._made and self._path(self._made[name].sha256).is_file() for name in names):
            self._asking.submit(self._render, keys, origin).result()
        found = [self._made[name] for name in names]
        for key, record in zip(keys, found, strict=True):
            _check(record, origin.sent.get(record.name))
            self._shown[record.sha256] = (origin, key)
            self._keep(record)
        return [Picture(f"{ROUTE}/{one.sha256}.png", one.width, one.height, one.sha256) for one in found]

    def file(self, name: str) -> Path | None:
        """Return the file that a page loads under this name, None for no picture of a page."""
        if not _FILE.fullmatch(name):
            return None
        path = self.folder / name
        if not path.is_file() and (shown := self._shown.get(path.stem)) is not None:
            self.pictures([shown[1]], shown[0])
        return path if path.is_file() else None

    def _render(self, keys: Sequence[PictureKey], origin: Origin) -> None:
        source = origin.source
        store = self._stores.get(source)
        # A store that has written a file would not write it again.
        if store is None or any((source, _name(key)) in self._made for key in keys):
            store = PictureStore(
                origin.rendering,
                files=self.folder,
                record=lambda made: self._made.update({(source, made.name): made}),
            )
            self._stores[source] = store
        asyncio.run(_drawn(store, keys, origin))

    def _keep(self, record: PictureRecord) -> None:
        """Note that a picture was asked for, and let others go where there are too many."""
        with self._mutex:
            self._files[record.sha256] = record.bytes
            self._files.move_to_end(record.sha256)
            above = sum(self._files.values()) - self._budget
            while above > 0 and len(self._files) > 1:
                oldest, size = self._files.popitem(last=False)
                self._path(oldest).unlink(missing_ok=True)
                above -= size

    def _path(self, sha256: str) -> Path:
        return self.folder / f"{sha256}.png"


def _name(key: PictureKey) -> Name:
    return Name(key.scene_id, key.layer, key.factor)


async def _drawn(store: PictureStore, keys: Sequence[PictureKey], origin: Origin) -> None:
    await asyncio.gather(*(store.picture(key, origin.dataset.picture) for key in keys))


def _standing(folder: Path) -> Iterator[tuple[str, int]]:
    """Yield hash and size of the pictures that an earlier process left, the oldest first."""
    found = [(path.stat(), path) for path in folder.iterdir() if _FILE.fullmatch(path.name)]
    for told, path in sorted(found, key=lambda one: (one[0].st_mtime_ns, one[1].name)):
        yield path.stem, told.st_size


def _check(drawn: PictureRecord, sent: PictureRecord | None) -> None:
    """Compare pixels: another build of the encoder may write the same ones as other bytes."""
    if sent is not None and sent.looks != drawn.looks:
        raise SentPictureError(f"{drawn.name}: found {drawn.looks}, the run sent {sent.looks}")

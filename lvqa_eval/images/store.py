"""From the files of a dataset to finished pictures, each rendered once."""

import asyncio
import hashlib
import io
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from PIL import Image

from lvqa_eval.files import write_whole
from lvqa_eval.images.background import Pixels
from lvqa_eval.images.decoding import MAX_PIXELS, PictureError, check_size, decode
from lvqa_eval.images.kept import Kept
from lvqa_eval.images.picture import Picture, data_url, image_part, reference_part
from lvqa_eval.images.rendering import Rendering
from lvqa_eval.runs.pictures import PictureRecord

BUDGET = 64 * 2**20
DEFAULT = Rendering()
_THREADS = 2  # more make the event loop wait longer for the interpreter, and render no faster


class PictureKey(NamedTuple):
    """Names one picture of a dataset: of which scene, which layer (None for the composite), in which file.

    Its sides are divided by `factor` before it is sent.
    """

    scene_id: str
    layer: int | None
    file_name: str
    factor: float = 1.0


Find = Callable[[str], Path | bytes]
"""From the name of a picture's file to its path, or to its bytes where it is no file of its own."""


class PictureStore:
    """Renders each picture once, in threads of its own, and keeps finished parts up to `budget` bytes.

    With `uuid` a part names its picture by the SHA-256 of the PNG and can go by reference, as vLLM takes it.
    With `files` pictures are written to that folder as <sha256>.png and named by file:// URL, for a server
    with --allowed-local-media-path; one process at a time writes there. `record` is told of each picture when
    it is rendered. One event loop uses a store.
    """

    def __init__(
        self,
        rendering: Rendering = DEFAULT,
        *,
        uuid: bool = False,
        files: Path | None = None,
        budget: int = BUDGET,
        record: Callable[[PictureRecord], None] | None = None,
    ) -> None:
        self.rendering = rendering
        self._uuid = uuid
        self._files = None if files is None else files.resolve()
        if self._files is not None:
            self._files.mkdir(parents=True, exist_ok=True)
        self._record = record
        self._kept = Kept(budget)
        self._hashes: dict[PictureKey, str] = {}
        self._begun: dict[PictureKey, asyncio.Task[Picture]] = {}
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="pictures")
        self._writing = Lock()

    async def picture(self, key: PictureKey, find: Find) -> Picture:
        """Return the picture named by `key`; `find` is asked, in a thread, where its file must be read.

        A composite goes as its file stands where that is a plain RGB PNG of a good size; anything else is
        rendered anew. Raises PictureError, naming the file, for one that cannot be used.
        """
        sha256 = self._hashes.get(key)
        kept = None if sha256 is None else self._kept.get(sha256)
        if kept is not None:
            return kept
        if key not in self._begun:
            self._begun[key] = asyncio.create_task(self._render(key, find))
            self._begun[key].add_done_callback(lambda _: self._begun.pop(key))
        task = self._begun[key]
        # Not awaited itself: cancelling one conversation must not take the picture from another.
        await asyncio.wait([task])
        return task.result()

    async def _render(self, key: PictureKey, find: Find) -> Picture:
        loop = asyncio.get_running_loop()
        record, part = await loop.run_in_executor(self._threads, self._made, key, find)
        if self._record is not None:
            self._record(record)
        self._hashes[key] = record.sha256
        reference = reference_part(record.sha256) if self._uuid else None
        return self._kept.add(Picture(record.sha256, record.width, record.height, part, reference))

    def _made(self, key: PictureKey, find: Find) -> tuple[PictureRecord, bytes]:
        """Read, render and encode; returns what was made and its part. Runs in a thread."""
        path, stored = _read(key.file_name, find)
        decoded = decode(path, stored)
        if key.layer is not None and decoded.mode != "RGBA":
            raise PictureError(path, f"mode: found {decoded.mode}, allowed: RGBA, since a layer has alpha")
        height, width = decoded.pixels.shape[:2]
        fit = self.rendering.fit(width, height, key.factor)
        check_size(path, fit.canvas, MAX_PIXELS, "rendered, padding included")
        if decoded.is_plain and fit.sent == fit.original:
            pixels, png = decoded.pixels, stored
        else:
            pixels = self.rendering.render(decoded.pixels, key.factor)
            png = _png(pixels)
        record = PictureRecord(
            key.scene_id,
            key.layer,
            hashlib.sha256(png).hexdigest(),
            hashlib.sha256(pixels.tobytes()).hexdigest(),
            len(png),
            *fit.sent,
            *fit.original,
            fit.scale,
            *fit.padding,
            key.factor,
        )
        return record, self._part(record.sha256, png)

    def _part(self, sha256: str, png: bytes) -> bytes:
        url = data_url(png) if self._files is None else self._written(self._files / f"{sha256}.png", png)
        return image_part(url, sha256 if self._uuid else None)

    def _written(self, path: Path, png: bytes) -> bytes:
        with self._writing:
            if not path.exists():
                write_whole(path, png)
        return path.as_uri().encode()


def _read(name: str, find: Find) -> tuple[Path, bytes]:
    """Return the bytes of a picture, and what messages call its file."""
    found = find(name)
    if isinstance(found, bytes):
        return Path(name), found
    try:
        return found, found.read_bytes()
    except OSError as error:
        raise PictureError(found, f"cannot be read: {error.strerror}") from error


def _png(pixels: Pixels) -> bytes:
    buffer = io.BytesIO()
    # Run lengths alone: a photo takes a fifth of the CPU of zlib's default, for 5 % more bytes.
    Image.fromarray(pixels).save(buffer, format="PNG", compress_type=zlib.Z_RLE)
    return buffer.getvalue()

"""Small copies of the pictures that conversations were sent, rendered again from the dataset and checked."""

import base64
import hashlib
import io
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from lvqa_eval.benchmarks import Benchmark, find_benchmark
from lvqa_eval.errors import LvqaError
from lvqa_eval.runs.overview import named
from lvqa_eval.runs.pictures import Name, PictureRecord, read_pictures
from lvqa_eval.runs.questions import benchmark_of
from lvqa_eval.runs.records import ConversationRecord
from lvqa_eval.runs.sent_pictures import save_pictures
from lvqa_eval.runs.store import RunStore

SIDE = 160
"""The longer side of a small copy, in pixels."""

Layer = int | None


@dataclass(frozen=True)
class Thumbnail:
    """One picture made small: `url` holds it; `sha256`, `sent` (width, height) are of the picture as sent."""

    url: str
    width: int
    height: int
    sha256: str
    sent: tuple[int, int]


@dataclass(frozen=True)
class Shown:
    """One picture of a conversation: `layer` is None for the `whole`; `turns` are those that brought it."""

    layer: Layer
    turns: tuple[int, ...]
    thumbnail: Thumbnail
    whole: str = "the scene"

    @property
    def label(self) -> str:
        """What it is and when it came."""
        part = self.whole if self.layer is None else f"layer {self.layer}"
        return f"{part}, turn{'s' * (len(self.turns) > 1)} {', '.join(map(str, self.turns))}"


class Thumbnails:
    """Makes each picture of a run small once.

    `dataset` is a folder or a name on the Hub; without it, a folder of the run's dataset in the working
    folder is used, and where that is missing or another one, `missing` says why there are no pictures.
    """

    def __init__(self, dataset: str | None = None) -> None:
        self.missing: str | None = None
        self._dataset = dataset
        self._made: dict[tuple[Path, Name], Thumbnail] = {}
        self._sent: dict[Path, Mapping[Name, PictureRecord]] = {}

    def of(self, store: RunStore, conversation: ConversationRecord) -> tuple[Shown, ...]:
        """Return the pictures of a conversation in the order in which they first came.

        Raises an LvqaError where the dataset that was named is not that of the run.
        """
        turns: dict[Layer, list[int]] = {}
        for number, layer in _sent(conversation):
            turns.setdefault(layer, []).append(number)
        benchmark = find_benchmark(benchmark_of(store.identity.settings))
        names = _names(store, benchmark, conversation)
        if any((store.folder, name) not in self._made for name in names):
            self._make(store, conversation, names)
        if self.missing is not None:
            return ()
        whole = "the scene" if benchmark.labels else f"the {benchmark.whole}"
        by_layer = {name.layer: self._made[store.folder, name] for name in names}
        return tuple(Shown(layer, tuple(numbers), by_layer[layer], whole) for layer, numbers in turns.items())

    def _make(self, store: RunStore, conversation: ConversationRecord, names: list[Name]) -> None:
        if self.missing is not None:
            return
        recorded = named(store.identity.settings.get("dataset"))
        if self._dataset is None and not Path(recorded).is_dir():
            self.missing = f"the dataset {recorded!r} is not in this folder"
            return
        with tempfile.TemporaryDirectory() as draft:
            try:
                paths = save_pictures(store, conversation, Path(draft), self._dataset)
            except LvqaError as error:
                if self._dataset is not None:
                    raise
                self.missing = str(error)
                return
            for name, path in zip(names, paths, strict=True):
                self._made[store.folder, name] = _small(path, self._record(store, name))

    def _record(self, store: RunStore, name: Name) -> PictureRecord | None:
        if store.folder not in self._sent:
            self._sent[store.folder] = read_pictures(store.folder)
        return self._sent[store.folder].get(name)


def _names(store: RunStore, benchmark: Benchmark, conversation: ConversationRecord) -> list[Name]:
    """Return the names of the pictures of a conversation, in the order of sending."""
    scene = store.questions()[conversation.question_id].scene_id
    factor = benchmark.factor(conversation.condition)
    return [Name(scene, layer, factor) for _, layer in _sent(conversation)]


def _sent(conversation: ConversationRecord) -> Iterator[tuple[int, Layer]]:
    """Yield turn and layer of every picture in the order of sending."""
    for number, turn in enumerate(conversation.turns, start=1):
        if turn.composite:
            yield number, None
        for layer in turn.layers:
            yield number, layer


def _small(path: Path, record: PictureRecord | None) -> Thumbnail:
    """Return a small copy; the hash is that of the log where the run has one, as it was sent."""
    from PIL import Image

    png = path.read_bytes()
    with Image.open(io.BytesIO(png)) as picture:
        sent = picture.size
        picture.thumbnail((SIDE, SIDE), Image.Resampling.LANCZOS)
        buffer = io.BytesIO()
        picture.save(buffer, format="WEBP", quality=85)
        width, height = picture.size
    url = f"data:image/webp;base64,{base64.b64encode(buffer.getvalue()).decode()}"
    return Thumbnail(url, width, height, record.sha256 if record else hashlib.sha256(png).hexdigest(), sent)

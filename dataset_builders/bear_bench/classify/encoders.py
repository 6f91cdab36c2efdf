"""Encoders: from the picture of a page to a vector. SigLIP through transformers, or the layout stand-in."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from dataset_builders.bear_bench.pixels import read_pixels
from lvqa_eval.errors import LvqaError
from lvqa_eval.serving.model import find_model

Vectors = NDArray[np.float32]
Device = Literal["auto", "cpu", "cuda"]

STAND_IN = "layout"
"""The name of the encoder that needs no model."""

BATCH = 32
_READERS = 4


class EncoderError(LvqaError, ValueError):
    """An encoder that is not there, or is of another kind."""


class Encoder(Protocol):
    """Makes vectors of pages.

    `name` is what labels are said to be made with. `batch` is how many pages go together; `dimension` the
    length of a vector. With `raw` features have units of their own, and the classifier scales them first.
    """

    name: str
    batch: int
    dimension: int
    raw: bool

    def identity(self) -> Mapping[str, Any]:
        """Return all that its vectors depend on."""

    def encode(self, paths: Sequence[Path]) -> Vectors:
        """Return the vectors of pages, (pages, dimension); PictureError for a file that is no picture."""


def open_encoder(name: str, device: Device = "auto", batch: int = BATCH) -> Encoder:
    """Return the stand-in for "layout", else the SigLIP called `name`: a folder, or an id of the Hub.

    Raises EncoderError where there is none of that name, or it is no SigLIP.
    """
    if name == STAND_IN:
        from dataset_builders.bear_bench.classify.layout_encoder import LayoutEncoder

        return LayoutEncoder()
    return SiglipEncoder(name, device, batch)


class SiglipEncoder:
    """The picture tower of a SigLIP or SigLIP 2 of fixed size; vectors have length one.

    A page is scaled to the square that the model takes, as its own image processor does.
    """

    raw = False

    def __init__(self, name: str, device: Device = "auto", batch: int = BATCH) -> None:
        self._model = find_model(name, None, fetch=True)
        self.name = self._model.served_name
        self.batch = batch
        self._device = _device(device)
        self._network, self._processor = _load(name, self._model.revision)
        self._network.to(self._device).eval()
        self.dimension = int(self._network.config.hidden_size)

    def identity(self) -> Mapping[str, Any]:
        """Return the model's files and its processor; device and batch change the last digits alone."""
        known = self._model.identity()
        del known["chat_template_sha256"]
        return {"encoder": "siglip", **known}

    def encode(self, paths: Sequence[Path]) -> Vectors:
        """Return the vectors of pages, (pages, dimension)."""
        import torch

        with ThreadPoolExecutor(_READERS) as readers:
            pictures = [np.array(pixels) for pixels in readers.map(read_pixels, paths)]
        inputs = self._processor(images=pictures, return_tensors="pt").to(self._device)
        with torch.inference_mode():
            found = self._network(pixel_values=inputs["pixel_values"]).pooler_output
            found = torch.nn.functional.normalize(found.float(), dim=-1)
        vectors: Vectors = found.cpu().numpy()
        return vectors


def _device(asked: Device) -> str:
    import torch

    if asked == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if asked == "cuda" and not torch.cuda.is_available():
        raise EncoderError("--device: found cuda, but PyTorch sees no GPU here; cpu works everywhere")
    return asked


def _load(name: str, revision: str | None) -> tuple[Any, Any]:
    """Return the picture tower and the image processor."""
    try:
        from transformers import AutoConfig, AutoImageProcessor, SiglipVisionModel
    except ImportError as error:
        raise EncoderError(f"--encoder {name}: {error}; pip install 'lvqa[encoders]'") from error
    try:
        kind = AutoConfig.from_pretrained(name, revision=revision).model_type
        if kind not in ("siglip", "siglip_vision_model"):
            raise EncoderError(
                f"--encoder {name}: found a model of type {kind!r}, allowed: siglip, or {STAND_IN!r} for the "
                "features that need no model"
            )
        processor: Any = AutoImageProcessor
        pinned: dict[str, Any] = {} if revision is None else {"revision": revision}
        return SiglipVisionModel.from_pretrained(name, **pinned), processor.from_pretrained(name, **pinned)
    except (OSError, ValueError) as error:
        if isinstance(error, EncoderError):
            raise
        reason = str(error).strip().splitlines()[0]
        raise EncoderError(
            f"--encoder {name}: neither a folder here nor within reach on the Hub: {reason}; {STAND_IN!r} "
            "needs no model"
        ) from error

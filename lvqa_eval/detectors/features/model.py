"""The model that reads answers: loaded by transformers, and known by its files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal

from lvqa_eval.detectors.features.depths import Depths
from lvqa_eval.detectors.features.errors import FeaturesError
from lvqa_eval.detectors.features.forward import AnswerFeatures, read_answers
from lvqa_eval.detectors.features.inputs import InputMaker, ModelInput
from lvqa_eval.serving.model import Model, find_model

Device = Literal["auto", "cpu", "cuda"]
Dtype = Literal["auto", "float32", "bfloat16", "float16"]

_LIMITS: Final = ("size", "min_pixels", "max_pixels", "patch_size", "merge_size", "do_resize")


@dataclass(frozen=True, eq=False)
class ReadingModel:
    """A vision-language model with its processor, on the device where it reads."""

    files: Model
    network: Any
    processor: Any
    dtype: str

    @property
    def name(self) -> str:
        """The name in folders and reports."""
        return self.files.served_name

    @cached_property
    def depths(self) -> Depths:
        """The layers that are read."""
        return Depths.of(len(self.network.get_decoder().layers))

    @property
    def width(self) -> int:
        """The number of values in a hidden state."""
        return int(self.network.config.get_text_config().hidden_size)

    @property
    def context(self) -> int | None:
        """How many tokens it was made for; None where its configuration does not say."""
        found = getattr(self.network.config.get_text_config(), "max_position_embeddings", None)
        return found if isinstance(found, int) else None

    def inputs(self, template_settings: Mapping[str, Any]) -> InputMaker:
        """Return what makes its inputs; `template_settings` are those of the run."""
        return InputMaker(self.processor, self.network.config, template_settings)

    def read(self, batch: Sequence[ModelInput]) -> list[AnswerFeatures]:
        """Return the features of each answer of a batch, in one pass."""
        pad = self.processor.tokenizer.pad_token_id
        return read_answers(self.network, batch, self.depths, 0 if pad is None else pad)

    def identity(self) -> dict[str, Any]:
        """Return what shapes features: files, precision, layers, limits of pictures, versions."""
        import torch
        import transformers

        pictures = self.processor.image_processor
        return {
            "model": self.files.identity(),
            "dtype": self.dtype,
            "width": self.width,
            **self.depths.identity(),
            "pictures": {
                name: _plain(getattr(pictures, name)) for name in _LIMITS if hasattr(pictures, name)
            },
            "versions": {"torch": torch.__version__, "transformers": transformers.__version__},
        }


def load_model(
    name: str, revision: str | None = None, device: Device = "auto", dtype: Dtype = "auto"
) -> ReadingModel:
    """Load the model called `name`: a folder, or an id of the Hub at a revision.

    `auto` is the GPU if there is one, and bfloat16 there, single precision elsewhere. Raises FeaturesError
    where packages, model or GPU are missing.
    """
    try:
        import torch
        import transformers
    except ImportError as error:
        raise FeaturesError(f"--model {name}: {error}; pip install 'lvqa[detectors]'") from error
    placed = _device(device)
    precision = ("bfloat16" if placed == "cuda" else "float32") if dtype == "auto" else dtype
    files = find_model(name, revision, fetch=True)
    pinned: dict[str, Any] = {} if files.revision is None else {"revision": files.revision}
    library: Any = transformers
    library.utils.logging.disable_progress_bar()
    try:
        network = library.AutoModelForImageTextToText.from_pretrained(
            name, dtype=getattr(torch, precision), **pinned
        )
        processor = library.AutoProcessor.from_pretrained(name, **pinned)
    except (OSError, ValueError) as error:
        reason = str(error).strip().splitlines()[0]
        raise FeaturesError(f"--model {name}: no image-text model that can be loaded: {reason}") from error
    return ReadingModel(files, network.to(placed).eval(), processor, precision)


def same_model(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Tell whether two identities of models are of the same files: their hash, or a commit of the Hub."""
    if one.get("files_sha256") and one.get("files_sha256") == other.get("files_sha256"):
        return True
    named = [(found.get("name"), found.get("revision")) for found in (one, other)]
    return named[0] == named[1] and bool(named[0][1])


def _device(asked: Device) -> str:
    import torch

    if asked == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if asked == "cuda" and not torch.cuda.is_available():
        raise FeaturesError("--device: found cuda, but PyTorch sees no GPU here; cpu works everywhere")
    return asked


def _plain(value: Any) -> Any:
    """Return a setting of a picture processor as plain values; sizes come as mappings of their own kind."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return {name: side for name, side in dict(value).items() if side is not None}

"""What the files of a model say that shapes its answers: precision, quantisation, how pictures are scaled."""

import json
from pathlib import Path
from typing import Any

PROCESSOR_FILES = ("processor_config.json", "preprocessor_config.json")
"""Where a processor's settings stand; the first may hold those of the second under `image_processor`."""

_LIMITS = (
    *("min_pixels", "max_pixels", "size", "do_resize", "patch_size", "merge_size"),
    *("min_patches", "max_patches", "crop_size", "max_image_size", "do_image_splitting"),
)


def weights(folder: Path | None) -> dict[str, Any]:
    """Return the `dtype` that the weights are stored in and how they are quantised, None where unknown."""
    config = read_json(folder, "config.json")
    inner = config.get("text_config", {})
    return {
        "dtype": config.get("dtype") or config.get("torch_dtype") or inner.get("dtype"),
        "quantization": config.get("quantization_config"),
    }


def processor(folder: Path | None) -> dict[str, Any] | None:
    """Return how the model's processor scales pictures; None where its files are out of reach."""
    found: dict[str, Any] = {}
    for name in reversed(PROCESSOR_FILES):
        settings = read_json(folder, name)
        found |= settings.get("image_processor", settings)
    limits = {name: found[name] for name in _LIMITS if name in found}
    return limits or None


def read_json(folder: Path | None, name: str) -> dict[str, Any]:
    """Return a JSON file of a model, empty where there is none."""
    if folder is None or not (folder / name).is_file():
        return {}
    content: dict[str, Any] = json.loads((folder / name).read_bytes())
    return content

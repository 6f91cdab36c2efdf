"""Scenes to write questions about: two photos, where they lie beside this repository, else drawn layers."""

import json
import shutil
from pathlib import Path

import numpy as np
from PIL import Image

PHOTOS = Path(__file__).resolve().parents[2] / ".." / "shared" / "data" / "layers" / "coco"
CHOSEN = {397133, 252219}
"""A kitchen with two people and a street: six layers each."""


def scene_options(folder: Path) -> list[str]:
    """Return the options of `lvqa annotate layered-vqa` and `lvqa build layered-vqa` for two scenes."""
    return _photos(folder) if PHOTOS.is_dir() else drawn_scenes(folder)


def _photos(folder):
    told = json.loads((PHOTOS / "instances.json").read_text())
    told["images"] = [one for one in told["images"] if one["id"] in CHOSEN]
    told["annotations"] = [one for one in told["annotations"] if one["image_id"] in CHOSEN]
    (folder / "images").mkdir(parents=True)
    for one in told["images"]:
        shutil.copy(PHOTOS / "images" / one["file_name"], folder / "images")
    (folder / "instances.json").write_text(json.dumps(told))
    places = ["--images", folder / "images", "--annotations", folder / "instances.json"]
    return ["--source", "coco", *map(str, places), "--max-side", "400"]


def drawn_scenes(folder):
    """Return the same options for two scenes of drawn layers."""
    colours = [(226, 218, 200), (146, 97, 60), (60, 104, 160), (70, 70, 70), (180, 60, 50), (90, 140, 80)]
    names = ["0-wall", "1-table", "2-person", "3-oven", "4-lamp", "5-plant"]
    for number, scene in enumerate(("kitchen", "street")):
        (folder / scene).mkdir(parents=True)
        for at, (name, colour) in enumerate(zip(names, colours, strict=True)):
            layer = np.zeros((240, 360, 4), np.uint8)
            box = (
                (slice(None), slice(None)) if at == 0 else (slice(60, 200), slice(60 * at - 40, 60 * at + 20))
            )
            layer[box] = (*colour[number:], *colour[:number], 255)
            Image.fromarray(layer).save(folder / scene / f"{name}.png")
    return ["--source", "png-layers", "--root", str(folder), "--licence", "CC0-1.0", "--attribution", "tests"]

"""Read the scenes of real layered files and print what was found, one line a scene; part of sources.sh."""

import logging
import sys
from itertools import islice
from pathlib import Path

import numpy as np
import yaml
from PIL import Image

from dataset_builders.layered_vqa.sources.source import SCENE_SOURCES, SourceError


def files(folder, most):
    """The files of OpenRaster or Photoshop one by one, so that each is accepted or refused by itself."""
    source = SCENE_SOURCES.get(folder.name)
    for path in sorted(path for path in folder.iterdir() if path.suffix in source.suffixes)[:most]:
        yield path.name, source(files=path)


def photos(folder, most):
    """The photos with masks, in one reading."""
    options = {
        "coco": {"annotations": folder / "instances.json", "images": folder / "images"},
        "mulan": {"annotations": folder / "annotations", "images": folder / "images"},
    }[folder.name]
    yield folder.name, SCENE_SOURCES.get(folder.name)(**options)


def compared(scene):
    """What the scene's notes say of the picture that came with it: which, and the largest error."""
    for picture in ("the photo", "the merged picture"):
        for note in scene.notes:
            if picture in note and note.endswith("/255"):
                return f"{note.split()[-1]} ({picture})"
    return "nothing to compare with"


def against_decomposed(scene, folder):
    """Compare a scene of MuLAn with the layers that others decoded; returns the number of unequal bytes."""
    paths = [folder / f"{scene.scene_id}-layer_{index}.png" for index in range(scene.depth)]
    if not all(path.is_file() for path in paths):
        return None
    stored = [np.asarray(Image.open(path).convert("RGBA")) for path in paths]
    return sum(int((one != other).sum()) for one, other in zip(scene.layers, stored, strict=True))


def line(source, name, scene, off):
    """One accepted scene as a row; what is wrong with it is added to `off`."""
    off += scene.problems()
    white = "yes" if scene.captions[0] == "white background" else "no"
    told = compared(scene)
    if source == "coco" and not told.startswith("0/255"):
        off.append(f"{name}: {told}")
    if source == "mulan":
        unequal = against_decomposed(scene, FOLDER / "mulan" / "decomposed")
        told += "" if unequal is None else f"; bytes unlike decomposed/: {unequal}"
        off += [f"{name}: {told}"] if unequal else []
    return row(source, name, scene.depth, f"{scene.width}x{scene.height}", white, told)


def row(*cells):
    widths = (11, 28, 7, 10, 9)
    return "".join(f"{cell!s:<{width}}" for cell, width in zip(cells, widths, strict=False)) + str(cells[-1])


def check(source, most, off):
    """Print every scene of one source; returns the accepted ones as pairs of an id and a depth."""
    accepted = []
    for name, reader in (files if source in ("openraster", "photoshop") else photos)(FOLDER / source, most):
        try:
            for material in islice(reader.read(), most):
                shown = name if material.scene.scene_id == Path(name).stem else material.scene.scene_id
                print(line(source, shown, material.scene, off), flush=True)
                accepted.append((material.scene.scene_id, material.scene.depth))
        except SourceError as error:
            for problem in error.problems:
                print(
                    row(source, name, "-", "-", "-", f"refused: {problem.split(f'{name}: ')[-1]}"), flush=True
                )
    return accepted


def ask(scenes, path):
    """Write one question about the uppermost layer of each scene, only so that a folder can be built."""
    entries = [
        {
            "scene": scene,
            "id": f"{scene}-top",
            "category": "direct_ask",
            "question": "Which number has the uppermost layer?",
            "answer": str(depth - 1),
            "gold": [str(depth - 1)],
            "shards": [
                {"text": "I need a number."},
                {"text": "It is that of a layer.", "support": [str(depth - 1)]},
                {"text": "I mean the uppermost one.", "support": [str(depth - 1)]},
            ],
        }
        for scene, depth in scenes
    ]
    path.write_text(yaml.safe_dump(entries, allow_unicode=True), encoding="utf-8")


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    FOLDER = Path(sys.argv[1])
    wrong: list[str] = []
    print(row("source", "file", "layers", "size", "white L0", "largest error against the stored picture"))
    for kind in ("coco", "mulan", "openraster", "photoshop"):
        if (FOLDER / kind).is_dir():
            found = check(kind, int(sys.argv[2]), wrong)
            print(f"{kind}: {len(found)} scenes accepted")
            wrong += [] if found else [f"{kind}: no scene accepted"]
            ask(found, Path(sys.argv[3]) / f"{kind}.yaml")
    if wrong:
        sys.exit("\n".join(["FAILED:", *wrong]))

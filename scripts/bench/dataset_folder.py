"""What it costs to build a dataset folder and to open it, beside plain `datasets` with embedded pictures.

93 scenes of 5 layers, 640 x 480, about 90 KB a PNG; 300 questions, 16 conditions. All times are CPU time.
Run it: .venv/bin/python scripts/bench/dataset_folder.py
"""

import argparse
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from PIL import Image

from dataset_builders.layered_vqa import rows
from dataset_builders.layered_vqa.build import build
from dataset_builders.layered_vqa.card import CONDITION_FEATURES, SCENES
from dataset_builders.layered_vqa.conditions import CONDITIONS, ConditionOptions
from dataset_builders.layered_vqa.example import Example, Shard
from dataset_builders.layered_vqa.facts import identity_facts
from dataset_builders.layered_vqa.folder import write_files
from dataset_builders.layered_vqa.scene import Scene
from dataset_builders.layered_vqa.sources.source import Material, SceneSource
from lvqa_eval.dataset import open_dataset

WIDTH, HEIGHT, DEPTH = 640, 480, 5
PATCH = 155
"""Side of the square of noise on each layer: noise cannot be compressed, so it sets the size of a PNG."""

BASELINE_QUESTIONS = 12
PROCESSES = 5
LISTING = "list"


@dataclass(frozen=True)
class Line:
    """One line of the table."""

    what: str
    found: str
    goal: str


class BenchSource(SceneSource):
    """Scenes of noisy squares that lie nearly on top of each other, and questions of one form."""

    name: ClassVar[str] = "bench"

    scenes: int
    questions: int

    def read(self) -> Iterator[Material]:
        """Yield the scenes; the questions are dealt to them in turn."""
        for index in range(self.scenes):
            name = f"scene-{index:04}"
            asked = range(index, self.questions, self.scenes)
            yield Material(_scene(name, index), tuple(_example(name, number) for number in asked))


def _scene(name: str, seed: int) -> Scene:
    rng = np.random.default_rng(seed)
    layers = []
    for index in range(DEPTH):
        layer = np.zeros((HEIGHT, WIDTH, 4), np.uint8)
        if index == 0:
            layer[:] = (*rng.integers(0, 256, 3), 255)
        top, left = 40 + 6 * index, 60 + 9 * index
        layer[top : top + PATCH, left : left + PATCH, :3] = rng.integers(0, 256, (PATCH, PATCH, 3))
        layer[top : top + PATCH, left : left + PATCH, 3] = 255
        layers.append(layer)
    captions = tuple(f"layer {index}" for index in range(DEPTH))
    return Scene(name, tuple(layers), "bench", "CC0-1.0", "nobody", captions)


def _example(scene: str, number: int) -> Example:
    return Example(
        question_id=f"question-{number:04}",
        scene_id=scene,
        depth=DEPTH,
        question="Which of the two noisy squares lies further to the left, the second or the third?",
        answer="the second",
        answer_description=None,
        category="spatial",
        gold_layers=(1, 2),
        minimal_sets=((1, 2),),
        dependencies=((1, 2),),
        shards=(
            Shard(1, "I want to compare two places.", ()),
            Shard(2, "One is that of the second noisy square.", (1,)),
            Shard(3, "The other is that of the third.", (2,)),
            Shard(4, "Which lies further to the left?", (1, 2)),
        ),
        distractors=(0, 3, 4),
    )


def cpu(work: Callable[[], Any], times: int = 1) -> float:
    """Return the least CPU seconds of so many goes."""
    seconds = []
    for _ in range(times):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return min(seconds)


def from_encoded(built: Path, out: Path, source: BenchSource) -> None:
    """Copy the PNG files and write everything else: what a build does once pictures are encoded."""
    options = ConditionOptions()
    shutil.copytree(built / SCENES, out / SCENES)
    scenes = [rows.scene_row(item.scene) for item in source_material(source)]
    examples = [one for item in source_material(source) for one in item.examples]
    write_files(out, scenes, examples, identity_facts(source, "1.0.0", options, "checkerboard"), options)


_MATERIAL: list[Material] = []


def source_material(source: BenchSource) -> list[Material]:
    """Return what the source gives, drawn once; of the pixels the sizes alone are needed."""
    if not _MATERIAL:
        empty = tuple(np.zeros((HEIGHT, WIDTH, 4), np.uint8) for _ in range(DEPTH))
        _MATERIAL.extend(replace(item, scene=replace(item.scene, layers=empty)) for item in source.read())
    return _MATERIAL


def embedded(built: Path, out: Path, questions: int) -> int:
    """Write one config as plain `datasets` does, pictures embedded; returns the bytes written."""
    from datasets import Dataset, load_dataset_builder

    features = load_dataset_builder(str(built), "full").info.features
    listed = []
    for record in [one for item in _MATERIAL for one in item.examples][:questions]:
        row = {feature["name"]: None for feature in CONDITION_FEATURES}
        folder = built / SCENES / record.scene_id
        row["composite"] = _opened(folder / "composite.png")
        row["layers"] = [_opened(folder / f"layer-{index}.png") for index in range(DEPTH)]
        listed.append(row)
    Dataset.from_list(listed, features=features).to_parquet(out)
    return out.stat().st_size


def _opened(path: Path) -> Image.Image:
    # Drawn pictures have no file behind them: `datasets` encodes such a picture wherever it stands.
    with Image.open(path) as picture:
        return picture.copy()


def size_of(folder: Path, pattern: str) -> int:
    """Return the bytes of all files below `folder` that fit."""
    return sum(path.stat().st_size for path in folder.rglob(pattern) if path.is_file())


def opening(folder: Path) -> dict[str, float]:
    """Return the CPU seconds of listing the files, and of the first streamed row of one config after another.

    Meant for a fresh process: what one config leaves in memory makes the next one cheaper.
    """
    from datasets import load_dataset
    from datasets.data_files import DataFilesDict

    def first_row(config: str) -> None:
        next(iter(load_dataset(str(folder), config, split="test", streaming=True)))

    patterns = {"test": ["full.jsonl", f"{SCENES}/**"]}
    seconds = {LISTING: cpu(lambda: DataFilesDict.from_patterns(patterns, base_path=str(folder)))}
    for config in [*CONDITIONS.names(), SCENES]:
        seconds[config] = cpu(lambda config=config: first_row(config))
    return seconds


def opening_lines(folder: Path) -> Iterator[Line]:
    """Open the folder in fresh processes; the least time of each step counts."""
    with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as processes:
        goes = list(processes.map(opening, [folder] * PROCESSES))
    seconds = {step: min(go[step] for go in goes) for step in goes[0]}
    listing, first, *others = seconds.values()
    yield Line("list the files once, as `datasets` does", f"{listing:.2f} s", "-")
    yield Line(
        "first streamed row of the first condition", f"{first:.2f} s", f"0.35 s or {1.3 * listing:.2f} s"
    )
    yield Line("of a second one", f"{others[0]:.2f} s", "0.15 s")
    yield Line("of the slowest of the others", f"{max(others):.2f} s", "0.15 s")
    yield Line("in each: parsing the card's YAML", f"{yaml_seconds(folder):.2f} s", "-")
    own = cpu(lambda: open_dataset(str(folder)).rows("sharded-v"), times=3)
    yield Line("our own reader: all rows of a condition", f"{own:.2f} s", "-")


def yaml_seconds(folder: Path) -> float:
    """Return what reading the card alone takes; `datasets` does so at each opening."""
    from huggingface_hub import DatasetCard

    return cpu(lambda: DatasetCard.load(folder / "README.md"), times=3)


def lines(work: Path, scenes: int, questions: int) -> Iterator[Line]:
    """Measure everything, one line after the other."""
    source = BenchSource(scenes=scenes, questions=questions)
    folder = work / "whole" / "layered-vqa"
    drawing = cpu(lambda: sum(1 for _ in source.read()))
    whole = cpu(lambda: build(source, folder, "1.0.0", ConditionOptions())) - drawing
    source_material(source)
    pictures, everything = size_of(folder, "*.png"), size_of(folder, "*")
    count = len(list(folder.rglob("*.png")))
    yield Line("pictures", f"{count} of {pictures / count / 1000:.0f} KB", "about 90 KB")
    goes = iter(range(10))
    encoded = cpu(lambda: from_encoded(folder, work / f"encoded-{next(goes)}", source), times=3)
    out = work / "embedded.parquet"
    fraction = min(BASELINE_QUESTIONS, questions)
    scale = questions * len(CONDITIONS.names()) / fraction
    base = cpu(lambda: embedded(folder, out, fraction))
    yield Line("build from encoded PNGs", f"{encoded:.2f} s", "1.5 s")
    yield Line("build from pixels (composes, encodes)", f"{whole:.1f} s", "-")
    yield Line(
        "`datasets`, embedded, scaled",
        f"{base * scale:.0f} s ({base * scale / encoded:.0f} x)",
        "about 1,300 s",
    )
    yield Line("disk", f"{everything / pictures:.3f} x the pictures", "1.1 x")
    embedded_bytes = out.stat().st_size * scale
    yield Line("`datasets`, embedded, scaled", f"{embedded_bytes / pictures:.0f} x the pictures", "-")
    yield from opening_lines(folder)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scenes", type=int, default=93)
    parser.add_argument("--questions", type=int, default=300)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        os.environ |= {"HF_HUB_OFFLINE": "1", "HF_DATASETS_CACHE": f"{work}/cache"}
        os.environ["HF_DATASETS_DISABLE_PROGRESS_BARS"] = "1"
        print("| what | found | goal |\n|---|---|---|")
        for line in lines(Path(work), chosen.scenes, chosen.questions):
            print(f"| {line.what} | {line.found} | {line.goal} |", flush=True)


if __name__ == "__main__":
    main()

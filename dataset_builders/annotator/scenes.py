"""Scenes of a source as the app shows them: pictures by hash, and the keys by which files name each layer."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from dataset_builders.annotator.contents import MOST, SceneContent, ShardContent, Written
from dataset_builders.annotator.naming import address
from dataset_builders.annotator.pictures import keep_pixels, path_of
from dataset_builders.annotator.store import Store, StoredItem, StoreError
from dataset_builders.layered_vqa.example import Example
from dataset_builders.layered_vqa.questions import LayerKeys
from dataset_builders.layered_vqa.scene import Scene
from dataset_builders.layered_vqa.sources.file_source import FileSource
from dataset_builders.layered_vqa.sources.source import Material, SceneSource
from lvqa_eval.files import replacing, write_whole
from lvqa_eval.progress import progress

LAYER_FOLDERS = "layers"
"""Below WORK: folders of PNG layers of scenes whose source has no question files of its own."""

IMPORTED = "imported"
"""Whose name stands at questions that were there before."""


class DrawnLayer(Written):
    """A layer: its picture by SHA-256, its caption, and its keys in question files."""

    sha256: str
    name: str
    keys: tuple[str, ...]


class DrawnScene(Written):
    """A scene as drawn: its id, its size in pixels, its composite by SHA-256, its layers, bottom first."""

    id: str
    width: int
    height: int
    composite: str
    layers: tuple[DrawnLayer, ...]

    @property
    def name(self) -> str:
        """Its id as it can stand in an address."""
        return address(self.id)


@dataclass(frozen=True)
class Drawn:
    """How many scenes are there, and how many questions were taken over."""

    scenes: int
    questions: int


def draw(store: Store, source: SceneSource) -> Drawn:
    """Draw every scene of `source` that is not there yet, and take over the questions about them.

    Raises StoreError where a scene was drawn before with other layers, since contents name them by number;
    SourceError as the source does.
    """
    questions = 0
    with progress("scenes") as advance:
        for material, keys in _keyed(store.folder, source):
            _put(store, _drawn(store.folder, material.scene, keys))
            if isinstance(source, FileSource):
                questions += import_examples(store, material.examples)
            advance()
    if not store.scenes():
        raise StoreError(f"{source.name}: found no scene, at least 1 is needed")
    return Drawn(len(store.scenes()), questions)


def scene_of(store: Store, scene: str) -> DrawnScene | None:
    """Return a scene as drawn, None for an unknown one."""
    drawn = store.scene(scene)
    return DrawnScene.model_validate_json(drawn) if drawn is not None else None


def depth_of(store: Store, item: StoredItem) -> int:
    """Return the number of layers of an item's scene; 0 for an item that is about none."""
    name = item.subject.get("scene")
    drawn = scene_of(store, name) if name is not None else None
    return len(drawn.layers) if drawn else 0


def picture_paths(store: Store, scene: DrawnScene) -> tuple[Path, tuple[Path, ...]]:
    """Return the files of a scene's composite (RGB) and of its layers (RGBA), bottom first."""
    return path_of(store.folder, scene.composite), tuple(
        path_of(store.folder, layer.sha256) for layer in scene.layers
    )


def import_examples(store: Store, examples: Iterable[Example]) -> int:
    """Take over questions as finished by an author, to be checked; returns how many are new."""
    added = 0
    for example in examples:
        item = address(example.question_id)
        content = content_of(example).model_dump_json()
        subject = {"scene": example.scene_id, "question_id": example.question_id}
        with store.writing():
            if store.add_item(item, subject, IMPORTED):
                store.save(item, "author", IMPORTED, 0, content, finished=True)
                added += 1
    return added


def content_of(example: Example) -> SceneContent:
    """Return an example as a content."""
    return SceneContent(
        question=example.question,
        answer=example.answer,
        answer_description=example.answer_description,
        category=example.category,
        minimal_sets=example.minimal_sets,
        dependencies=example.dependencies,
        shards=tuple(ShardContent(text=one.text, support=one.support) for one in example.shards),
    )


def _keyed(work: Path, source: SceneSource) -> Iterator[tuple[Material, LayerKeys]]:
    if isinstance(source, FileSource):
        yield from source.keyed()
        return
    for material in source.read():
        names = _write_layer_folder(work, material.scene)
        yield material, LayerKeys(len(names), {name: index for index, name in enumerate(names)})


def _drawn(work: Path, scene: Scene, keys: LayerKeys) -> DrawnScene:
    if scene.depth > MOST:
        raise StoreError(f"scene {scene.scene_id}: layers: found {scene.depth}, allowed: at most {MOST}")
    named: list[list[str]] = [[] for _ in scene.layers]
    for key, layer in keys.layer_of.items():
        named[layer].append(key)
    if nameless := [index for index, own in enumerate(named) if not own]:
        raise StoreError(f"scene {scene.scene_id}: layers: found no key of {nameless}, each needs one")
    return DrawnScene(
        id=scene.scene_id,
        width=scene.width,
        height=scene.height,
        composite=keep_pixels(work, scene.composite()),
        layers=tuple(
            DrawnLayer(sha256=keep_pixels(work, layer), name=caption, keys=tuple(of_layer))
            for layer, caption, of_layer in zip(scene.layers, scene.captions, named, strict=True)
        ),
    )


def _put(store: Store, drawn: DrawnScene) -> None:
    with store.writing():
        before = scene_of(store, drawn.id)
        if before is not None and [one.keys for one in before.layers] != [one.keys for one in drawn.layers]:
            raise StoreError(
                f"scene {drawn.id}: layers: found {len(drawn.layers)}, and {len(before.layers)} with other "
                "keys before, which contents name by number; allowed: the same options, or another WORK"
            )
        store.put_scene(drawn.id, drawn.model_dump_json())


def _write_layer_folder(work: Path, scene: Scene) -> list[str]:
    """Write a scene as the source png-layers reads it; returns the keys of its layers, bottom first."""
    from PIL import Image

    names = [f"layer-{index}" for index in range(scene.depth)]
    about: dict[str, Any] = {
        "licence": scene.licence,
        "attribution": scene.attribution,
        "layers": [f"{name}.png" for name in names],
        "captions": list(scene.captions),
    }
    with replacing(work / LAYER_FOLDERS / scene.scene_id) as folder:
        for name, layer in zip(names, scene.layers, strict=True):
            Image.fromarray(layer).save(folder / f"{name}.png", format="PNG")
        write_whole(folder / "scene.yaml", yaml.safe_dump(about, allow_unicode=True, sort_keys=False))
    return names

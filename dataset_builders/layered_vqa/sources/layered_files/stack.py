"""From the tree of layers and groups in a file to the flat stack of a scene."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from dataset_builders.layered_vqa.scene import Pixels, is_opaque
from dataset_builders.layered_vqa.sources.layered_files.patch import Cover, Patch, box_around, clip, merge
from lvqa_eval.images.decoding import MAX_PIXELS

MAX_STACK_PIXELS = 3 * MAX_PIXELS
"""Most pixels that the layers of one file may hold together (one GiB as RGBA)."""

UNNAMED = "unnamed layer"


class LayeredFileError(ValueError):
    """A layered file that cannot be used, with every reason in one line."""

    def __init__(self, *problems: str) -> None:
        super().__init__("; ".join(problems))


@dataclass(frozen=True, eq=False)
class Leaf:
    """A visible layer as stored; `clipped` are the layers clipped to it, lowest first."""

    name: str
    patch: Patch
    cover: Cover = field(default_factory=Cover)
    clipped: "tuple[Node, ...]" = ()


@dataclass(frozen=True, eq=False)
class Group:
    """A visible group; members bottom first."""

    name: str
    members: "tuple[Node, ...]"
    cover: Cover = field(default_factory=Cover)
    clipped: "tuple[Node, ...]" = ()


Node = Leaf | Group


@dataclass(frozen=True, eq=False)
class LayeredFile:
    """What a reader finds in a file: the visible nodes, bottom first, and the picture stored beside them.

    `merged` is H x W x 3 over white, None where the file has none. `notes` tell what was left out and
    `not_drawn` which features of the file plain source-over does not draw.
    """

    width: int
    height: int
    members: tuple[Node, ...]
    merged: Pixels | None
    notes: tuple[str, ...] = ()
    not_drawn: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class StackLayer:
    """One layer of the flat stack; `names` are all the names in the file that it stands for."""

    caption: str
    names: tuple[str, ...]
    patch: Patch


@dataclass(frozen=True, eq=False)
class Stack:
    """The layers of a scene, bottom first, cut to the canvas, and what was done to get them."""

    width: int
    height: int
    layers: tuple[StackLayer, ...]
    notes: tuple[str, ...]

    @property
    def bottom_is_opaque(self) -> bool:
        """Tell whether the lowest layer covers the canvas; else the scene gets a white layer below it."""
        if not self.layers:
            return False
        bottom = self.layers[0].patch
        return bottom.box == (0, 0, self.width, self.height) and is_opaque(bottom.pixels)

    @property
    def depth(self) -> int:
        """Number of layers of the scene, the white one included."""
        return len(self.layers) + (0 if self.bottom_is_opaque else 1)

    def layer_of(self) -> dict[str, int]:
        """Return name -> layer, for the names that mean one layer alone."""
        found = defaultdict(set)
        for index, layer in enumerate(self.layers):
            for name in layer.names:
                found[name].add(index)
        return {name: next(iter(layers)) for name, layers in found.items() if name and len(layers) == 1}


class PixelBudget:
    """Counts the pixels taken from one file, so that many large layers do not fill the memory."""

    def __init__(self) -> None:
        self._left = MAX_STACK_PIXELS

    def take(self, patch: Patch) -> Patch:
        """Return `patch`; raises LayeredFileError where the file has spent its pixels."""
        self._left -= patch.pixels.shape[0] * patch.pixels.shape[1]
        if self._left < 0:
            raise LayeredFileError(
                f"layers: found more than {MAX_STACK_PIXELS} pixels together, the most allowed"
            )
        return patch


def flatten(file: LayeredFile) -> Stack:
    """Return the stack that draws `file` by plain source-over.

    Opacities and masks go into the alpha of the layers. A group whose cover is partial is kept apart in its
    layers where they do not overlap; else it becomes one layer, because fading overlapping layers one by one
    lets the lower ones shine through. Layers without a visible pixel on the canvas are left out. All that is
    noted.
    """
    notes: list[str] = []
    layers = []
    for layer in _flat(file.members, notes):
        patch = layer.patch.cut((0, 0, file.width, file.height)).trimmed()
        if patch.shown():
            layers.append(replace(layer, patch=patch))
        else:
            notes.append(f"layer {layer.caption!r} left out: no visible pixel on the canvas")
    return Stack(file.width, file.height, tuple(layers), tuple(notes))


def merge_smallest(stack: Stack, most: int) -> Stack:
    """Return `stack` with a depth of at most `most`: its smallest pair of neighbours is merged, repeatedly.

    The size of a pair is the number of its visible pixels, both layers counted; among equals the upper pair.
    """
    merged = stack
    while merged.depth > most and len(merged.layers) > 1:
        layers = list(merged.layers)
        sizes = [layer.patch.shown() for layer in layers]
        lower = min(range(len(layers) - 1), key=lambda index: (sizes[index] + sizes[index + 1], -index))
        pair = layers[lower : lower + 2]
        layers[lower : lower + 2] = [_merged(" + ".join(one.caption for one in pair), pair)]
        merged = replace(merged, layers=tuple(layers))
    kept = {layer.caption for layer in stack.layers}
    new = [layer.caption for layer in merged.layers if layer.caption not in kept]
    note = (f"merged to keep to {most} layers: {'; '.join(new)}",) if new else ()
    return replace(merged, notes=(*stack.notes, *note))


def _flat(members: Sequence[Node], notes: list[str]) -> list[StackLayer]:
    found: list[StackLayer] = []
    for node in members:
        found += _clipped(node, notes) if node.clipped else _plain(node, notes)
    return found


def _plain(node: Node, notes: list[str]) -> list[StackLayer]:
    if isinstance(node, Leaf):
        return [StackLayer(node.name or UNNAMED, (node.name,), node.cover.fade(node.patch))]
    members = _flat(node.members, notes)
    if node.cover.is_full or not members:
        return members
    if _separable(members, node.cover):
        return [replace(one, patch=node.cover.fade(one.patch)) for one in members]
    notes.append(f"group {node.name!r} is one layer: its opacity or mask fades layers that overlap")
    merged = _merged(node.name or UNNAMED, members, node.name)
    return [replace(merged, patch=node.cover.fade(merged.patch))]


def _separable(members: Sequence[StackLayer], cover: Cover) -> bool:
    box = box_around([one.patch for one in members])
    shares = cover.shares(box)
    overlaps = np.zeros(shares.shape, np.int32)
    for one in members:
        overlaps += one.patch.spread(box)[..., 3] > 0
    return not bool(((overlaps > 1) & (shares > 0) & (shares < 1)).any())


def _clipped(node: Node, notes: list[str]) -> list[StackLayer]:
    base = _single(replace(node, clipped=()), notes)
    above = [one for one in (_single(layer, notes) for layer in node.clipped) if one]
    if base is None:
        return []
    patches = clip(base.patch, [one.patch for one in above])
    return [replace(one, patch=patch) for one, patch in zip([base, *above], patches, strict=True)]


def _single(node: Node, notes: list[str]) -> StackLayer | None:
    """Return a node as one layer, since what is clipped to a group is clipped to the whole of it."""
    layers = _plain(node, notes)
    if len(layers) < 2:
        return layers[0] if layers else None
    notes.append(f"group {node.name!r} is one layer: it is clipped, or layers are clipped to it")
    return _merged(node.name or UNNAMED, layers, node.name)


def _merged(caption: str, layers: Sequence[StackLayer], *names: str) -> StackLayer:
    known = (*names, *(name for layer in layers for name in layer.names))
    return StackLayer(caption, tuple(dict.fromkeys(known)), merge([layer.patch for layer in layers]))

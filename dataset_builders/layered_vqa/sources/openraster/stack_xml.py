"""The `stack.xml` of an OpenRaster file: which layers there are, where, and how they show."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from dataset_builders.layered_vqa.sources.layered_files.stack import LayeredFileError
from lvqa_eval.images.decoding import MAX_PIXELS

SOURCE_OVER = "svg:src-over"
MAX_DEPTH = 64
"""Deepest nesting of groups."""


@dataclass(frozen=True)
class LayerEntry:
    """One visible layer: `src` names its PNG, `x` and `y` place it, opacity goes from 0 to 1."""

    name: str
    src: str
    x: int
    y: int
    opacity: float


@dataclass(frozen=True)
class GroupEntry:
    """One visible group; members bottom first."""

    name: str
    members: "tuple[LayerEntry | GroupEntry, ...]"
    opacity: float


@dataclass(frozen=True)
class StackXml:
    """A checked stack.xml: canvas size in pixels, the root group, and what is hidden, in words."""

    width: int
    height: int
    root: GroupEntry
    hidden: tuple[str, ...]


def parse_stack(data: bytes) -> StackXml:
    """Read a stack.xml; raises LayeredFileError with all its problems.

    In the file the first child is the uppermost; here the lowest comes first. Hidden layers and groups are
    left out unread.
    """
    image = _parse(data)
    reader = _Reader()
    width, height = (reader.whole(image, "image", name, None) for name in ("w", "h"))
    if min(width, height) < 1 or width * height > MAX_PIXELS:
        reader.problems.append(
            f"image: found {width}x{height}, allowed: 1x1 to {MAX_PIXELS} pixels ({width * height} found)"
        )
    stacks = image.findall("stack")
    if image.tag != "image" or len(stacks) != 1:
        reader.problems.append(f"found <{image.tag}> with {len(stacks)} <stack>, allowed: <image> with one")
    members = [one for stack in stacks for one in reader.entry(stack)]
    if reader.problems:
        raise LayeredFileError(*(f"stack.xml: {problem}" for problem in reader.problems))
    return StackXml(width, height, GroupEntry("root", tuple(members), 1.0), tuple(reader.hidden))


class _Reader:
    """Walks the tree and collects what is wrong with it, and what is hidden."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self.hidden: list[str] = []

    def entry(self, element: Element) -> Iterator[LayerEntry | GroupEntry]:
        where = f"{'group' if element.tag == 'stack' else element.tag} {element.get('name', '')!r}"
        visibility = self._one_of(element, where, "visibility", "visible", ("visible", "hidden"))
        if visibility == "hidden":
            self.hidden.append(f"hidden {where} left out")
            return
        if element.tag not in ("layer", "stack"):
            self.problems.append(f"{where}: found <{element.tag}>, allowed: <layer>, <stack>")
            return
        self._one_of(element, where, "composite-op", SOURCE_OVER, (SOURCE_OVER,))
        self._one_of(element, where, "alpha-preserve", "false", ("false",))
        opacity, name = self._opacity(element, where), element.get("name", "")
        x, y = (self.whole(element, where, axis, "0") for axis in ("x", "y"))
        if element.tag == "layer":
            yield LayerEntry(name, self._src(element, where), x, y, opacity)
            return
        if (x, y) != (0, 0):
            # One draft moves the members by it, others give it no meaning.
            self.problems.append(f"{where}: x, y: found {x}, {y}, allowed for a group: 0, 0")
        members = [one for child in reversed(element) for one in self.entry(child)]
        yield GroupEntry(name, tuple(members), opacity)

    def whole(self, element: Element, where: str, name: str, default: str | None) -> int:
        text = element.get(name, default)
        try:
            return int(text or "")
        except ValueError:
            self.problems.append(f"{where}: {name}: found {text!r:.60}, allowed: a whole number")
            return 0

    def _opacity(self, element: Element, where: str) -> float:
        text = element.get("opacity", "1.0")
        try:
            opacity = float(text)
        except ValueError:
            opacity = math.nan
        if not 0 <= opacity <= 1:
            self.problems.append(f"{where}: opacity: found {text!r:.60}, allowed: 0 to 1")
        return opacity

    def _src(self, element: Element, where: str) -> str:
        src = element.get("src", "")
        path = PurePosixPath(src)
        if not src or path.is_absolute() or ".." in path.parts or "\\" in src or ":" in src:
            self.problems.append(f"{where}: src: found {src!r:.120}, allowed: a path inside the file")
        return src

    def _one_of(self, element: Element, where: str, name: str, default: str, allowed: tuple[str, ...]) -> str:
        found = element.get(name, default)
        if found not in allowed:
            self.problems.append(f"{where}: {name}: found {found!r:.60}, allowed: {', '.join(allowed)}")
        return found


def _parse(data: bytes) -> Element:
    """Return the root element.

    Expat is driven directly, because its wrapper in ElementTree hides the hooks that see a DTD coming. An
    entity can only be declared in a DTD, so refusing every DTD at its first word keeps entities from being
    declared, let alone expanded.
    """
    builder, parser, depth = TreeBuilder(), expat.ParserCreate(), 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > MAX_DEPTH:
            raise LayeredFileError(
                f"stack.xml: found groups nested deeper than {MAX_DEPTH}, the most allowed"
            )
        builder.start(tag, attributes)

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(tag)

    def refuse(name: str, *_: Any) -> None:
        raise LayeredFileError(f"stack.xml: found a document type declaration ({name!r:.60}), allowed: none")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise LayeredFileError(f"stack.xml: not XML: {error}") from error
    return builder.close()

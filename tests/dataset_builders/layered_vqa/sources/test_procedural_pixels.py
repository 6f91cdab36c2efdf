"""Procedural objects read back from their pixels alone, without the world record."""

from dataclasses import dataclass
from functools import cache, cached_property
from math import cos, pi, sin

import numpy as np
from PIL import Image, ImageDraw

from dataset_builders.layered_vqa.sources.procedural import ProceduralSource
from dataset_builders.layered_vqa.sources.procedural.attributes import BACKGROUND_COLOURS, COLOURS
from dataset_builders.layered_vqa.sources.source import Material

TEMPLATE = 48


@dataclass(frozen=True, eq=False)
class Seen:
    layer: int
    size: str
    pattern: str
    colour: str
    shape: str
    mask: np.ndarray

    @cached_property
    def centre(self) -> tuple[float, float]:
        rows, columns = np.nonzero(self.mask)
        return float(columns.mean()) + 0.5, float(rows.mean()) + 0.5

    def words(self) -> set[str]:
        return {self.size, self.pattern, self.colour, self.shape, "object"}


def star_points(count: int, outer: float, inner: float) -> list[tuple[float, float]]:
    radii = [outer, inner] * count
    return [(r * sin(pi * i / count), -r * cos(pi * i / count)) for i, r in enumerate(radii)]


OUTLINES = {
    "square": [(-1, -1), (1, -1), (1, 1), (-1, 1)],
    "triangle": star_points(3, 1, 0.5),
    "star": star_points(5, 1, 0.5),
    "hexagon": [(cos(pi * i / 3), sin(pi * i / 3)) for i in range(6)],
    "diamond": [(0, -1.2), (0.8, 0), (0, 1.2), (-0.8, 0)],
    "cross": [
        *[(-0.4, -1), (0.4, -1), (0.4, -0.4), (1, -0.4), (1, 0.4), (0.4, 0.4)],
        *[(0.4, 1), (-0.4, 1), (-0.4, 0.4), (-1, 0.4), (-1, -0.4), (-0.4, -0.4)],
    ],
    "heart": [
        (16 * sin(t) ** 3 / 16, -(13 * cos(t) - 5 * cos(2 * t) - 2 * cos(3 * t) - cos(4 * t)) / 16)
        for t in np.linspace(0, 2 * pi, 60)
    ],
}
DISCS = {
    "circle": [((0, 0, 1), 255)],
    "ring": [((0, 0, 1), 255), ((0, 0, 0.4), 0)],
    "moon": [((0, 0, 1), 255), ((0.62, 0, 0.75), 0)],
}


def framed(mask: np.ndarray) -> np.ndarray:
    """Cut a mask to its bounding box and scale it to one size."""
    rows, columns = np.nonzero(mask)
    cut = mask[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
    picture = Image.fromarray(cut.astype(np.uint8) * 255).resize((TEMPLATE, TEMPLATE))
    return np.asarray(picture) >= 128


def drawn(shape: str, tilt: int) -> np.ndarray:
    picture = Image.new("L", (400, 400))
    draw = ImageDraw.Draw(picture)
    if shape in OUTLINES:
        draw.polygon([(200 + 120 * x, 200 + 120 * y) for x, y in OUTLINES[shape]], fill=255)
    for (x, y, radius), tone in DISCS.get(shape, []):
        middle, reach = (200 + 120 * x, 200 + 120 * y), 120 * radius
        draw.ellipse([middle[0] - reach, middle[1] - reach, middle[0] + reach, middle[1] + reach], fill=tone)
    return framed(np.asarray(picture.rotate(-tilt)) >= 128)


@cache
def templates() -> tuple[list[str], np.ndarray]:
    names = [shape for shape in (*OUTLINES, *DISCS) for _ in range(5)]
    pictures = [drawn(shape, tilt) for shape in (*OUTLINES, *DISCS) for tilt in (-10, -5, 0, 5, 10)]
    return names, np.stack(pictures)


def shape_of(mask: np.ndarray) -> str:
    names, pictures = templates()
    own = framed(mask)
    agreement = (pictures & own).sum((1, 2)) / (pictures | own).sum((1, 2))
    return names[int(agreement.argmax())]


def colour_of(rgb: np.ndarray, mask: np.ndarray) -> str:
    """Return the named colour of which most pixels are, exactly."""
    counts = {name: int((rgb[mask] == tone).all(axis=1).sum()) for name, tone in COLOURS.items()}
    return max(counts, key=lambda name: counts[name])


def pattern_of(rgb: np.ndarray, alpha: np.ndarray, colour: str) -> str:
    """Tell patterns apart by the share of marks and by whether their edges run one way."""
    inner = alpha == 255
    for _ in range(4):
        inner[1:-1, 1:-1] &= inner[:-2, 1:-1] & inner[2:, 1:-1] & inner[1:-1, :-2] & inner[1:-1, 2:]
    away = np.abs(rgb.astype(float) - COLOURS[colour]).sum(axis=2) * inner
    if not inner.any() or (away[inner] > 60).mean() < 0.03:
        return "plain"
    marked = np.clip(away / away.max(), 0, 1)
    down, across = np.gradient(marked)
    whole = inner.copy()
    whole[1:-1, 1:-1] &= inner[:-2, 1:-1] & inner[2:, 1:-1] & inner[1:-1, :-2] & inner[1:-1, 2:]
    xx, yy, xy = ((a * b)[whole].sum() for a, b in ((across, across), (down, down), (across, down)))
    one_way = np.hypot(xx - yy, 2 * xy) / (xx + yy)
    if one_way > 0.6:
        return "striped"
    return "dotted" if marked[inner].mean() < 0.39 else "checked"


def read_layers(material: Material) -> dict[int, Seen]:
    found = {}
    for layer, pixels in enumerate(material.scene.layers[1:], start=1):
        rgb, alpha = pixels[..., :3], pixels[..., 3]
        mask = alpha >= 128
        rows, columns = np.nonzero(mask)
        reach = max(np.ptp(rows), np.ptp(columns)) / min(mask.shape)
        colour = colour_of(rgb, alpha == 255)
        size = "large" if reach > 0.29 else "small"
        found[layer] = Seen(layer, size, pattern_of(rgb, alpha, colour), colour, shape_of(mask), mask)
    return found


def background_of(pixels: np.ndarray) -> str:
    median = np.median(pixels[::5, ::5, :3].reshape(-1, 3), axis=0)
    return min(BACKGROUND_COLOURS, key=lambda name: float(np.abs(median - BACKGROUND_COLOURS[name]).sum()))


@cache
def materials() -> list[tuple[Material, dict[int, Seen]]]:
    sources = [ProceduralSource(scenes=32, questions_per_scene=5, seed=seed) for seed in (100, 101)]
    return [(material, read_layers(material)) for source in sources for material in source.read()]


def test_captions_say_what_the_pixels_show() -> None:
    for material, seen in materials():
        for layer, one in seen.items():
            expected = f"a {one.size} {one.pattern} {one.colour} {one.shape}"
            assert material.scene.captions[layer] == expected, (material.scene.scene_id, layer)

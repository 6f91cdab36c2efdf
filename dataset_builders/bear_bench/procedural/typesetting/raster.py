"""A sheet as pixels. The same sheet always gives the same bytes."""

import io
from functools import lru_cache
from math import ceil

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from dataset_builders.bear_bench.procedural.typesetting.blocks import math_font
from dataset_builders.bear_bench.procedural.typesetting.fonts import font
from dataset_builders.bear_bench.procedural.typesetting.marks import Formula, Piece, Shape, Sheet, Text
from dataset_builders.bear_bench.procedural.typesetting.style import BLACK, WHITE

_FINER = 3
"""Letters and slanted edges are drawn so many times finer than a page at full size, then averaged."""

_COLOURS = 128


def draw(sheet: Sheet, scale: float = 1.0) -> Image.Image:
    """Draw a sheet at a scale, as RGB."""
    size = round(sheet.width * scale), round(sheet.height * scale)
    image = Image.new("RGB", size, WHITE)
    for piece in sheet.pieces:
        _shapes(image, piece, scale)
    black = [mark for mark in sheet.written() if isinstance(mark, Text) and mark.colour == BLACK]
    _texts(image, black, scale)
    for mark in sheet.written():
        if isinstance(mark, Formula):
            _formula(image, mark, scale)
        elif mark.colour != BLACK:
            _texts(image, [mark], scale)
    return image


def encoded(image: Image.Image) -> bytes:
    """Return an image as PNG, in a palette of its own: a third of the bytes, and no difference to the eye."""
    buffer = io.BytesIO()
    image.quantize(_COLOURS, Image.Quantize.FASTOCTREE).save(buffer, "PNG")
    return buffer.getvalue()


def ink(image: Image.Image) -> float:
    """Return the share of pixels that are not white, to four places."""
    pixels = np.asarray(image.convert("L"))
    return round(float((pixels < 250).mean()), 4)


def _texts(image: Image.Image, texts: list[Text], scale: float) -> None:
    """Draw texts of one colour, finer than the page and averaged: letters keep their own widths so."""
    boxes = [mark.box() for mark in texts]
    left, top = (int(min(box[side] for box in boxes) * scale) - 2 for side in (0, 1))
    right, bottom = (int(max(box[side] for box in boxes) * scale) + 3 for side in (2, 3))
    finer = max(1, ceil(_FINER / scale))
    mask = Image.new("L", ((right - left) * finer, (bottom - top) * finer), 0)
    pen = ImageDraw.Draw(mask)
    for mark in texts:
        at = ((mark.x * scale - left) * finer, (mark.y * scale - top) * finer)
        pen.text(at, mark.text, 255, font(mark.face, mark.size * scale * finer), anchor="ls")
    image.paste(texts[0].colour, (left, top, right, bottom), mask.reduce(finer))


def _shapes(image: Image.Image, piece: Piece, scale: float) -> None:
    shapes = [mark for mark in piece.marks if isinstance(mark, Shape)]
    if all(shape.is_upright() for shape in shapes):
        pen = ImageDraw.Draw(image)
        for shape in shapes:
            _draw(pen, shape, scale, (0, 0), 1)
        return
    xs = [x * scale for shape in shapes for x, _ in shape.points]
    ys = [y * scale for shape in shapes for _, y in shape.points]
    left, top = int(min(xs)) - 4, int(min(ys)) - 4
    wide, high = int(max(xs)) + 5 - left, int(max(ys)) + 5 - top
    layer = Image.new("RGB", (wide * _FINER, high * _FINER), WHITE)
    pen = ImageDraw.Draw(layer)
    for shape in shapes:
        _draw(pen, shape, scale, (left, top), _FINER)
    image.paste(layer.reduce(_FINER), (left, top))


def _draw(pen: ImageDraw.ImageDraw, shape: Shape, scale: float, origin: tuple[int, int], finer: int) -> None:
    upright = shape.is_upright()
    points = []
    for x, y in shape.points:
        # Level and upright edges begin at whole pixels, so that they stay sharp.
        at = (round(x * scale), round(y * scale)) if upright else (x * scale, y * scale)
        points.append(((at[0] - origin[0]) * finer, (at[1] - origin[1]) * finer))
    # No line is thinner than a pixel, or it would fade away on small pages.
    thick = max(finer, round(shape.width * scale * finer)) if shape.colour else 0
    if shape.kind == "line":
        pen.line(points, shape.colour, thick, joint="curve")
    elif shape.kind == "polygon" and shape.points[0] != shape.points[2]:
        pen.polygon(points, shape.fill, shape.colour, max(thick, 1))
    elif shape.kind == "disc":
        pen.ellipse((*points[0], *points[1]), shape.fill, shape.colour, thick)
    elif shape.kind == "slice":
        pen.pieslice((*points[0], *points[1]), *shape.angles, shape.fill, shape.colour, thick)


def _formula(image: Image.Image, mark: Formula, scale: float) -> None:
    coverage = _rastered(mark.tex, round(mark.size * scale, 2), mark.serif)
    at = (round(mark.x * scale), round(mark.y * scale))
    image.paste(BLACK, (*at, at[0] + coverage.shape[1], at[1] + coverage.shape[0]), Image.fromarray(coverage))


@lru_cache(maxsize=64)
def _rastered(tex: str, size: float, serif: bool) -> NDArray[np.uint8]:
    from matplotlib.mathtext import MathTextParser

    found = MathTextParser("agg").parse(f"${tex}$", dpi=72, prop=math_font(size, serif), antialiased=True)
    return np.ascontiguousarray(np.asarray(found.image), np.uint8)

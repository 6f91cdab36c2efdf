"""Every kind of block, typeset."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from dataset_builders.bear_bench.procedural.content import (
    Block,
    Chart,
    Code,
    Equation,
    Flowchart,
    Footnote,
    Heading,
    Organisation,
    Paragraph,
    Table,
    Title,
)
from dataset_builders.bear_bench.procedural.typesetting import charts, flowcharts, organisations, tables
from dataset_builders.bear_bench.procedural.typesetting.captions import caption
from dataset_builders.bear_bench.procedural.typesetting.fonts import Face, width
from dataset_builders.bear_bench.procedural.typesetting.marks import (
    Formula,
    Mark,
    Piece,
    Text,
    flush_right,
    rectangle,
    rule,
)
from dataset_builders.bear_bench.procedural.typesetting.paragraphs import block_of_lines, paragraph
from dataset_builders.bear_bench.procedural.typesetting.style import GREY, RULE, Colour, Look

_CODE_GROUND: Colour = (246, 247, 249)


def typeset(block: Block, look: Look, wide: float) -> Piece:
    """Typeset a block in a column `wide` pixels wide."""
    return _SETTERS[type(block)](block, look, wide)


def spans(block: Block, look: Look) -> bool:
    """Tell whether a block needs the whole width of a page with columns."""
    match block:
        case Title() | Organisation():
            return True
        case Table():
            return tables.least_width(block, look) > look.column
        case Flowchart():
            return max(node.column for node in block.nodes) > 2
        case Code():
            return _code_size(block, look, look.column) < 0.74 * look.size
    return False


def _title(block: Title, look: Look, wide: float) -> Piece:
    size, centre = look.size * 1.62, look.columns > 1 and look.family == "serif"
    y, marks = 0.0, list[Mark]()
    parts = [(line, look.body.bolder(), size) for line in [block.text]]
    parts += [(line, look.body, look.size * 1.02) for line in block.lines]
    for text, face, scale in parts:
        for line in block_of_lines(text, face, scale, wide, None):
            left = (wide - line[-1].box()[2]) / 2 if centre else 0.0
            marks += [mark.moved(left, y + 0.95 * scale) for mark in line]
            y += 1.28 * scale
        y += 0.3 * look.size
    if not centre:
        marks.append(rule(0, wide, y + 0.2 * look.size, look.accent, 3))
        y += 0.4 * look.size
    if block.abstract:
        inset = 0.07 * wide
        body = paragraph(block.abstract, look, wide - 2 * inset, size=0.93 * look.size)
        marks += body.at(inset, y + 0.5 * look.size).marks
        y += body.height + 1.0 * look.size
    return Piece(y + 0.4 * look.size, tuple(marks))


def _heading(block: Heading, look: Look, wide: float) -> Piece:
    size = look.size * 1.14
    colour = look.accent if look.family == "sans" else (22, 22, 24)
    lines = block_of_lines(block.text, look.body.bolder(), size, wide, None, colour)
    marks = [mark.moved(0, number * 1.25 * size + size) for number, line in enumerate(lines) for mark in line]
    return Piece(len(lines) * 1.25 * size + 0.25 * look.size, tuple(marks), rise=0.5 * look.gap, leads=True)


def _equation(block: Equation, look: Look, wide: float) -> Piece:
    size = look.size * 1.12
    serif = look.family == "serif"
    formula_wide, high, text = measured(block.tex, size, serif)
    if formula_wide > wide - 4 * size:
        size *= (wide - 4 * size) / formula_wide
        formula_wide, high, text = measured(block.tex, size, serif)
    pad = 0.35 * look.size
    formula = Formula((wide - formula_wide) / 2, pad, block.tex, size, serif, formula_wide, high, text, " ")
    number = flush_right(wide, pad + high / 2 + 0.35 * look.size, f"({block.number})", look.body, look.size)
    return Piece(high + 2 * pad, (formula, number))


@lru_cache(maxsize=512)
def measured(tex: str, size: float, serif: bool) -> tuple[float, float, str]:
    """Return width and height of an equation in pixels, and its characters in the order of their setting."""
    from matplotlib.mathtext import MathTextParser

    found = MathTextParser("path").parse(f"${tex}$", dpi=72, prop=math_font(size, serif))
    text = "".join(chr(glyph[2]) for glyph in found.glyphs)
    return float(found.width) + 2, float(found.height) + 2, "".join(text.split())


def math_font(size: float, serif: bool):  # type: ignore[no-untyped-def]
    """Return matplotlib's description of the DejaVu font for mathematics; at 72 dpi a point is a pixel."""
    from matplotlib.font_manager import FontProperties

    family = "dejavuserif" if serif else "dejavusans"
    return FontProperties(
        family="DejaVu Serif" if serif else "DejaVu Sans", size=size, math_fontfamily=family
    )


def _code_size(block: Code, look: Look, wide: float) -> float:
    longest = max(block.lines, key=len)
    room = wide - 3.4 * look.size
    return min(0.86 * look.size, room / width(longest, Face("mono"), 1.0))


def _code(block: Code, look: Look, wide: float) -> Piece:
    head = caption(f"{block.label}{tables.look_dash(look)}{block.caption}", look, wide)
    size = _code_size(block, look, wide)
    top, leading, face = head.height + 0.4 * look.small, 1.34 * size, Face("mono")
    bottom = top + leading * len(block.lines) + 0.9 * size
    marks: list[Mark] = [rectangle(0, top, wide, bottom, RULE, _CODE_GROUND)]
    for number, line in enumerate(block.lines, start=1):
        base = top + leading * number + 0.1 * size
        indent = len(line) - len(line.lstrip())
        left = 2.6 * look.size + width(" " * indent, face, size) if indent else 2.6 * look.size
        note = flush_right(1.9 * look.size, base, str(number), face, 0.85 * size, GREY)
        marks.append(
            Text(
                note.x,
                note.y,
                note.text,
                note.face,
                note.size,
                note.colour,
                after=" " if line.strip() else "\n",
            )
        )
        if line.strip():
            marks.append(Text(left, base, line.strip(), face, size))
    return Piece(bottom, (*head.marks, *marks), rise=0.5 * look.gap)


def _footnote(block: Footnote, look: Look, wide: float) -> Piece:
    return paragraph(f"^{block.mark}^ {block.text}", look, wide, size=0.8 * look.size)


def _paragraph(block: Paragraph, look: Look, wide: float) -> Piece:
    return paragraph(block.text, look, wide, indent=1.5 * look.size if look.indented else 0)


_SETTERS: dict[type[Block], Callable[[Any, Look, float], Piece]] = {
    Title: _title,
    Heading: _heading,
    Paragraph: _paragraph,
    Table: tables.typeset,
    Chart: charts.typeset,
    Flowchart: flowcharts.typeset,
    Organisation: organisations.typeset,
    Equation: _equation,
    Code: _code,
    Footnote: _footnote,
}

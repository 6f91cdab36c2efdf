"""Captions of tables, figures and listings."""

from dataset_builders.bear_bench.procedural.typesetting.marks import Piece
from dataset_builders.bear_bench.procedural.typesetting.paragraphs import block_of_lines
from dataset_builders.bear_bench.procedural.typesetting.style import Look


def caption(text: str, look: Look, wide: float, *, in_the_middle: bool = False) -> Piece:
    """Typeset a caption; its label is bold in English, as its writer marks it."""
    lines = block_of_lines(text, look.body, look.small, wide, look.language)
    leading = look.small * 1.28
    marks = []
    for number, line in enumerate(lines):
        left = (wide - line[-1].box()[2]) / 2 if in_the_middle else 0.0
        marks += [mark.moved(left, number * leading + 0.95 * look.small) for mark in line]
    return Piece(len(lines) * leading, tuple(marks))

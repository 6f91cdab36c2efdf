"""The one look of all figures, and a plot as SVG and PNG: the same bytes at every writing."""

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Final

from lvqa_eval.reports.exhibit import Plot
from lvqa_eval.reports.plots.palette import GRID, INK, LINE, MUTED

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

SMALLEST: Final = 8.0
"""Points of the smallest text at the printed size."""

WIDTH: Final = 7.0
"""Inches of the widest figure: what a page of text gives."""

STYLE: Final[dict[str, Any]] = {
    "font.family": ["DejaVu Sans"],  # comes with matplotlib, and has Cyrillic
    "font.size": SMALLEST,
    "axes.titlesize": 9.0,
    "axes.titlelocation": "left",
    "axes.titlepad": 7.0,
    "axes.labelsize": SMALLEST,
    "xtick.labelsize": SMALLEST,
    "ytick.labelsize": SMALLEST,
    "legend.fontsize": SMALLEST,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.color": LINE,
    "ytick.color": LINE,
    "axes.edgecolor": LINE,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.4,
    "lines.markersize": 4.5,
    "legend.frameon": False,
    "legend.labelcolor": MUTED,
    "legend.handlelength": 2.2,
    "figure.constrained_layout.use": True,
    "figure.constrained_layout.wspace": 0.03,
    # Paths: text that is drawn by whoever opens the file looks different everywhere, and runs into its
    # neighbours where a wider font stands in.
    "svg.fonttype": "path",
    "svg.hashsalt": "lvqa",
    "savefig.dpi": 200,
}

# None keeps the time and matplotlib's version out of the file.
_SVG_METADATA: Final = dict.fromkeys(("Date", "Creator", "Format", "Type"))
_PNG_METADATA: Final = {"Software": None}

_PROLOG = re.compile(r"^.*?(?=<svg )", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_STYLE_OF_ALL = re.compile(r'<defs>\s*<style type="text/css">\*{(.*?)}</style>\s*</defs>')
_GROUP_NAME = re.compile(r' id="[A-Za-z0-9.]+_\d+"')
_LONG_NUMBER = re.compile(r"scale\([^)]*\)|-?\d+\.\d{3,}")
_PATH = re.compile(r'(?<= d=")[^"]*')
_STEP = re.compile(r"\s*([A-Za-z])\s*")
_BREAKS = re.compile(r"\s*\n\s*")


@dataclass(frozen=True)
class Rendered:
    """A plot as files: `svg` begins with its element, so that it may stand in a page; `png` has 200 dpi."""

    svg: str
    png: bytes


def render(plot: Plot) -> Rendered:
    """Return a plot as SVG, whose label is its `alt`, and as PNG."""
    with styled():
        figure = drawn(plot)
        svg, png = io.StringIO(), io.BytesIO()
        figure.savefig(svg, format="svg", metadata=_SVG_METADATA)
        figure.savefig(png, format="png", metadata=_PNG_METADATA)
    return Rendered(_labelled(_slim(svg.getvalue()), plot.alt), png.getvalue())


def drawn(plot: Plot) -> "Canvas":
    """Return the figure of a plot; to be called, and saved, inside `styled`."""
    from matplotlib.figure import Figure as Canvas

    figure = Canvas(figsize=plot.size)
    plot.draw(figure)
    return figure


@contextmanager
def styled() -> Iterator[None]:
    """Draw in this project's style, whatever the user's own settings of matplotlib are."""
    from matplotlib import style

    with style.context(["default", STYLE]):
        yield


def _slim(svg: str) -> str:
    """Return the same picture in fewer bytes, fit to stand in a page beside others.

    A rule for all elements would reach those of the page, so the outermost one has it; groups lose names that
    every figure gives. A hundredth of a point is finer than any screen or printer.
    """
    svg = _COMMENT.sub("", _PROLOG.sub("", svg, count=1))
    of_all = _STYLE_OF_ALL.search(svg)
    if of_all:
        svg = svg.replace(of_all[0], "", 1).replace("<svg ", f'<svg style="{of_all[1]}" ', 1)
    svg = _LONG_NUMBER.sub(_rounded, _GROUP_NAME.sub("", svg))
    svg = _PATH.sub(lambda found: _STEP.sub(r"\1", found[0].strip()), svg)
    return _BREAKS.sub("\n", svg)


def _rounded(found: re.Match[str]) -> str:
    return found[0] if found[0].startswith("scale") else f"{float(found[0]):.2f}".rstrip("0").rstrip(".")


def _labelled(svg: str, alt: str) -> str:
    return svg.replace("<svg ", f'<svg role="img" aria-label="{escape(" ".join(alt.split()))}" ', 1)

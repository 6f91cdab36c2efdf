"""Whether a drawn figure can be read: nothing over anything else, nothing cut off, nothing too small."""

from collections.abc import Iterator, Sequence

import numpy as np
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.text import Text
from numpy.typing import NDArray

from lvqa_eval.reports.exhibit import Plot
from lvqa_eval.reports.plots.style import SMALLEST, drawn, styled

TOUCH = 0.5  # pixels by which boxes may overlap: they are rounded outwards


def faults(plot: Plot) -> list[str]:
    """Draw a plot; return what cannot be read in it."""
    figure = laid_out(plot)
    small = [text.get_text() for text in _seen(figure) if text.get_fontsize() < SMALLEST]
    return overlaps(figure) + [f"too small: {text!r}" for text in small]


def laid_out(plot: Plot) -> Figure:
    """Return the figure of a plot with everything in its place."""
    with styled():
        figure = drawn(plot)
        FigureCanvasAgg(figure)
        figure.draw_without_rendering()
    return figure


def overlaps(figure: Figure) -> list[str]:
    """Return each pair of texts that overlap, each text that is cut off and each legend over a panel."""
    texts = list(_seen(figure))
    names = [repr(text.get_text()) for text in texts]
    boxes = _boxes(texts)
    meet = np.argwhere(np.triu(_meeting(boxes, boxes), 1))
    found = [f"{names[one]} over {names[other]}" for one, other in meet.tolist()]
    low, high = np.array(figure.bbox.min) - TOUCH, np.array(figure.bbox.max) + TOUCH
    cut = (boxes[:, :2] < low).any(axis=1) | (boxes[:, 2:] > high).any(axis=1)
    found += [f"cut off: {names[place]}" for place in np.flatnonzero(cut).tolist()]
    legends = _boxes([one for one in figure.findobj(Legend) if one.get_visible()])
    return found + ["legend over a panel"] * int(_meeting(legends, _boxes(figure.axes)).sum())


def _seen(figure: Figure) -> Iterator[Text]:
    """Yield every text that is drawn; ticks beyond the ends of their axis are not."""
    beyond = set(_labels_beyond(figure))
    for text in figure.findobj(Text):
        if text.get_visible() and text.get_text().strip() and id(text) not in beyond and not _hidden(text):
            yield text


def _labels_beyond(figure: Figure) -> Iterator[int]:
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            room = 1e-6 * (high - low)
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
                gone = not low - room <= tick.get_loc() <= high + room
                for label in (tick.label1, tick.label2):
                    if gone or not (tick.get_visible() and label.get_visible() and axes.get_visible()):
                        yield id(label)


def _hidden(text: Text) -> bool:
    return text.axes is not None and not text.axes.get_visible()


def _boxes(artists: Sequence[Artist]) -> NDArray[np.float64]:
    """Return left, bottom, right and top of each in pixels, (artists, 4)."""
    return np.array([one.get_window_extent().extents for one in artists]).reshape(-1, 4)


def _meeting(ones: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.bool_]:
    low = np.maximum(ones[:, None, :2], others[None, :, :2])
    high = np.minimum(ones[:, None, 2:], others[None, :, 2:])
    return np.asarray((high - low > TOUCH).all(axis=-1))

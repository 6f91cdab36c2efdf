"""The delivery glyph of a condition: the question above the line, the scene below, one column a turn."""

from functools import cache

from leaderboard.html.escape import Markup, el
from lvqa_eval.reports.glyphs import HEIGHT, WIDTH, Bar, glyph

_MIDDLE = HEIGHT / 2
_LINK = 3.5
"""Half the length of the lines between words and layers that arrive together."""


@cache
def delivery_glyph(condition: str) -> Markup | None:
    """Return the glyph, without a name since the condition's own stands beside it; None for one without."""
    found = glyph(condition)
    if found is None:
        return None
    linked = bool(found.links)
    middle = None if linked else el("line", class_="base", x1=0, x2=WIDTH, y1=_MIDDLE, y2=_MIDDLE)
    links = [
        el("line", class_="k", x1=x1, x2=x2, y1=_MIDDLE - _LINK, y2=_MIDDLE + _LINK) for x1, x2 in found.links
    ]
    return el(
        "svg",
        middle,
        *map(_bar, found.bars),
        *links,
        class_="lv-glyph",
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        width=WIDTH,
        height=HEIGHT,
        aria_hidden="true",
        focusable="false",
    )


def _bar(bar: Bar) -> Markup:
    # A hollow bar is drawn on its outline's middle, half a pixel in.
    inset = 0.5 if bar.kind == "other" else 0.0
    return el(
        "rect",
        class_=bar.kind,
        x=bar.x + inset,
        y=bar.y + inset,
        width=bar.width - 2 * inset,
        height=bar.height - 2 * inset,
    )

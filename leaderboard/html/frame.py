"""What stands around every part: its root, heads, notes, and the areas that scroll sideways."""

from typing import Final

from leaderboard.board.records import Standing
from leaderboard.html.escape import Child, Markup, el
from leaderboard.html.words import Words

_OF_DOCUMENTS: Final = "bear-bench"
"""The benchmark whose bootstrap draws documents; that of the others draws scenes."""


def part(words: Words, *children: Child, class_: str = "", **attributes: str) -> Markup:
    """Return the root of one part; the style sheet applies inside of it alone."""
    return el("div", *children, class_=f"lv {class_}".strip(), lang=words.language, **attributes)


def page_head(page: str, words: Words, standing: Standing | None = None) -> Markup:
    """Return the title of a page and its sentence, texts `page.PAGE`, and what data its tables are of."""
    lead = words(f"page.{page}.lead")
    told = el("p", lead, f" {_counts(standing, words)}." if standing is not None else None)
    return part(words, el("div", el("h1", words(f"page.{page}.title")), told, class_="lv-head lv-page-head"))


def _counts(standing: Standing, words: Words) -> str:
    clusters = "standing.documents" if standing.benchmark == _OF_DOCUMENTS else "standing.scenes"
    counts = (
        words.count(clusters, standing.clusters),
        words.count("standing.questions", standing.questions),
        words.count("standing.runs", standing.runs),
        words("standing.version", version=standing.version),
    )
    return ", ".join(counts)


def beside(words: Words, *parts: Markup, narrow_first: bool = False) -> Markup:
    """Return parts side by side, below each other where there is no room.

    Columns are of one width; `narrow_first` gives the first that of a scene with its layers.
    """
    return part(words, *parts, class_="lv-ex" if narrow_first else "lv-figs")


def head(title: Child, *lead: Child) -> Markup:
    """Return the head of a part, with what it is in a sentence beside it."""
    return el("div", el("h2", title), el("p", *lead) if lead else None, class_="lv-head")


def note(*children: Child) -> Markup:
    """Return what stands in small letters below a part."""
    return el("p", *children, class_="lv-note")


def scroll(label: str, *children: Child, class_: str = "") -> Markup:
    """Return an area that scrolls sideways; the keyboard reaches it, and it says what it holds."""
    name = f"lv-scroll {class_}".strip()
    return el("div", *children, class_=name, role="region", aria_label=label, tabindex="0")


def section(columns: int, title: Child, why: str = "") -> Markup:
    """Return the line above the rows of a section, which stays in sight while the table scrolls sideways."""
    told = el("span", why, class_="why") if why else None
    stays = el("span", el("b", title), told, class_="stay")
    return el("tr", el("th", stays, colspan=columns, scope="rowgroup"), class_="sec")


def caption(text: str) -> Markup:
    """Return the caption of a table that stands below a head which shows the same: read out, not seen."""
    return el("caption", text, class_="vh")


def small(*children: Child) -> Markup:
    """Return a line in small letters below another."""
    return el("span", *children, class_="sub")

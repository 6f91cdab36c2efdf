"""A page that a question was asked about, as it was sent."""

from leaderboard.html.escape import Markup, el, outer
from leaderboard.html.exchange import picture
from leaderboard.html.frame import head, part
from leaderboard.html.layers import Scene
from leaderboard.html.words import Words


def page_view(page: Scene, words: Words, *, evidence: bool = False) -> Markup:
    """Return a page, a scene without layers; `evidence` tells the reference."""
    shown = page.composite
    size = words("asked.size", width=words.integer(shown.width), height=words.integer(shown.height))
    return part(
        words,
        head(words("asked.title"), size),
        el("div", picture(shown, words("heat.alt")), class_="lv-whole"),
        page_facts(page, words) if evidence else None,
        class_="lv-scene",
    )


def page_facts(page: Scene, words: Words) -> Markup:
    """Return the reference of a page's question, and of which language and domain it is."""
    told = words("asked.facts", reference=page.reference, category=page.category)
    return el("p", outer(told), class_="lv-note")

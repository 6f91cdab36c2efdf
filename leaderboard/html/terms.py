"""A term with its definition: a dotted word that opens a card; Esc closes it."""

from leaderboard.html.escape import Child, Markup, el
from leaderboard.html.words import Words


def term(key: str, words: Words, place: str, shown: Child = None) -> Markup:
    """Return a term of the texts `term.KEY` as a button, its card behind it.

    `place` is the name of the part in which it stands: the card's id is made of both, and is one for each
    page as long as a part does not use a term twice. `shown` stands for the term's own name.
    """
    title = words(f"term.{key}.name")
    return _with_card(f"lv-{place}-{key}", shown or title, title, words(f"term.{key}.meaning"))


def titled(title: str, key: str, words: Words, place: str) -> Child:
    """Return a title that opens the definition `key`; the title alone where that is empty."""
    return term(key, words, place, title) if key else title


def condition_term(condition: str, words: Words, place: str) -> Child:
    """Return a condition's name, which opens what it sends; the name alone for one that others added."""
    key = f"condition.{condition}"
    if not words.has(key):
        return condition
    return _with_card(f"lv-{place}-{condition}", condition, condition, words(key))


def _with_card(name: str, shown: Child, title: str, meaning: str) -> Markup:
    button = el("button", shown, type="button", class_="lv-term", popovertarget=name)
    card = el(
        "span", el("b", title), el("span", meaning), id=name, popover=True, role="note", class_="lv-def"
    )
    return el("span", button, card, class_="lv-term-of")

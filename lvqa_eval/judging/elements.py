"""The elements of a text with tags in it, which may be no document: stray `<`, `&` and tags are text."""

import re
from collections import Counter
from dataclasses import dataclass, field

_TAG = re.compile(
    r"<\s*(?P<closing>/\s*)?(?P<name>[^\W\d][\w.-]*)"
    r"(?P<rest>\s*/?|\s(?:[^<>\"']|\"[^\"]{0,500}\"|'[^']{0,500}')*)>"
)
_ATTRIBUTES = re.compile(r"(?:\s+[\w:.-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'=]+))*\s*")
_WORD = re.compile(r"\w")
_VOID = frozenset({"br", "hr"})  # what HTML never closes


@dataclass
class Element:
    """An element: its casefolded name, its place with its tags, and the place between them.

    `closed` is false for one that goes on to the end of the text since no tag closes it, and for a closing
    tag that closes nothing.
    """

    name: str
    start: int
    inner_start: int
    inner_end: int
    end: int
    closed: bool = True
    parent: "Element | None" = None
    children: list["Element"] = field(default_factory=list)

    def has_words(self, text: str) -> bool:
        """Tell whether words, and not only tags, stand in it that stand in none of its children."""
        starts = [*(child.start for child in self.children), self.inner_end]
        ends = [self.inner_start, *(child.end for child in self.children)]
        pieces = (text[end:start] for end, start in zip(ends, starts, strict=True))
        return any(_WORD.search(_TAG.sub(" ", piece)) for piece in pieces)


def read_elements(text: str) -> list[Element]:
    """Return every element of `text` in the order of their starts; linear in the length of the text.

    A tag may have spaces, attributes and any case. An opening tag that nothing closes is text where an
    element around it ends, or where words in it are no attributes ("3 <b and c> 5"); otherwise all that
    follows is in it. A closing tag that closes nothing is text inside an element.
    """
    found: list[Element] = []
    opened: list[tuple[str, re.Match[str]]] = []
    counts: Counter[str] = Counter()
    for tag in _TAG.finditer(text):
        name = tag["name"].casefold()
        if tag["closing"] and counts[name]:
            found.append(_closed(opened, counts, tag, name))
        elif tag["closing"]:
            if not opened:
                found.append(Element(name, tag.start(), tag.end(), tag.end(), tag.end(), closed=False))
        elif tag["rest"].endswith("/") or name in _VOID:
            found.append(Element(name, tag.start(), tag.end(), tag.end(), tag.end()))
        else:
            opened.append((name, tag))
            counts[name] += 1
    length = len(text)
    for name, tag in opened:
        if _ATTRIBUTES.fullmatch(tag["rest"]):
            found.append(Element(name, tag.start(), tag.end(), length, length, closed=False))
    return _nested(sorted(found, key=lambda one: one.start))


def _closed(
    opened: list[tuple[str, re.Match[str]]], counts: Counter[str], closing: re.Match[str], name: str
) -> Element:
    while True:
        last, opening = opened.pop()
        counts[last] -= 1
        if last == name:
            return Element(name, opening.start(), opening.end(), closing.start(), closing.end())


def _nested(elements: list[Element]) -> list[Element]:
    around: list[Element] = []
    for one in elements:
        while around and around[-1].end <= one.start:
            around.pop()
        if around:
            one.parent = around[-1]
            around[-1].children.append(one)
        around.append(one)
    return elements

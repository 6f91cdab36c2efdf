"""The one place where text becomes HTML: elements are built here, and all that was not built here is escaped.

Gradio fills its templates in two steps, `{{…}}` and then `${…}` as JavaScript; what leaves this module holds
no sign that either would take for its own, so it stays text even where a page puts it into a template.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final, NoReturn
from urllib.parse import urlencode

_TAGS: Final = frozenset(
    {
        *(
            "a",
            "b",
            "bdi",
            "button",
            "caption",
            "code",
            "col",
            "colgroup",
            "dd",
            "div",
            "dl",
            "dt",
            "h1",
            "h2",
        ),
        *(
            "i",
            "img",
            "li",
            "ol",
            "p",
            "section",
            "small",
            "span",
            "table",
            "tbody",
            "td",
            "th",
            "thead",
            "tr",
        ),
        *("ul", "wbr"),
        *("svg", "circle", "g", "line", "polyline", "rect", "text"),
    }
)
_VOID: Final = frozenset({"col", "img", "wbr"})
_ATTRIBUTES: Final = frozenset(
    {
        *("alt", "class", "colspan", "height", "href", "id", "lang", "popover", "popovertarget", "role"),
        *("rowspan", "scope", "src", "tabindex", "title", "type", "width"),
        *("cx", "cy", "focusable", "points", "r", "stroke-dasharray", "text-anchor", "viewBox"),
        *("x", "x1", "x2", "y", "y1", "y2"),
    }
)
_NAMED_FREELY = re.compile(r"(aria|data)(-[a-z]+)+")
_SOURCE = re.compile(r"(?!//)(?!.*\.\.)[A-Za-z0-9_./=-]{1,600}\.(png|jpg|webp)")
_ANCHOR = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_PAGE = re.compile(r"[a-z]+")

# Controls would act on what reads the page, half a character cannot be sent, and overrides and invisible
# separators would show a name as another one.
_UNSEEN: Final = (
    *(point for point in range(0x20) if chr(point) not in "\t\n"),
    *range(0x7F, 0xA0),
    *(0x200B, 0x2028, 0x2029, 0x2060, 0xFEFF, 0xFFFE, 0xFFFF),
    *range(0x202A, 0x202F),
    *range(0x2066, 0x206A),
    *range(0xD800, 0xE000),
)
_REPLACED: Final[Mapping[int, str]] = {
    **dict.fromkeys(_UNSEEN, "\N{REPLACEMENT CHARACTER}"),
    **{ord(sign): f"&#{ord(sign)};" for sign in "\"'`${}\\@"},
    **{ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;"},
}

OUTSIDE: Final[Mapping[str, str]] = {
    "layered-vqa paper": "https://arxiv.org/abs/2609.38368",
    "bear-bench paper": "https://arxiv.org/abs/2608.17895",
}
"""The only addresses outside that a page leads to."""


class Markup(str):
    """HTML that stands as it is. Only this module makes it, so a plain string can never pass for it."""

    __slots__ = ()


class Link(str):
    """Where a link leads: a place on the page, another page of the board, or one of `OUTSIDE`."""

    __slots__ = ()


Child = str | None
Attribute = str | int | float | bool | None


def escape(text: str) -> Markup:
    """Return `text` as HTML that shows it, for content and for attributes alike."""
    return Markup(text.replace("\r\n", "\n").translate(_REPLACED))


def el(tag: str, /, *children: Child, **attributes: Attribute) -> Markup:
    """Return an element; children that are not `Markup` are escaped, None is left out.

    Attributes are written `class_` and `data_turn`; None and False leave one out, True gives it no value.
    Raises ValueError for a tag or an attribute that the pages have no use for, and for a link or the address
    of a picture that was not made by the functions below.
    """
    if tag not in _TAGS:
        _refuse("element", tag, "one of those that the pages are made of")
    opened = f"<{tag}{''.join([_attribute(name, value) for name, value in attributes.items()])}>"
    return Markup(opened if tag in _VOID else f"{opened}{joined(children)}</{tag}>")


def joined(children: Iterable[Child], between: str = "") -> Markup:
    """Return children side by side, each escaped that is not `Markup`, with a text between them."""
    shown = [child if type(child) is Markup else escape(child) for child in children if child is not None]
    return Markup(escape(between).join(shown))


def outer(text: str, **attributes: Attribute) -> Markup:
    """Return text that someone else wrote: its direction of writing turns nothing beside it."""
    return el("bdi", text, **attributes)


def anchor(name: str) -> Link:
    """Return a link to the element of this page with the id `name`; ValueError for what is no id."""
    if not _ANCHOR.fullmatch(name):
        _refuse("id", name, "a letter, then letters, digits, - and _")
    return Link(f"#{name}")


def page_link(page: str, **view: str) -> Link:
    """Return a link to another page of the board, with what restores a view of it."""
    if not _PAGE.fullmatch(page):
        _refuse("page", page, "small letters")
    query = urlencode({name: value for name, value in view.items() if value}, errors="replace")
    return Link(f"{page}?{query}" if query else page)


def outside(name: str) -> Link:
    """Return a link to one of `OUTSIDE`; KeyError for any other."""
    return Link(OUTSIDE[name])


def _attribute(name: str, value: Attribute) -> str:
    if value is None or value is False:
        return ""
    name = _named(name)
    if value is True:
        return f" {name}"
    if name == "href" and type(value) is not Link:
        _refuse("href", value, "a Link")
    if name == "src" and not (isinstance(value, str) and _SOURCE.fullmatch(value)):
        _refuse("src", value, "a path of this server to a PNG, JPEG or WebP file")
    return f' {name}="{escape(f"{value:g}" if isinstance(value, float) else str(value))}"'


@cache
def _named(name: str) -> str:
    """Return the name of an attribute as HTML writes it."""
    written = name.rstrip("_").replace("_", "-")
    if written not in _ATTRIBUTES and not _NAMED_FREELY.fullmatch(written):
        _refuse("attribute", name, "one of those that the pages are made of")
    return written


def _refuse(what: str, found: Any, allowed: str) -> NoReturn:
    raise ValueError(f"{what}: found {found!r}, allowed: {allowed}")
